"""Conditions brought into the form a person would write: without what is known, what alternatives share in front."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf
from typing import Any

from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.conditions import And, Compare, Cond, Or, conjunction, disjunction
from nkilint.symbolic.integers import Sym, key_of

Shown = Callable[[Any], bool]


def simplified(condition: Any, shown: Shown) -> Any:
    """`condition` without the parts that hold, or fail, wherever the question is asked."""
    if isinstance(condition, And):
        parts = [simplified(part, shown) for part in condition.parts]
        keys = {part.key for part in parts if isinstance(part, Cond)}
        if any(isinstance(part, Compare) and getattr(~part, "key", None) in keys for part in parts):
            return False
        return conjunction(parts)
    if isinstance(condition, Or):
        return True if shown(condition) else factored([simplified(part, shown) for part in condition.parts])
    if isinstance(condition, Cond):
        if shown(condition):
            return True
        if shown(~condition):
            return False
    return condition


def factored(alternatives: Sequence[Any]) -> Any:
    """The disjunction of `alternatives`, with what all of them ask for in front of it."""
    if any(a is True for a in alternatives):
        return True
    parts = [{p.key: p for p in leaves([a])} for a in alternatives if a is not False]
    numbered = list(enumerate(parts))
    parts = [one for n, one in numbered if not any(_says_more(other, one, m < n) for m, other in numbered)]
    if not parts:
        return False
    shared = [key for key in parts[0] if all(key in other for other in parts[1:])]
    rest = _united([[p for key, p in one.items() if key not in shared] for one in parts])
    return conjunction([*(parts[0][key] for key in shared), rest])


def _says_more(other: dict[Any, Any], one: dict[Any, Any], first: bool) -> bool:
    """Whether the alternative `other` holds wherever `one` does."""
    return other is not one and other.keys() <= one.keys() and (first or other.keys() != one.keys())


def _united(alternatives: list[list[Any]]) -> Any:
    """The disjunction of `alternatives`; ranges of one value that follow one another become one range."""
    ranges = [_range(one) for one in alternatives]
    found = [r for r in ranges if r is not None]
    if len(found) == len(ranges) and len({key_of(value) for value, _, _ in found}) == 1:
        value = found[0][0]
        ends: list[tuple[float, float]] = []
        for _, low, high in sorted(found, key=lambda r: r[1:]):
            if ends and low <= ends[-1][1] + 1:
                ends[-1] = ends[-1][0], max(ends[-1][1], high)
            else:
                ends.append((low, high))
        return disjunction(conjunction(_within(value, low, high)) for low, high in ends)
    return disjunction(conjunction(one) for one in alternatives)


def _range(parts: list[Any]) -> tuple[Sym, float, float] | None:
    """The value of which `parts` give the range, with its ends."""
    value: Sym | None = None
    low, high = -inf, inf
    for part in parts:
        if not isinstance(part, Compare) or part.relation != ">=":
            return None
        up = next(iter(part.left.terms.values())) > 0
        this = Sym(part.left.terms if up else {m: -c for m, c in part.left.terms.items()}, 0)
        if value is not None and value.key != this.key:
            return None
        value = this
        low, high = (max(low, -part.left.const), high) if up else (low, min(high, part.left.const))
    if value is None:
        return None
    first, last = bounds(value)
    return value, max(low, first), min(high, last)


def _within(value: Sym, low: float, high: float) -> Iterator[Any]:
    if low > -inf:
        yield value >= int(low)
    if high < inf:
        yield value <= int(high)


def leaves(conditions: Sequence[Any]) -> list[Any]:
    flat: list[Any] = []
    for condition in conditions:
        flat += leaves(condition.parts) if isinstance(condition, And) else [condition]
    return flat
