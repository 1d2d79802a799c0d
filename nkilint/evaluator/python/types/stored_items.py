"""Items that are put into lists, and taken out of them."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.symbolic.integers import Sym, is_integer
from nkilint_rules.words.conditions import IsUnknown

from ...state import joining, protocols
from ...state.havoc import forget_items
from ...state.machine import Fault, Machine
from ...state.refusals import may_be_longer
from ...values.choices import among, as_one
from ...values.containers import ListValue, RangeValue
from ...values.grown import GrowingItems, GrownItems, LongTuple
from .long_lists import ends_of, with_others
from .ranges import all_items, check_position, is_there, place
from .sequences import MAX_CHOICES


@protocols.subscripts_set.of(ListValue)
def _store(machine: Machine, container: ListValue, key: Any, value: Any, target: ir.Index) -> None:
    machine.contain(value)
    content = container.cell["items"]
    if isinstance(content, GrownItems) and isinstance(content.length, Sym):
        machine.set(container.cell, "items", _with_stored(machine, content, key, value, target))
        return
    if not isinstance(content, tuple) and not isinstance(container.length, int):
        machine.doubt("whether a position lies in a list of unknown length")
        forget_items(machine, container, "an assignment into a list of symbolic length")
        return
    items = list(container.items)
    if isinstance(key, slice):
        _store_slice(machine, container, items, key, value)
        return
    if is_integer(key):
        if not may_be_longer(machine, container, key, target):
            check_position(machine, key, len(items), target)
        key = place(machine, key, len(items))
    if isinstance(key, int):
        items[key] = value
    elif isinstance(key, Sym) and len(items) <= MAX_CHOICES:
        items = [
            as_one(joining.join(machine, key == position, value, item, "the element"))
            if (key == position) is not False
            else item
            for position, item in enumerate(items)
        ]
    else:
        machine.doubt("a list changed at an unknown position")
        items = [among("a list changed at an unknown position", *items, value)] * len(items)
    machine.set(container.cell, "items", tuple(items))


def _with_stored(machine: Machine, items: GrownItems, key: Any, value: Any, target: ir.Index) -> Any:
    """What a list of symbolic length holds after an assignment to an item or to a slice of it."""
    if isinstance(key, slice):
        try:
            return with_others(machine, items, *ends_of(key, items.length), all_items(machine, value))
        except IsUnknown as unknown:
            return among(unknown.reason, items.before, items.added, value)
    if isinstance(key, bool) or not isinstance(key, (int, Sym)):
        return among("a list changed at an unknown position", items.before, items.added, value)
    check_position(machine, key, items.length, target)
    position = place(machine, key, items.length)
    return with_others(machine, items, position, position + 1, (value,))


def _store_slice(machine: Machine, container: ListValue, items: list[Any], key: slice, value: Any) -> None:
    if not all(part is None or isinstance(part, int) for part in (key.start, key.stop, key.step)):
        reason = "an assignment to a part of a list that is not known"
        if key.step is not None or not all(part is None or is_integer(part) for part in (key.start, key.stop)):
            machine.doubt(reason)
        forget_items(machine, container, reason)
        return
    try:
        items[key] = protocols.items_of(machine, value)
    except IsUnknown as unknown:
        if key.step not in (None, 1) or not isinstance(value, (ListValue, tuple, LongTuple, RangeValue)):
            machine.doubt("whether as many items are assigned as there are places in a slice")
        forget_items(machine, container, unknown.reason)
    except ValueError:
        raise Fault("ValueError") from None
    else:
        machine.set(container.cell, "items", tuple(items))


@protocols.subscripts_deleted.of(ListValue)
def _delete(machine: Machine, container: ListValue, key: Any, target: ir.Index) -> None:
    items = container.cell["items"]
    grown = isinstance(items, (GrownItems, GrowingItems)) and is_integer(key)
    if grown and is_there(machine, key, items.length):
        at = place(machine, key, items.length)
        if isinstance(items, GrownItems):
            machine.set(container.cell, "items", with_others(machine, items, at, at + 1, ()))
            return
    machine.set(container.cell, "items", _without(machine, items, key))


def _without(machine: Machine, items: Any, key: Any) -> Any:
    parts = (key.start, key.stop, key.step) if isinstance(key, slice) else (key,)
    if not isinstance(items, tuple) or not all(p is None or isinstance(p, int) for p in parts):
        machine.doubt("an item deleted from a list")
        return among("an item deleted from a list", items)
    rest = list(items)
    if not isinstance(key, slice) and not -len(rest) <= key < len(rest):
        raise Fault("IndexError")
    del rest[key]
    return tuple(rest)
