"""Lists of symbolic length, in parts and one behind the other."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.integers import Sym, choose
from nkilint_rules.words.conditions import IsUnknown, Unknown, maximum, minimum

from ...state.machine import Machine
from ...state.protocols import symbolic_items
from ...values.choices import among
from ...values.containers import ListValue
from ...values.grown import MAX_CASES, GrownItems, Items, count_of, item_of, joined
from .ranges import of_positions


def concatenated(machine: Machine, left: ListValue, right: ListValue) -> ListValue:
    """Two lists of which one is of symbolic length."""
    content = left.cell["items"]
    first = content if isinstance(content, GrownItems) else left.items
    symbolic = symbolic_items(machine, right)
    second = right.items if symbolic is None else of_positions(machine, *symbolic)
    return ListValue(joined(first, second, machine.fresh_sym("at", "loop", 0, 0)), left.kind)


def with_item(machine: Machine, items: GrownItems, key: int, value: Any) -> Items:
    """The items with another one at a position that is counted from an end."""
    behind: Any = items.length - key - 1 if key >= 0 else -key - 1
    first = items.length - behind
    if key >= 0:
        head: Items = tuple(items.at(position) for position in range(key))
        rest: Items = of_positions(machine, behind, lambda index: items.at(first + index))
    else:
        head = of_positions(machine, first - 1, items.at)
        rest = tuple(items.at(first + position) for position in range(behind))
    index = machine.fresh_sym("at", "loop", 0, 0)
    return joined(joined(head, (value,), index), rest, index)


def is_near_an_end(key: Any) -> bool:
    """Whether few items stand before or behind a position."""
    return type(key) is int and -MAX_CASES <= key < MAX_CASES


def part_of(machine: Machine, items: Items, key: slice) -> Items:
    """A slice of a list, in steps of one, where its bounds or the length of the list are symbolic."""
    if key.step not in (None, 1) or not all(p is None or _is_position(p) for p in (key.start, key.stop)):
        raise IsUnknown("a slice of a list with bounds that are not known")
    length = count_of(items)
    first = 0 if key.start is None else _clamped(key.start, length)
    behind = length if key.stop is None else _clamped(key.stop, length)
    count = maximum(behind - first, 0)
    if not isinstance(count, int):
        return of_positions(machine, count, lambda index: _at(items, first + index))
    return tuple(_at(items, first + position) for position in range(count))


def _at(items: Items, position: Any) -> Any:
    """The item at a position; of one that is not known all of them are changed by what changes it."""
    found = items.at(position) if isinstance(items, GrownItems) else item_of(items, position)
    return among(found.reason, found, items) if isinstance(found, Unknown) else found


def repeated(machine: Machine, items: GrownItems, count: int) -> Items:
    """The items several times, one behind the other."""
    found: Items = items if count > 0 else ()
    for _ in range(count - 1):
        again = of_positions(machine, items.length, items.at)
        found = joined(found, again, machine.fresh_sym("at", "loop", 0, 0))
    return found


def _is_position(value: Any) -> bool:
    return isinstance(value, (int, Sym)) and not isinstance(value, bool)


def _clamped(position: Any, length: Any) -> Any:
    """Where a slice begins or ends: a negative position counts from the end, and none lies outside."""
    return minimum(choose(position >= 0, position, maximum(length + position, 0)), length)
