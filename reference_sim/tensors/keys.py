"""What stands in subscripts: plain integers and slices, and values that are known only at run time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from reference_sim.machine.listeners import tell_address
from reference_sim.machine.program import running
from reference_sim.report import wording
from reference_sim.report.errors import CannotSimulate
from reference_sim.report.sites import here

from .elements import read
from .grids import Grid

if TYPE_CHECKING:
    from .tensor import Tensor


PLAIN = frozenset({int, slice})
"""The types of keys whose bounds are known, where these are integers."""


@dataclass(frozen=True, slots=True)
class DynamicSlice:
    """`nl.ds(start, size)`: `size` elements from `start` on; the start may be known only at run time."""

    start: Any
    size: int


def is_dynamic(value: Any) -> bool:
    """Whether an index is a value in memory or in a register."""
    return hasattr(value, "storage") or hasattr(value, "register_value")


def current_value(value: Any) -> Any:
    """The present value of a dynamic index: an int, or an array of a tile's integers."""
    if hasattr(value, "register_value"):
        return value.register_value()
    if isinstance(value, Grid):
        return value.array()
    if hasattr(value, "storage"):
        current = running()
        if current is not None:
            tell_address(value, current)
        array = read(value)
        return int(array.reshape(-1)[0]) if array.size == 1 else array.astype(np.int64)
    return int(value)


def _bound(value: Any) -> int:
    """A bound of a slice as an integer."""
    return value if type(value) is int else wording.whole_number(value, "an index", lambda: _text_of(value))


def _text_of(value: Any) -> str:
    return wording.bound_text(here(), value) if isinstance(value, float) else ""


def _not_ahead(step: int) -> Exception:
    """Why a slice does not go ahead."""
    if step:
        return CannotSimulate("a slice", f"its step is {step}, and the documentation does not say what that selects")
    return ValueError("slice step cannot be zero")


def filled(keys: tuple[Any, ...], rank: int) -> list[Any]:
    """One key for each axis, `...` and missing ones written out, None kept."""
    given = len(keys)
    if given == rank and PLAIN.issuperset(map(type, keys)):
        return list(keys)
    for k in keys:
        given -= k is None or k is ...
    filler = [slice(None)] * (rank - given)
    full: list[Any] = []
    seen = False
    for k in keys:
        if k is ...:
            if not seen:
                full += filler
            seen = True
        else:
            full.append(k)
    return full if seen else full + filler


def bounds_of(key: slice | DynamicSlice, tensor: Tensor, axis: int) -> tuple[int, int, int]:
    """First index, the one after the last, and the step of a slice of one axis; one that ends early is reported."""
    size = tensor.sizes[axis]
    if isinstance(key, DynamicSlice):
        start, step = _bound(key.start), 1
        stop = start + _bound(key.size)
    else:
        start, stop, step = key.start, key.stop, key.step
        step = 1 if step is None else step if type(step) is int else _bound(step)
        start = 0 if start is None else start if type(start) is int else _bound(start)
        stop = size if stop is None else stop if type(stop) is int else _bound(stop)
        if step <= 0:
            raise _not_ahead(step)
        start += size if start < 0 else 0
        stop += size if stop < 0 else 0
    if stop < start:
        _, text = wording.subscript_text(here(), axis, len(tensor.sizes))
        wording.complain(OutOfBounds.backwards(index=text or f"{start}:{stop}", begins=start, ends=stop))
    return start, max(start, stop), step
