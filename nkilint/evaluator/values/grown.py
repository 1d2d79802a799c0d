"""What loops of symbolic length put into lists: an element in terms of the iteration stands for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, TypeVar

from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.evaluation import coefficient, variables
from nkilint.symbolic.integers import Sym, choose, is_integer, is_one, itself, key_of
from nkilint.symbolic.work import charge
from nkilint_rules.words.conditions import Unknown, negation
from nkilint_rules.words.records import dataclass

from .cells import Cell
from .choices import among
from .substitution import Rewriting, in_value, rewritten
from .table import Table

Copy = TypeVar("Copy")


class Made:
    """The elements that iterations made, each its own, by where they stand: those that were asked for, and those that
    were `changed` since. What is not younger than `born` was there before, and is one for all iterations. Their `kin`
    hold some of the same objects."""

    __slots__ = ("around", "born", "changed", "handed", "items", "kin")

    def __init__(self, born: float, around: tuple[Made, Any] | None = None, is_changed: bool = False) -> None:
        self.born, self.around = born, around
        self.items: GrownItems | None = None  # of which these are
        self.changed = Cell({MANY: True} if is_changed else {})
        self.handed: dict[Any, Any] = {}
        self.kin: tuple[Any, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether others of these lists would hold what is not known: what some of these have become, or may share."""
        return bool(self.changed or self.kin)

    def at(self, position: Any, element: Any) -> Any:
        """The element at a position, of which `element` tells how it was made."""
        key = key_of(position)
        if key not in self.handed:
            found = Copies(self, position).of(element)
            if found is element:
                return element
            if any(not _differ(key, other) for other in self.changed):
                return among("an element of a list of which some were changed", self, *self.kin)
            self.handed[key] = found
        return self.handed[key]

    def others(self, position: Any) -> list[Any]:
        """The elements that may be the one at `position`, too."""
        key = key_of(position)
        return [element for other, element in self.handed.items() if other != key and not _differ(key, other)]

    def elsewhere(self, value: Any, position: Any, mapping: Mapping[Any, Any]) -> Any:
        """What an element, or a part of one, is in another iteration of a loop around."""
        other = in_value(position, mapping)
        around = self.around is None or in_value(self.around[1], mapping) is self.around[1]
        if other is position and around:
            return value
        if around and self.items is not None and self.handed.get(key_of(position)) is value:
            return self.items.at(other)
        return among("an element of a list in another iteration of a loop", self, *self.kin)


MANY = "<many>"  # for a position that is not known


def _differ(key: Any, other: Any) -> bool:
    return isinstance(key, int) and isinstance(other, int) and key != other


class Copies:
    """Makes one of the elements of what tells how they were made."""

    def __init__(self, made: Made, position: Any) -> None:
        self.made, self.position = made, position
        self.found: dict[int, Any] = {}

    def of(self, value: Any) -> Any:
        """Of a container that iterations made the one of this iteration; all else is what it is."""
        if isinstance(value, tuple):
            items = [self.of(item) for item in value]
            return value if all(a is b for a, b in zip(items, value, strict=True)) else tuple(items)
        if isinstance(value, GrownItems):
            made = Made(value.made.born, (self.made, self.position), value.made.is_open)
            return GrownItems(self.of(value.before), value.added, value.index, value.trips, made)
        if isinstance(value, LongTuple):
            return LongTuple(self.of(value.items))
        if isinstance(value, Cell) or type(value) is dict:
            return {key: self.of(item) for key, item in value.items()}
        if type(value) not in copied.entries or getattr(cell_of(value), "born", inf) <= self.made.born:
            return value
        if id(value) not in self.found:
            self.found[id(value)] = Unknown("an object that refers to itself, made in a loop")
            made = self.found[id(value)] = copied.entry(type(value))(value, self)
            cell = cell_of(made)
            if cell is not None and made is not value:
                cell.one_of, cell.born = (self.made, self.position), self.made.changed.born
        return self.found[id(value)]

    def begin(self, value: Any, made: Copy) -> Copy:
        """Take `made`, which is filled later, for one more of `value`, which may refer to itself."""
        self.found[id(value)] = made
        return made


def cell_of(value: Any) -> Cell | None:
    """What a value holds that can be changed, where it can be."""
    held = (getattr(value, name, None) for name in _CELLS)
    return next((cell for cell in held if isinstance(cell, Cell)), None)


_CELLS = ("attrs", "cell", "vars")


def is_one_of(value: Any) -> bool:
    """Whether it stands for one of the objects that iterations made, as others may do, too."""
    cell = cell_of(value)
    return cell is not None and (cell.one_of is not None or bool(cell.kin))


copied = Table(lambda value, copies: value)
"""One more of a container, by its type."""


class GrownItems:
    """The items of a list to which each of `trips` iterations appended `added`, written in terms of `index`.

    `before` and `added` are tuples, or what other loops made.
    """

    __slots__ = ("_length", "added", "before", "index", "made", "trips")

    def __init__(self, before: Items, added: Items, index: Any, trips: Any, made: Made | None = None) -> None:
        self.before, self.added, self.index, self.trips = before, added, index, trips
        self.made = made or Made(inf)
        self.made.items = self
        self._length: Any = None

    @property
    def length(self) -> Any:
        if self._length is None:
            self._length = self.trips * count_of(self.added) + count_of(self.before)
        return self._length

    def at(self, position: Any) -> Any:
        """The item at `position`, which is taken to be within the list."""
        if isinstance(self.before, tuple):
            if isinstance(position, int) and 0 <= position < len(self.before):
                return self.before[position]
        elif _most(position - self.before.length) < 0:
            return self.before.at(position)
        described = self._described(position)
        return among(described.reason, self) if isinstance(described, Unknown) else self.made.at(position, described)

    def _described(self, position: Any) -> Any:
        """How the item at a position was made."""
        charge(DESCRIBED)
        first = count_of(self.before)
        behind = position - first
        if isinstance(first, int) and first == 0:
            return self._added_at(behind)
        if bounds(behind)[0] >= 0:
            return self._added_at(behind)
        if _most(behind) < 0:
            return item_of(self.before, position)
        return _number(behind < 0, item_of(self.before, position), self._added_at(behind))

    def _added_at(self, position: Any) -> Any:
        """How the item was made that stands so far behind what was there before."""
        if is_one(self.trips):
            return self._in_iteration(item_of(self.added, position), 0)
        if isinstance(self.added, GrownItems):
            each = self.added.length
            return self._in_iteration(self.added._described(position % each), position // each)
        if len(self.added) == 1:
            return self._in_iteration(self.added[0], position)
        return self._in_iteration(item_of(self.added, position % len(self.added)), position // len(self.added))

    def _in_iteration(self, value: Any, iteration: Any) -> Any:
        """What an iteration made, of what it is in terms of the index."""
        born = 0 if self.made.born == inf else self.made.born
        return in_value(value, Rewriting({self.index.variable: iteration}, born))


Items = tuple[Any, ...] | GrownItems


def count_of(items: Items | GrowingItems) -> Any:
    """How many items there are."""
    return len(items) if isinstance(items, tuple) else items.length


def joined(items: Items, more: Items, index: Any) -> Items:
    """The items with others behind them, which the one iteration `index` of a loop may have added."""
    if isinstance(items, tuple) and isinstance(more, tuple):
        return items + more
    return GrownItems(items, more, index, 1) if isinstance(more, GrownItems) or more else items


def item_of(items: Items, position: Any) -> Any:
    """How the item at a position was made, which is taken to be one of `items`."""
    if isinstance(items, GrownItems):
        return items._described(position)
    if isinstance(position, int):
        return items[position] if 0 <= position < len(items) else Unknown(_MANY)
    found = items[-1] if 0 < len(items) <= MAX_CASES else Unknown(_MANY)
    for number, item in enumerate(items[:-1] if len(items) <= MAX_CASES else ()):
        found = _number(position == number, item, found)
    return found


def _most(value: Any) -> float:
    """The most that a number can be, in the last iterations of the loops that it grows with."""
    for variable in variables(value) if isinstance(value, Sym) else ():
        factor = coefficient(value, variable) if variable.kind == "loop" and isinstance(variable.high, Sym) else None
        if factor is not None and factor > 0:
            value = value + (variable.high - itself(variable)) * factor
    return bounds(value)[1]


def _number(condition: Any, then: Any, otherwise: Any) -> Any:
    """One of two numbers, or of two tuples of as many; what else the items may be is not known."""
    if isinstance(then, tuple) and isinstance(otherwise, tuple) and len(then) == len(otherwise):
        parts = [_number(condition, *both) for both in zip(then, otherwise, strict=True)]
        return next((part for part in parts if isinstance(part, Unknown)), tuple(parts))
    return choose(condition, then, otherwise) if is_integer(then) and is_integer(otherwise) else Unknown(_MANY)


def pieces(items: Items) -> list[tuple[Any, Any]]:
    """What stands one behind the other: how often something was appended, and how many items of it."""
    found: list[tuple[Any, Any]] = []
    while isinstance(items, GrownItems):
        alone = is_one(items.trips) and isinstance(items.added, GrownItems)
        found[:0] = pieces(items.added) if alone else [(items.trips, count_of(items.added))]
        items = items.before
    return [(1, len(items)), *found] if items else found


def appended_where(condition: Any, items: GrownItems, others: GrownItems) -> GrownItems | None:
    """The items of a list to which some were appended where a condition holds, and others elsewhere."""
    mine, theirs = [items], [others]
    for chain in (mine, theirs):
        while isinstance(chain[-1].before, GrownItems):
            chain.append(chain[-1].before)
    found: GrownItems | None = None
    while mine and theirs and mine[-1] is theirs[-1]:
        found = mine.pop()
        theirs.pop()
    if found is None or any(not is_one(part.trips) or part.made.born != inf for part in (*mine, *theirs)):
        return None
    for holds, chain in ((condition, mine), (negation(condition), theirs)):
        for part in reversed(chain):
            found = GrownItems(found, part.added, part.index, choose(holds, 1, 0))
    return found


_MANY = "an element of a list that loops extend"
DESCRIBED = 30  # units of work for one of the loops that an item may come from
MAX_CASES = 8  # items that one at a symbolic position is looked for among


@dataclass(frozen=True, slots=True, eq=False)
class LongTuple:
    """A tuple of symbolic length."""

    items: GrownItems


class Held:
    """What the items of a growing list may be that stood there before; whether anybody `asked`."""

    __slots__ = ("asked", "values")

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values, self.asked = values, False

    def all(self) -> tuple[Any, ...]:
        self.asked = True
        return self.values


class GrowingItems:
    """The items of a list in a symbolic iteration of a loop that extends it; `added` are those of this iteration.

    `added` is a tuple, or what an inner loop appended; `first` is how many items there are when the iteration begins,
    and `held` what these may be.
    """

    __slots__ = ("added", "first", "held")

    def __init__(self, first: Any, added: Items, held: Held) -> None:
        self.first, self.added, self.held = first, added, held

    @property
    def length(self) -> Any:
        return self.first + count_of(self.added)

    def first_ones(self) -> tuple[Any, ...]:
        """Those that stood there before the loop and are known one by one; none of them is taken away meanwhile."""
        before = self.held.values[0]
        while isinstance(before, GrownItems):
            before = before.before
        return before.first_ones() if isinstance(before, GrowingItems) else before


@rewritten.of(GrownItems)
def _in_grown(items: GrownItems, mapping: Mapping[Any, Any]) -> GrownItems:
    parts = items.before, items.added, items.trips
    before, added, trips = in_value(parts, mapping)
    if before is items.before and added is items.added and trips is items.trips:
        return items
    made = Made(items.made.born, items.made.around, items.made.is_open)
    return GrownItems(before, added, items.index, trips, made)


@rewritten.of(LongTuple)
def _in_long_tuple(value: LongTuple, mapping: Mapping[Any, Any]) -> LongTuple:
    items = in_value(value.items, mapping)
    return value if items is value.items else LongTuple(items)
