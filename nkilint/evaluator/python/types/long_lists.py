"""Lists of symbolic length, in parts and one behind the other."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.atoms import Max, Min, bounds
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym, choose, is_integer, is_one
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, maximum, minimum

from ...state.joining import join
from ...state.machine import Machine
from ...values.choices import Either, among
from ...values.containers import EXTENDED, ListValue
from ...values.grown import GrowingItems, GrownItems, Items, count_of, item_of, joined
from .ranges import of_positions


def counted(machine: Machine, value: ListValue) -> Items:
    """The items of a list as it is now. Of one that a loop extends, nobody knows what those are that stood there when
    the iteration began, but how many."""
    items = value.cell["items"]
    if isinstance(items, GrowingItems):
        earlier = among(EXTENDED, *items.held.all())
        before = of_positions(machine, items.first, lambda position: earlier)
        return joined(before, items.added, machine.fresh_sym("at", "loop", 0, 0))
    return items if isinstance(items, GrownItems) else value.items


def concatenated(machine: Machine, left: ListValue, right: ListValue) -> ListValue:
    """Two lists of which one is of symbolic length, or holds one of two contents."""
    for side in (left, right):
        content = side.cell["items"]
        if isinstance(content, Either):
            cases = [ListValue(case, side.kind) for case in (content.then, content.otherwise)]
            both = [concatenated(machine, *((each, right) if side is left else (left, each))) for each in cases]
            then, otherwise = (each.cell["items"] for each in both)
            return ListValue(join(machine, content.condition, then, otherwise, "items"), left.kind)
    first, second = counted(machine, left), counted(machine, right)
    if isinstance(second, GrownItems):
        second = of_positions(machine, second.length, second.at)
    return ListValue(joined(first, second, machine.fresh_sym("at", "loop", 0, 0)), left.kind)


def with_others(machine: Machine, items: GrownItems, first: Any, behind: Any, others: Items) -> Items:
    """The items with others in the place of those from `first` to before `behind`."""
    index = machine.fresh_sym("at", "loop", 0, 0)
    head, rest = _between(machine, items, 0, first), _between(machine, items, behind, items.length)
    return joined(joined(head, others, index), rest, index)


def part_of(machine: Machine, items: Items, key: slice) -> Items:
    """A slice of a list where its bounds or the length of the list are symbolic."""
    step = 1 if key.step is None else key.step
    if is_one(step):
        return _between(machine, items, *ends_of(key, count_of(items)))
    if not isinstance(step, int) or step == 0 or (step < 0 and (key.start is not None or key.stop is not None)):
        raise IsUnknown("a slice of a list with bounds that are not known")
    length = count_of(items)
    first, behind = (length - 1, -1) if step < 0 else ends_of(slice(key.start, key.stop), length)
    return _strided(machine, items, first, maximum(-((first - behind) // step), 0), step)


def ends_of(key: slice, length: Any) -> tuple[Any, Any]:
    """Where a slice of so many items begins, and where it ends."""
    if not (key.step is None or is_one(key.step)) or not all(p is None or is_integer(p) for p in (key.start, key.stop)):
        raise IsUnknown("a slice of a list with bounds that are not known")
    first = 0 if key.start is None else _clamped(key.start, length)
    return first, maximum(length if key.stop is None else _clamped(key.stop, length), first)


def _between(machine: Machine, items: Items, first: Any, behind: Any) -> Items:
    """The items from one position to before another one, which is not before it."""
    return _strided(machine, items, first, behind - first, 1)


def _strided(machine: Machine, items: Items, first: Any, count: Any, step: int) -> Items:
    """So many items from one position on, each `step` further on."""
    if not isinstance(count, int):
        return of_positions(machine, count, lambda index: _at(items, first + step * index))
    return tuple(_at(items, first + step * position) for position in range(count))


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


def sum_of(items: Items) -> Any:
    """The sum of the numbers, of which each of a loop is by the same step larger than the one before."""
    if isinstance(items, tuple):
        if not all(map(is_integer, items)):
            raise IsUnknown("a sum of values that are not known")
        return sum(items)
    index, added = items.index, sum_of(items.added)
    step = substitute(added, {index.variable: index + 1}) - added
    if isinstance(step, Sym) and index.variable in variables(step):
        raise IsUnknown("a sum of numbers that do not grow evenly")
    first = substitute(added, {index.variable: 0})
    return sum_of(items.before) + items.trips * first + items.trips * (items.trips - 1) // 2 * step


def ends(items: Items, sign: int) -> list[tuple[Any, int | Sym]]:
    """The numbers among which the largest item is, or the smallest if `sign` is -1, each with the condition that it is
    there: of what loops appended those of their first or last iterations."""
    if isinstance(items, tuple):
        if not all(map(is_integer, items)):
            raise IsUnknown("an extreme of values that are not known")
        return [(True, item) for item in items]
    appended = items.trips >= 1
    found = ends(items.before, sign)
    for present, item in ends(items.added, sign):
        if isinstance(present, Cond) and items.index.variable in variables(present):
            raise IsUnknown("an extreme of what only some iterations append")
        found.append((all_of((appended, present)), _at_its_end(items, item, sign)))
    return found


def _at_its_end(items: GrownItems, item: Any, sign: int) -> Any:
    """The extreme of what an item is in the iterations."""
    if not isinstance(item, Sym) or items.index.variable not in variables(item):
        return item
    way = _direction(item, items.index)
    if way is None:
        raise IsUnknown("an extreme of numbers that rise and fall")
    return substitute(item, {items.index.variable: items.trips - 1 if (way > 0) == (sign > 0) else 0})


def _direction(value: Any, index: Sym) -> int | None:
    """Whether a number never falls with an index (1), never rises (-1), stays what it is (0), or none of these."""
    if not isinstance(value, Sym) or index.variable not in variables(value):
        return 0
    low, high = bounds(substitute(value, {index.variable: index + 1}) - value)
    if low >= 0 or high <= 0:
        return 1 if low >= 0 else -1
    ways = set()
    for factors, scale in value.terms.items():
        term = Sym({factors: 1}, 0)
        extremum = factors[0] if len(factors) == 1 and isinstance(factors[0], (Min, Max)) else None
        if extremum is None and len(value.terms) == 1:
            return None
        operands = (term,) if extremum is None else (extremum.left, extremum.right)
        ways |= {None if way is None else way * (1 if scale > 0 else -1) for way in _directions(operands, index)}
    ways.discard(0)
    return ways.pop() if len(ways) == 1 else None


def _directions(values: tuple[Any, ...], index: Sym) -> set[int | None]:
    return {_direction(value, index) for value in values}


def _clamped(position: Any, length: Any) -> Any:
    """Where a slice begins or ends: a negative position counts from the end, and none lies outside."""
    return minimum(choose(position >= 0, position, maximum(length + position, 0)), length)
