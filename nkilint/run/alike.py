"""Whether a kernel does the same before and after a change of its text, as far as runs show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nkilint.base.findings import Trial
from nkilint.base.options import Options
from nkilint.confirm.sizes import elements, lacks_dtype
from nkilint.confirm.tasks import Held, Task, as_asked

_DTYPES = ("float32", "bfloat16")
_LARGEST = 4_000_000  # elements of all inputs of a run together
_CLOSE = {"float32": 1e-4, "float16": 2e-3, "bfloat16": 2e-2}  # where operations differ


def too_large(trial: Trial) -> bool:
    """Whether its inputs are too large to run."""
    return elements([*trial.arguments.values(), *trial.positional]) > _LARGEST


def dtypes_of(trial: Trial) -> tuple[str, ...]:
    """The dtypes to run it with, where it leaves one open."""
    return _DTYPES if lacks_dtype(trial.arguments) else _DTYPES[:1]


def task(
    trial: Trial, module: str, roots: tuple[str, ...], dtype: str, options: Options, overlay: Mapping[str, str]
) -> Task:
    """A run of which the results are told."""
    return Task(
        trial=trial,
        module=module,
        roots=roots,
        marks=(),
        dtype=dtype,
        truth=True,
        results=True,
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
        bound = _CLOSE.get(a.dtype, _CLOSE["float32"] if a.dtype.startswith("float") else 0.0)
        with np.errstate(all="ignore"):
            scale = np.maximum(np.maximum(np.abs(x), np.abs(y)), np.nanmax(np.abs(x), initial=0.0) * 1e-2)
            far = ~((np.abs(x - y) <= bound * scale) | (x == y) | (np.isnan(x) & np.isnan(y)))
        if far.any():
            at = int(np.argmax(far))
            return f"element {at * a.step} of `{a.name}` is {y[at]:.6g} instead of {x[at]:.6g}"
        rounded = f"~ `{a.name}` differs by rounding"
    return rounded


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
