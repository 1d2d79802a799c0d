"""What each operator means: for Python ints, for intervals and for z3 terms, in one table."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from nkilint_rules.words.records import dataclass

Interval = tuple[float, float]  # of ints, both ends inclusive; infinite where unbounded


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator in three readings; `z3` takes terms of z3's integers."""

    ints: Callable[[int, int], int]
    intervals: Callable[[Interval, Interval], Interval]
    z3: Callable[[Any, Any], Any]


def times(x: float, y: float) -> float:
    """The product of two ends of intervals: nothing of infinitely many is nothing."""
    if x == 0 or y == 0:
        return 0
    if x in (inf, -inf) or y in (inf, -inf):  # the other one may be too large for a float
        return inf if (x > 0) == (y > 0) else -inf
    return x * y


def _floor(x: float, d: float) -> float:
    if x in (inf, -inf):
        return x
    if d == inf:
        return 0 if x >= 0 else -1
    return x // d


def _products(a: Interval, b: Interval) -> Interval:
    (low, high), (least, most) = a, b
    if low >= 0 and least >= 0:
        return times(low, least), times(high, most)
    ends = times(low, least), times(low, most), times(high, least), times(high, most)
    return min(ends), max(ends)


def _quotients(a: Interval, b: Interval) -> Interval:
    if min(b) < 1:  # the higher end, too: the range may be empty
        return -inf, inf
    ends = [_floor(x, d) for x in a for d in b]
    return min(ends), max(ends)


def _z3_choice(smaller: bool) -> Callable[[Any, Any], Any]:
    def choose(a: Any, b: Any) -> Any:
        import z3  # takes long: many a run needs no solver

        return z3.If(a <= b, a, b) if smaller else z3.If(a >= b, a, b)

    return choose


OPERATORS: dict[str, Operator] = {
    "+": Operator(lambda a, b: a + b, lambda a, b: (a[0] + b[0], a[1] + b[1]), lambda a, b: a + b),
    "*": Operator(lambda a, b: a * b, _products, lambda a, b: a * b),
    # Python and z3 agree on division for positive divisors only: others are spelled out where z3 is asked.
    "//": Operator(lambda a, b: a // b, _quotients, lambda a, b: a / b),
    "min": Operator(min, lambda a, b: (min(a[0], b[0]), min(a[1], b[1])), _z3_choice(True)),
    "max": Operator(max, lambda a, b: (max(a[0], b[0]), max(a[1], b[1])), _z3_choice(False)),
}
