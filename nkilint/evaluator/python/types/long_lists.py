"""Lists of symbolic length, in parts and one behind the other."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.integers import Sym, choose
from nkilint_rules.words.conditions import IsUnknown, maximum, minimum

from ...state.machine import Machine
from ...state.protocols import symbolic_items
from ...values.containers import ListValue
from ...values.grown import MAX_CASES, GrownItems, Items, joined
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


def part_of(machine: Machine, items: GrownItems, key: slice) -> Items:
    """A slice of a list of symbolic length, in steps of one."""
    if key.step not in (None, 1) or not all(p is None or _is_position(p) for p in (key.start, key.stop)):
        raise IsUnknown("a slice of a list of symbolic length")
    first = 0 if key.start is None else _clamped(key.start, items.length)
    behind = items.length if key.stop is None else _clamped(key.stop, items.length)
    count = maximum(behind - first, 0)
    if not isinstance(count, int):
        return of_positions(machine, count, lambda index: items.at(first + index))
    return tuple(items.at(first + position) for position in range(count))


def _is_position(value: Any) -> bool:
    return isinstance(value, (int, Sym)) and not isinstance(value, bool)


def _clamped(position: Any, length: Any) -> Any:
    """Where a slice begins or ends: a negative position counts from the end, and none lies outside."""
    return minimum(choose(position >= 0, position, maximum(length + position, 0)), length)
