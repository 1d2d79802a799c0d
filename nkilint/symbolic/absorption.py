"""What a conjunction or a disjunction says twice about one quantity: `a != 3 or a == 1` is `a != 3`, and `a >= 5 and
a >= 1` is `a >= 5`."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from .integers import Sym, first_of
from .work import charge

MOST = 16  # comparisons of one quantity that are looked at in pairs

Values = tuple[float, float, float | None]  # the least, the greatest, and one between them that is left out


def without_implied(parts: list[Any], absorbing: bool) -> list[Any] | bool:
    """The parts of a disjunction (`absorbing` is True) or of a conjunction without those that others make idle; a bool
    where two of them decide all."""
    charge(len(parts) // 2)
    groups: dict[Any, list[tuple[int, Values]]] = {}
    for number, part in enumerate(parts):
        found = _values(getattr(part, "left", None), getattr(part, "relation", ""))
        if found is not None:
            groups.setdefault(found[0], []).append((number, found[1]))
    idle: set[int] = set()
    for group in groups.values():
        if 1 < len(group) <= MOST:
            values = [each for _, each in group]
            if (_all if absorbing else _none)(values):
                return absorbing
            idle |= {group[i][0] for i in _idle(values, absorbing)}
    return [part for number, part in enumerate(parts) if number not in idle] if idle else parts


def implies(one: Any, other: Any) -> bool:
    """Whether a comparison can be seen to hold only where another one does, of the same quantity."""
    first, second = (_values(getattr(c, "left", None), getattr(c, "relation", "")) for c in (one, other))
    return first is not None and second is not None and first[0] == second[0] and _within(first[1], second[1])


def quantity(comparison: Any) -> Any:
    """What a comparison is about; the same for those that differ in the number only."""
    found = _values(comparison.left, comparison.relation)
    return None if found is None else found[0]


def _values(left: Sym | None, relation: str) -> tuple[Any, Values] | None:
    """The quantity that a comparison is about, a sum without its number, and the values for which it holds."""
    if left is None or not left.terms:
        return None
    upwards = left.terms[first_of(left.terms)] > 0
    about = frozenset(left.terms.items() if upwards else ((mono, -factor) for mono, factor in left.terms.items()))
    at = -left.const if upwards else left.const
    if relation == "==":
        return about, (at, at, None)
    if relation == "!=":
        return about, (-inf, inf, at)
    return about, (at, inf, None) if upwards else (-inf, at, None)


def _within(one: Values, other: Values) -> bool:
    """Whether all of `one` is in `other`."""
    return one[0] >= other[0] and one[1] <= other[1] and (other[2] is None or not _has(one, other[2]))


def _has(values: Values, number: float) -> bool:
    return values[0] <= number <= values[1] and number != values[2]


def _idle(values: Sequence[Values], disjunctive: bool) -> set[int]:
    """Which add nothing to another one: in a disjunction those within it, in a conjunction those around it."""
    found: set[int] = set()
    for i, one in enumerate(values):
        for j, other in enumerate(values):
            if i != j and j not in found and (_within(one, other) if disjunctive else _within(other, one)):
                found.add(i)
                break
    return found


def _all(values: Sequence[Values]) -> bool:
    """Whether two of them together have all numbers."""
    holes = [hole for _, _, hole in values if hole is not None]
    highest = max((high for low, high, _ in values if low == -inf and high < inf), default=-inf)
    lowest = min((low for low, high, _ in values if high == inf and low > -inf), default=inf)
    return any(_has(each, hole) for hole in holes for each in values) or lowest <= highest + 1


def _none(values: Sequence[Values]) -> bool:
    """Whether two of them have no number in common."""
    low, high = max(low for low, _, _ in values), min(high for _, high, _ in values)
    return low > high or (low == high and any(hole == low for _, _, hole in values))
