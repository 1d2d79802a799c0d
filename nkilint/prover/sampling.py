"""Values that meet conditions, found by trying the numbers that stand in them: cheaper than z3 where it works."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import inf
from typing import Any

from nkilint.symbolic import And, Compare, Cond, FloorDiv, Opaque, Or, Sym, Var
from nkilint.symbolic.evaluation import Point, atoms_in, evaluate, holds, variables
from nkilint.symbolic.work import within

from .context import Context

NUMBERS = 12  # tried for the inputs
MOST = 16  # values remembered
TRIED = 300  # units of work for each way after the first
STEPS, FARTHEST = 24, 1 << 20  # moves of single variables, and how far they go


def met(conditions: Sequence[Cond | bool], context: Context, found: Found) -> bool:
    """Whether values that meet all `conditions`, as in `sampled`, were `found` or are found with little work."""
    return (
        sampled(conditions, context)
        or within(TRIED, lambda: found.meet(conditions, context), otherwise=False)
        or within(TRIED, lambda: moved(conditions, found), otherwise=False)
    )


def sampled(conditions: Sequence[Cond | bool], context: Context) -> bool:
    """Whether values were found that meet all `conditions`, which are rewritten and include all bounds that matter."""
    return next(meeting(conditions, context), None) is not None


def meeting(conditions: Sequence[Cond | bool], context: Context) -> Iterator[Mapping[Var, int]]:
    """Values that meet all `conditions`, as far as they are found."""
    names = sorted(variables(*conditions))
    wanted = [*divisors_not_zero(conditions), *conditions]
    truths = {c.identity: not c.negated for c in conditions if isinstance(c, Opaque)}
    try:
        for number in _numbers(conditions):
            for point in _points(names, number, context):
                if all(holds(c, point, truths) for c in wanted):
                    yield point
    except (ZeroDivisionError, KeyError):  # a divisor of zero, an opaque fact within a disjunction: left to z3
        return


def moved(conditions: Sequence[Cond | bool], found: Found) -> bool:
    """Whether values that meet all `conditions` are found from small ones, by moving one variable after the other to
    where a condition begins to hold; those are kept among the `found` ones."""
    wanted = [c for c in (*divisors_not_zero(conditions), *conditions) if isinstance(c, Cond)]
    truths = _Truths({c.identity: not c.negated for c in conditions if isinstance(c, Opaque)})
    about: dict[Var, list[Cond]] = {}
    for condition in wanted:
        for variable in variables(condition):
            about.setdefault(variable, []).append(condition)
    place = {v: _clamped(1, v) for v in sorted(about)}
    seen = set()
    try:
        failing = _failing(wanted, place, truths)
        for _ in range(STEPS):
            if not failing:
                found.keep(place, truths)
                return True
            seen.add(tuple(place.values()))
            moves: list[tuple[list[Cond], dict[Var, int]]] = []
            for variable, number in dict.fromkeys(
                chain.from_iterable(_moves(c, place, truths) for c in _compared(failing[0], place, truths))
            ):
                move = {**place, variable: number}
                if tuple(move.values()) not in seen:
                    others = [c for c in failing if variable not in variables(c)]
                    moves.append((_failing(about[variable], move, truths) + others, move))
            if not moves:
                return False
            failing, place = min(moves, key=lambda move: len(move[0]))
    except ZeroDivisionError:
        pass
    return False


class _Truths(dict[Any, bool]):
    """Truths of opaque facts, of which the others hold."""

    def __missing__(self, key: Any) -> bool:
        return True


def _failing(wanted: Sequence[Cond], place: Mapping[Var, int], truths: Mapping[Any, bool]) -> list[Cond]:
    point = Point(place, truths)
    return [condition for condition in wanted if not point.holds(condition)]


def _compared(condition: Cond, place: Mapping[Var, int], truths: Mapping[Any, bool]) -> Iterator[Compare]:
    """The comparisons that keep `condition` from holding."""
    if isinstance(condition, Compare):
        yield condition
    elif isinstance(condition, (And, Or)):
        for part in _failing(condition.parts, place, truths):
            yield from _compared(part, place, truths)


def _moves(condition: Compare, place: Mapping[Var, int], truths: Mapping[Any, bool]) -> Iterator[tuple[Var, int]]:
    """Where single variables have to be for it to hold, if it went on as it does beside them."""
    value = Point(place, truths).value(condition.left)
    for variable in variables(condition):
        here = place[variable]
        slope = Point({**place, variable: here + 1}, truths).value(condition.left) - value
        step = 1 if condition.relation == "!=" or not slope else value // -slope if slope < 0 else -(value // slope)
        to = _clamped(here + step, variable)
        if to != here and abs(to) <= FARTHEST:
            yield variable, to


class Found:
    """The values that met the last conditions asked about: those of one place often meet others of it, too."""

    def __init__(self) -> None:
        self._last: deque[tuple[Mapping[Var, int], Mapping[Any, bool]]] = deque(maxlen=MOST)

    def keep(self, numbers: Mapping[Var, int], truths: Mapping[Any, bool]) -> None:
        self._last.appendleft((numbers, truths))

    def meet(self, conditions: Sequence[Cond | bool], context: Context) -> bool:
        """Whether some of them meet all `conditions`, with variables that they lack at their lower ends."""
        names = sorted(variables(*conditions))
        wanted = [*divisors_not_zero(conditions), *conditions]
        for numbers, truths in self._last:
            base = {v: numbers[v] for v in names if v in numbers}
            try:
                found = any(_all_hold(wanted, point, truths) for point in _filled(names, base, context, False))
            except (ZeroDivisionError, KeyError):
                continue
            if found:
                return True
        return False


def divisors_not_zero(conditions: Sequence[Cond | bool]) -> list[Any]:
    """That divisors are not zero, of which nothing is said: it is asked for elsewhere."""
    return [a.divisor != 0 for a in atoms_in(conditions) if isinstance(a, FloorDiv) and isinstance(a.divisor, Sym)]


def _all_hold(conditions: Sequence[Cond | bool], numbers: Mapping[Var, int], truths: Mapping[Any, bool]) -> bool:
    point = Point(numbers, truths)
    return all(map(point.holds, conditions))


def _numbers(conditions: Sequence[Cond | bool]) -> list[int]:
    """The smallest of the numbers that occur in `conditions` and of their successors."""
    found = {1, 2}
    for condition in conditions:
        if isinstance(condition, Cond):
            for expression in condition.expressions():
                found.update((abs(expression.const), abs(expression.const) + 1))
                for mono, c in expression.terms.items():
                    found.update((abs(c), abs(c) + 1))
                    found.update(a.divisor for a in mono if isinstance(a, FloorDiv) and isinstance(a.divisor, int))
    return sorted(found - {0})[:NUMBERS]


def _points(names: Sequence[Var], number: int, context: Context) -> Iterator[Mapping[Var, int]]:
    """All inputs near `number` or only the first or all but the first, other variables at their lower or upper ends."""
    inputs = [v for v in names if v.kind == "input"]
    near = {v: _clamped(number, v) for v in inputs}
    bases = [near]
    if len(inputs) > 1:
        least = {v: _clamped(1, v) for v in inputs}
        bases += [{**near, inputs[0]: least[inputs[0]]}, {**least, inputs[0]: near[inputs[0]]}]
    for base in bases:
        yield from _filled(names, base, context, upper=False)
        if len(inputs) < len(names):
            yield from _filled(names, base, context, upper=True)


def _clamped(number: int, variable: Var) -> int:
    low, high = variable.bounds
    number = max(number, int(low)) if low > -inf else number
    return min(number, int(high)) if high < inf else number


def _filled(
    names: Sequence[Var], base: Mapping[Var, int], context: Context, upper: bool
) -> Iterator[Mapping[Var, int]]:
    point = dict(base)
    for variable in names:
        if variable in point:
            continue
        low, high = context.low(variable), context.high(variable)
        end = high if upper and high is not None else low if low is not None else high
        if isinstance(end, Sym) and any(v not in point for v in variables(end)):
            return
        number = 0 if end is None else evaluate(end, point)
        if not variable.bounds[0] <= number <= variable.bounds[1]:
            return  # the range is empty
        point[variable] = number
    yield point
