"""The items that a value gives when iterated over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state.machine import Machine
from ..values.tensors import Grid, InputTensor, ShapeOf, View
from ..values.values import ClassValue, DictValue, GrownItems, Instance, ListValue, RangeValue

MAX_ITEMS = 100_000


def items_of(machine: Machine, value: Any, at: Span | None = None, count: int | None = None) -> list[Any]:
    """All items, in order. `count` is how many are wanted, where the place tells (unpacking)."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, ListValue):
        return list(value.items)
    if isinstance(value, DictValue):
        return list(value.items)
    if isinstance(value, str):
        return list(value)
    if isinstance(value, RangeValue):
        trips = value.trips
        if not isinstance(trips, int):
            raise IsUnknown("iteration over a range of symbolic length")
        if trips > MAX_ITEMS:
            raise IsUnknown(f"a range of {trips} items")
        return [value.start + i * value.step for i in range(trips)]
    if isinstance(value, ShapeOf):
        from ..device.inputs import shape_of

        return list(shape_of(machine, value.tensor, count))
    if isinstance(value, Grid):
        return _positions(value)
    if isinstance(value, InputTensor) and count is not None:
        from ..device.inputs import as_sequence

        return list(as_sequence(machine, value, count))
    if isinstance(value, (View, InputTensor)):
        raise IsUnknown("iteration over a tensor")
    if isinstance(value, ClassValue) and value.kind == "enum":
        return [m for m in value.attrs.values() if isinstance(m, Instance)]
    if isinstance(value, Instance):
        if value.cls.kind == "namedtuple":
            return [value.attrs[name] for name, _ in value.cls.fields]
        method = value.cls.lookup("__iter__")
        if method is not None:
            from .calls import call_function

            return items_of(machine, call_function(machine, method, [value], {}), at)
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    raise IsUnknown(f"iteration over {type(value).__name__}")


def symbolic_items(value: Any) -> tuple[Any, Callable[[Any], Any]] | None:
    """How many items a range or list of symbolic length has, and the item at a position."""
    if isinstance(value, RangeValue) and isinstance(value.trips, Sym):
        return value.trips, lambda i: value.start + i * value.step
    if isinstance(value, ListValue) and isinstance(value.cell["items"], GrownItems):
        items = value.cell["items"]
        return (items.length, items.at) if isinstance(items.length, Sym) else None
    return None


def list_of(machine: Machine, length: Sym, item: Callable[[Any], Any]) -> ListValue:
    """A list of symbolic length, from the item at each position."""
    index = machine.fresh_sym("i", "loop", 0, length - 1)
    return ListValue(GrownItems((), (item(index),), index, length))


def _positions(grid: Grid) -> list[Any]:
    raise IsUnknown("iteration over an index grid")
