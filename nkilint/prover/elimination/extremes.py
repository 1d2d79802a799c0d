"""Iteration and element variables eliminated from a comparison: what is left of it holds for all their values.

Here by extremes: each variable takes the end of its range at which the comparison comes closest to failing. That is
exact where the point exists and meets the facts; where it does not, `dense_sums` may know more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.symbolic import Compare, Cond, Sym, Var
from nkilint.symbolic.atoms import QUANTIFIED, Int
from nkilint.symbolic.conditions import at_least_zero, conjunction
from nkilint.symbolic.evaluation import coefficient, over_inputs, variables
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.records import dataclass

from . import dense_sums
from .view import View


@dataclass(frozen=True, slots=True)
class Precondition:
    """`exact` says that every input that reaches the event and does not meet `condition` fails the obligation;
    otherwise `condition` is only sufficient."""

    condition: Cond | bool
    exact: bool


def eliminate(goal: Compare, view: View) -> Precondition | None:
    """The condition on the inputs under which `goal` holds for all iterations and elements."""
    found = _by_extremes(goal, view)
    if found is None or not found.exact:
        condition = dense_sums.condition(goal, view)
        if condition is not None:
            return Precondition(condition, True)
        return _from_fact(goal, view) or found
    return found


def _from_fact(goal: Compare, view: View) -> Precondition | None:
    """What makes a fact such as a mask imply `goal`: of `row < M` that `M` is no more than the size of the tensor."""
    if goal.relation != ">=":
        return None
    for fact in view.facts:
        if isinstance(fact, Compare) and fact.relation == ">=" and not over_inputs(fact):
            wanted = goal.left - fact.left
            if isinstance(wanted, Sym) and over_inputs(wanted):
                return Precondition(at_least_zero(wanted), False)
    return None


def _by_extremes(goal: Compare, view: View) -> Precondition | None:
    if goal.relation == "!=":
        return None
    signed = [goal.left, -goal.left] if goal.relation == "==" else [goal.left]
    ends = [end for value in signed for end in [_least(value, view)] if end is not None]
    if len(ends) < len(signed):
        return None
    return Precondition(conjunction(at_least_zero(value) for value, _ in ends), all(exact for _, exact in ends))


def _least(value: Sym, view: View) -> tuple[Int, bool] | None:
    """The least that `value` can be, over the inputs, and whether it really comes down to that."""
    least: Any = value
    chosen: list[tuple[Var, Int]] = []
    while True:
        pending = [v for v in variables(least) if v.kind != "input"]
        if not pending:
            return least, _attained(chosen, view)
        assert isinstance(least, Sym)
        variable = max(pending)  # bounds mention only older variables
        end = _end(least, variable, view) if variable.kind in QUANTIFIED else None
        if end is None:
            return None
        chosen.append((variable, end))
        least = substitute(least, {variable: end})


def _end(value: Sym, variable: Var, view: View) -> Int | None:
    """The end of the variable's range at which `value` is least, where that is clear."""
    split = coefficient(value, variable)
    if split is None:
        return None
    low, high = view.range_of(split)
    if low >= 0:
        return view.low(variable)
    return view.high(variable) if high <= 0 else None


def _attained(chosen: Sequence[tuple[Var, Int]], view: View) -> bool:
    """Whether the chosen ends lie within their ranges all at once and meet the facts, for each input that reaches the
    event."""
    point: dict[Any, Int] = {}
    for variable, end in reversed(chosen):
        point[variable] = substitute(end, point)
    needed: list[Any] = []
    for variable in point:
        low, high = view.low(variable), view.high(variable)
        needed += [at_least_zero(point[variable] - substitute(low, point))] if low is not None else []
        needed += [at_least_zero(substitute(high, point) - point[variable])] if high is not None else []
    facts = [fact for fact in view.bearing_on(point) if not isinstance(fact, bool) and not over_inputs(fact)]
    needed += [substitute(fact, point) for fact in facts]
    return all(view.holds(condition) for condition in needed)
