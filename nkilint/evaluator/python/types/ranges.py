"""Ranges and slices."""

from __future__ import annotations

import sys
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.integers import Sym, choose, is_integer
from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, negation

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.paths import Flow, demand, is_handled, leave_where
from ...state.protocols import items_of, symbolic_items
from ...state.trace import AtWitness, Reach
from ...values.containers import RangeValue
from ...values.grown import GrownItems, Items
from ...values.wording import in_words

MAX_ITEMS = 100_000

protocols.truths.of(RangeValue)(lambda machine, value, node: value.trips != 0)
protocols.truths.of(slice)(lambda machine, value, node: True)


@protocols.lengths.of(RangeValue)
def _length(machine: Machine, value: RangeValue) -> Any:
    if isinstance(value.trips, int) and value.trips > sys.maxsize:
        raise Fault("OverflowError")
    return value.trips


@protocols.iterated.of(RangeValue)
def _items(machine: Machine, value: RangeValue, at: Span | None, count: int | None) -> list[Any]:
    trips = value.trips
    if not isinstance(trips, int):
        raise IsUnknown("iteration over a range of symbolic length")
    if trips > MAX_ITEMS:
        raise IsUnknown(f"a range of {trips} items")
    return [value.start + i * value.step for i in range(trips)]


@protocols.memberships.of(RangeValue)
def _contains(machine: Machine, value: RangeValue, item: Any) -> Any:
    if not is_integer(item) or not isinstance(value.step, int) or value.step == 0:
        return protocols.any_equal(machine, item, items_of(machine, value))
    sign = 1 if value.step > 0 else -1
    way, whole = sign * (item - value.start), sign * (value.stop - value.start)
    return all_of((way >= 0, way < whole, way % abs(value.step) == 0))


@protocols.iterated_symbolically.of(RangeValue)
def _symbolic_items(machine: Machine, value: RangeValue) -> Any:
    return (value.trips, lambda i: value.start + i * value.step) if isinstance(value.trips, Sym) else None


def of_positions(machine: Machine, length: Sym, item: Any) -> GrownItems:
    """The items of a list of symbolic length, from the item at each position."""
    index = machine.fresh_sym("i", "loop", 0, length - 1)
    return GrownItems((), (item(index),), index, length)


def all_items(machine: Machine, value: Any, at: Span | None = None) -> Items:
    """The items of what can be gone over, which may be of symbolic length."""
    found = symbolic_items(machine, value)
    return tuple(items_of(machine, value, at)) if found is None else of_positions(machine, *found)


@protocols.subscripts.of(RangeValue)
def _subscript(machine: Machine, value: RangeValue, key: Any, node: ir.Index) -> Any:
    if isinstance(key, Unknown):
        return key
    numbers = (value.start, value.stop, value.step)
    parts = (key.start, key.stop, key.step) if isinstance(key, slice) else (Unknown("a slice"),)
    if all(type(n) is int for n in numbers) and all(part is None or isinstance(part, int) for part in parts):
        part = range(*numbers)[key]
        return RangeValue(part.start, part.stop, part.step, value.kind)
    if not isinstance(key, (int, Sym)):
        return Unknown("a slice of a range" if isinstance(key, slice) else "a subscript that is no integer")
    check_position(machine, key, value.trips, node)
    return value.start + place(machine, key, value.trips) * value.step


def check_position(machine: Machine, key: Any, length: Any, node: ir.Index) -> None:
    """Lists and ranges have no item past their last, nor before their first."""
    if is_integer(key):
        goal = all_of((key >= -length, key < length))
        demand(
            machine,
            "IndexError",
            OutOfBounds.item(
                index=node.key.at, reach=Reach(key, masked=False), tensor=node.value.at, size=AtWitness(length)
            ),
            goal,
            node.at,
        )


def place(machine: Machine, key: Any, length: Any) -> Any:
    """The position that a subscript means: a negative one counts from the end. What is outside raises IndexError."""
    for inside in (key < length, key >= -length):
        if machine.truth(inside) is False:
            raise Fault("IndexError")
        if inside is not True and is_handled(machine, "IndexError"):
            leave_where(machine, Flow.RAISE, negation(inside), "IndexError")
    counts = machine.truth(key >= 0)
    return choose(key >= 0, key, key + length) if counts is None else key if counts else key + length


def is_there(machine: Machine, key: Any, length: Any) -> bool:
    """Whether nothing is to be said where a position lies outside: it never does, or a handler waits for that."""
    return is_handled(machine, "IndexError") or machine.truth(all_of((key >= -length, key < length))) is True


@protocols.attributes.of(RangeValue, slice)
def _attribute(machine: Machine, value: Any, name: str, node: ir.Attr) -> Any:
    known = name in ("start", "stop", "step")
    return getattr(value, name) if known else Unknown(f"attribute `{name}` of {in_words(value)}")
