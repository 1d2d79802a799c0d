"""Which integers a tile may hold, by the operations that wrote it: constants, `iota`, masks, shifts, sums, dtypes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nkilint_rules.words.conditions import IsUnknown
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.operators import operator_name

from ..state.machine import Machine
from ..state.trace import Event
from ..values.containers import ListValue
from ..values.tensors import View

_WIDE = 4  # bytes from which on what a dtype can hold says nothing about an index


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`; `reached` says that both ends are among the values."""

    low: int
    high: int
    reached: bool = False

    def union(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high), self.reached and other.reached)


def integers_in(machine: Machine, view: Any, depth: int = 8) -> Range | None:
    """The values of a tile where the kernel has come to; None where they can be anything."""
    if not isinstance(view, View) or depth == 0:
        return None
    by_dtype = _held_by(view.dtype)
    base = view.base
    if base.kind not in ("allocation", "result") or not _is_of_this_iteration(machine, view):
        return by_dtype
    found: Range | None = None
    for event in machine.trace.events:
        for access in event.accesses:
            if access.view.base is not base or access.role == "read":
                continue
            written = _written(machine, event, depth - 1) if access.role == "write" else None
            if written is None:
                return by_dtype
            found = written if found is None else found.union(written)
    return by_dtype if found is None else found


def _is_of_this_iteration(machine: Machine, view: View) -> bool:
    """Whether no later statement has written the tile in an iteration before."""
    made_in = view.base.loops
    return len(made_in) == len(machine.loops) and all(a is b for a, b in zip(made_in, machine.loops, strict=True))


def _held_by(dtype: Any) -> Range | None:
    if not isinstance(dtype, DType) or not dtype.is_integer or dtype.itemsize >= _WIDE:
        return None
    bits = 8 * dtype.itemsize
    return Range(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype.kind == "int" else Range(0, 2**bits - 1)


def _written(machine: Machine, event: Event, depth: int) -> Range | None:
    operation = event.operation
    handler = _WRITERS.get(operation.leaf) if operation is not None else None
    return None if handler is None else handler(machine, event.arguments, depth)


Arguments = dict[str, Any]


def _constant(value: Any) -> Range | None:
    return Range(value, value, True) if type(value) is int else None


def _filled(machine: Machine, given: Arguments, depth: int) -> Range | None:
    return _constant(given.get("value", given.get("fill_value")))


def _counted(machine: Machine, given: Arguments, depth: int) -> Range | None:
    """`iota`: an offset, steps along the free axes, and one along the partitions."""
    dst, pattern = given.get("dst"), given.get("pattern")
    items = pattern.items if isinstance(pattern, ListValue) else pattern
    if not isinstance(dst, View) or not isinstance(items, (list, tuple)):
        return None
    pairs = [tuple(p.items) if isinstance(p, ListValue) else p for p in items]
    steps = [*pairs, (given.get("channel_multiplier", 0), dst.shape[0])]
    low = high = given.get("offset", 0)
    for pair in steps:
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(type(n) is int for n in (*pair, low)):
            return None
        reach = pair[0] * (pair[1] - 1)
        low, high = low + min(reach, 0), high + max(reach, 0)
    return Range(low, high, True)


def _copied(machine: Machine, given: Arguments, depth: int) -> Range | None:
    return integers_in(machine, given.get("src", given.get("data", given.get("x"))), depth)


def _computed(machine: Machine, given: Arguments, depth: int) -> Range | None:
    """`tensor_scalar` with constants."""
    found = integers_in(machine, given.get("data"), depth)
    for which in ("0", "1"):
        op, operand = given.get(f"op{which}"), given.get(f"operand{which}")
        if op is None and operand is None:
            continue
        if type(operand) is not int or given.get(f"reverse{which}") not in (None, False):
            return None
        try:
            rule = _OPERATORS.get(operator_name(op))
        except IsUnknown:
            return None
        found = None if rule is None else rule(found, operand)
    return found


def _masked(values: Range | None, mask: int) -> Range | None:
    if mask < 0:
        return None
    return Range(0, min(mask, values.high) if values is not None and values.low >= 0 else mask)


def _each(change: Callable[[int, int], int]) -> Callable[[Range | None, int], Range | None]:
    """A change that keeps the order of numbers, or turns it round."""

    def changed(values: Range | None, operand: int) -> Range | None:
        if values is None:
            return None
        ends = sorted((change(values.low, operand), change(values.high, operand)))
        return Range(ends[0], ends[1], values.reached)

    return changed


def _shifted_right(values: Range | None, places: int) -> Range | None:
    if values is None or values.low < 0 or places < 0:
        return None
    return Range(values.low >> places, values.high >> places, values.reached)


def _shifted_left(values: Range | None, places: int) -> Range | None:
    return None if not 0 <= places < 32 else _each(lambda a, b: a << b)(values, places)


_OPERATORS: dict[str, Callable[[Range | None, int], Range | None]] = {
    "bitwise_and": _masked,
    "add": _each(int.__add__),
    "subtract": _each(int.__sub__),
    "multiply": _each(int.__mul__),
    "maximum": _each(max),
    "minimum": _each(min),
    "right_shift": _shifted_right,
    "logical_right_shift": _shifted_right,
    "arithmetic_right_shift": _shifted_right,
    "left_shift": _shifted_left,
    "logical_left_shift": _shifted_left,
}
_WRITERS: dict[str, Callable[[Machine, Arguments, int], Range | None]] = {
    "memset": _filled,
    "full": _filled,
    "zeros": lambda machine, given, depth: Range(0, 0, True),
    "ones": lambda machine, given, depth: Range(1, 1, True),
    "iota": _counted,
    "tensor_copy": _copied,
    "dma_copy": _copied,
    "load": _copied,
    "copy": _copied,
    "tensor_scalar": _computed,
}
