"""Whether a kernel does the same before and after a change of its text, as far as runs show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

import numpy as np

from nkilint.base.findings import Trial
from nkilint.base.options import Options
from nkilint.confirm.sizes import elements, lacks_dtype, with_dtypes
from nkilint.confirm.tasks import Held, Task, as_asked

_DTYPES = ("float32", "bfloat16")
_INTEGER = "int32"
_LARGEST = 4_000_000  # elements of all inputs of a run together
_CLOSE = {"float32": (1e-5, 1e-6), "float16": (2e-3, 1e-3), "bfloat16": (2e-2, 8e-3)}
"""How far apart results may be where operations differ: by the size of the element, or by that of the usual one, as
where sums cancel; the latter are two roundings of a narrow float, and eight of float32."""


def too_large(trial: Trial) -> bool:
    """Whether its inputs are too large to run."""
    return elements([*trial.arguments.values(), *trial.positional]) > _LARGEST


def dtypes_of(trial: Trial) -> tuple[str, ...]:
    """The dtypes to run it with, where it leaves one open."""
    return _DTYPES if lacks_dtype(trial.arguments) else _DTYPES[:1]


def guesses(trial: Trial) -> list[tuple[Trial, str]]:
    """The same with dtypes that a caller may mean where it leaves them open, though nothing says that one does:
    integers, and floats of both dtypes beside each other."""
    found = [(trial, _INTEGER)]
    for order in (_DTYPES, _DTYPES[::-1]):
        mixed = in_turn(trial, order)
        found += [(mixed, order[0])] if len(kinds(mixed, "")) > len(kinds(trial, order[0])) else []
    return found if lacks_dtype(trial.arguments) else []


def in_turn(trial: Trial, dtypes: Sequence[str]) -> Trial:
    """Arrays without a dtype get these, one after the other."""
    turns = cycle(dtypes)
    return replace(trial, arguments=with_dtypes(trial.arguments, lambda given: given or next(turns)))


def kinds(trial: Trial, dtype: str) -> frozenset[str]:
    """The dtypes of its arrays, of which `dtype` is that of those that say none."""
    found = set()

    def note(given: str) -> str:
        found.add(given or dtype)
        return given

    with_dtypes([*trial.arguments.values(), *trial.positional], note)
    return frozenset(found)


def task(
    trial: Trial,
    module: str,
    roots: tuple[str, ...],
    dtype: str,
    options: Options,
    overlay: Mapping[str, str],
    *,
    truth: bool = True,
    signed: bool = False,
) -> Task:
    """A run of which the results are told."""
    return Task(
        trial=trial,
        module=module,
        roots=roots,
        marks=(),
        dtype=dtype,
        truth=truth,
        results=True,
        signed=signed,
        overlay=overlay,
        **as_asked(options),
    )


def difference(old: Sequence[Held], new: Sequence[Held]) -> str:
    """How results differ: nothing where they do not, `~` first where that is a matter of rounding."""
    if len(old) != len(new):
        return f"it gives {len(new)} arrays instead of {len(old)}"
    rounded = ""
    for a, b in zip(old, new, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"`{a.name}` is {b.dtype}{list(b.shape)} instead of {a.dtype}{list(a.shape)}"
        if a.digest == b.digest:
            continue
        x, y = np.asarray(a.values()), np.asarray(b.values())
        own, usual = _CLOSE.get(a.dtype, _CLOSE["float32"] if a.dtype.startswith("float") else (0.0, 0.0))
        with np.errstate(all="ignore"):
            bound = np.maximum(own * np.abs(x), usual * _usual(x))
            far = ~((np.isfinite(x) & (np.abs(x - y) <= bound)) | (x == y) | (np.isnan(x) & np.isnan(y)))
        if far.any():
            at = int(np.argmax(far))
            return f"element {at * a.step} of `{a.name}` is {y[at]:.6g} instead of {x[at]:.6g}"
        if a.step > 1 and np.array_equal(x, y, equal_nan=True):
            return f"`{a.name}` differs, though not in the elements that are told of it, 1 of {a.step}"
        rounded = f"~ `{a.name}` differs by rounding"
    return rounded


def _usual(numbers: Any) -> float:
    """The size of the middle one of those that are there; what fills many elements counts once."""
    sizes = np.unique(np.abs(numbers[np.isfinite(numbers)]))
    return float(sizes[len(sizes) // 2]) if len(sizes) else 0.0


def shown_trial(trial: Trial, dtype: str) -> str:
    """Its arguments, as they are told."""
    return ", ".join(f"{name}={_argument(value, dtype)}" for name, value in trial.arguments.items())


def _argument(value: Any, dtype: str) -> str:
    if not isinstance(value, Mapping):
        return repr(value)
    ((kind, content),) = value.items()
    if kind == "array":
        return f"{content[0] or dtype}[{', '.join(map(str, content[1]))}]"
    return str(content)
