"""The items of dicts that loops of symbolic length fill: pairs of a key and a value, one behind the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nkilint.symbolic.atoms import Var, bounds
from nkilint.symbolic.evaluation import coefficient, variables
from nkilint.symbolic.integers import Sym, is_integer
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import IsUnknown, all_of

from .grown import GrowingItems, Items, count_of
from .keys import shown
from .substitution import in_value, rewritten


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """What a dict holds, in the order in which it came there. No two keys are equal."""

    items: Items | GrowingItems


@rewritten.of(Pairs)
def _in_pairs(value: Pairs, mapping: Mapping[Any, Any]) -> Pairs:
    items = value.items if isinstance(value.items, GrowingItems) else in_value(value.items, mapping)
    return value if items is value.items else Pairs(items)


def as_pairs(content: Any) -> Any:
    """The items of a dict as pairs."""
    if isinstance(content, Pairs):
        return content.items
    return tuple((shown(key), value) for key, value in content.items())


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A key that loops put into a dict, in terms of their `indices`, with the trip counts; and where it is."""

    key: Any
    position: Any
    indices: tuple[tuple[Sym, Any], ...] = ()

    def where(self, key: Any) -> tuple[Any, Any] | None:
        """Under which condition `key` is one of these, and where it stands then; None where it is none of another kind.
        Raises IsUnknown where that cannot be told."""
        found: dict[Any, Any] = {}
        conditions: list[Any] = []
        for own, other in _parts(self.key, key):
            if any(not isinstance(part, _PLAIN) or isinstance(part, bool) for part in (own, other)):
                raise IsUnknown(_WHICH)
            if is_integer(own) and is_integer(other):
                conditions += self._solve(own, other, found)
            elif is_integer(own) or is_integer(other) or own != other:
                return None
        for index, trips in self.indices:
            variable = index.variable
            if variable not in found and bounds(trips)[1] <= 1:
                found[variable] = 0
            if variable not in found:
                raise IsUnknown(_WHICH)
            conditions += [found[variable] >= 0, found[variable] < trips]
        return all_of(conditions), substitute(self.position, found) if found else self.position

    def _solve(self, own: Any, other: Any, found: dict[Any, Any]) -> list[Any]:
        """The conditions under which two numbers are equal; the iteration for which they are is put into `found`."""
        inside = variables(own) if isinstance(own, Sym) else {}
        along = [index.variable for index, _ in self.indices if index.variable in inside]
        if not along:
            return [own == other]
        (variable, *more) = along
        factor = coefficient(own, variable) if isinstance(variable, Var) and not more else None
        if not isinstance(factor, int) or factor == 0:
            raise IsUnknown(_WHICH)
        distance = (other - substitute(own, {variable: 0})) * (1 if factor > 0 else -1)
        size = abs(factor)
        conditions = [] if size == 1 else [distance % size == 0]
        iteration = distance if size == 1 else distance // size
        if variable in found:
            return [*conditions, found[variable] == iteration]
        found[variable] = iteration
        return conditions


def patterns(items: Items, first: Any = 0, indices: tuple[tuple[Sym, Any], ...] = ()) -> Iterator[Pattern]:
    """The patterns of pairs that stand one behind the other from the position `first` on."""
    if isinstance(items, tuple):
        for number, item in enumerate(items):
            if not isinstance(item, tuple):
                raise IsUnknown(_WHICH)
            yield Pattern(item[0], first + number, indices)
        return
    yield from patterns(items.before, first, indices)
    behind = first + count_of(items.before) + items.index * count_of(items.added)
    yield from patterns(items.added, behind, (*indices, (items.index, items.trips)))


def _parts(key: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """The plain parts of two keys, pair by pair; of keys of different forms one that tells them apart."""
    if isinstance(key, tuple) and isinstance(other, tuple):
        if len(key) != len(other):
            yield "", None
            return
        for one, two in zip(key, other, strict=True):
            yield from _parts(one, two)
    elif isinstance(key, tuple) or isinstance(other, tuple):
        yield "", None
    else:
        yield key, other


_PLAIN = (int, str, Sym, type(None))
_WHICH = "a key of a dict of symbolic length"
