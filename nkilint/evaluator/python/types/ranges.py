"""Ranges and slices."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ...state import protocols
from ...state.machine import Machine
from ...values.containers import GrownItems, ListValue, RangeValue

MAX_ITEMS = 100_000

protocols.lengths.of(RangeValue)(lambda machine, value: value.trips)
protocols.truths.of(RangeValue, slice)(lambda machine, value, node: True)


@protocols.iterated.of(RangeValue)
def _items(machine: Machine, value: RangeValue, at: Span | None, count: int | None) -> list[Any]:
    trips = value.trips
    if not isinstance(trips, int):
        raise IsUnknown("iteration over a range of symbolic length")
    if trips > MAX_ITEMS:
        raise IsUnknown(f"a range of {trips} items")
    return [value.start + i * value.step for i in range(trips)]


@protocols.iterated_symbolically.of(RangeValue)
def _symbolic_items(value: RangeValue) -> Any:
    return (value.trips, lambda i: value.start + i * value.step) if isinstance(value.trips, Sym) else None


def list_of(machine: Machine, length: Sym, item: Any) -> ListValue:
    """A list of symbolic length, from the item at each position."""
    index = machine.fresh_sym("i", "loop", 0, length - 1)
    return ListValue(GrownItems((), (item(index),), index, length))


@protocols.subscripts.of(RangeValue)
def _subscript(machine: Machine, value: RangeValue, key: Any, node: ir.Index) -> Any:
    if isinstance(key, Unknown):
        return key
    return value.start + key * value.step if isinstance(key, (int, Sym)) else Unknown("slice of a range")


@protocols.attributes.of(RangeValue, slice)
def _attribute(machine: Machine, value: Any, name: str, node: ir.Attr) -> Any:
    known = name in ("start", "stop", "step")
    return getattr(value, name) if known else Unknown(f"attribute `{name}` of {type(value).__name__}")
