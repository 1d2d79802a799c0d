"""Preconditions guessed and then verified: the obligation has to hold at the corners of the ranges, and often that is
all there is to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from nkilint.symbolic import Compare, Cond, Sym, Var
from nkilint.symbolic.atoms import QUANTIFIED, Int
from nkilint.symbolic.conditions import at_least_zero, conjunction
from nkilint.symbolic.evaluation import over_inputs, variables
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import negation

from ..context import Context
from ..simplification import simplified
from .view import View, views

CORNERS = 8
COMPARISONS = 12  # in a goal that is looked at


def necessary(goal: Cond, context: Context, names: Iterable[Var]) -> Cond | bool:
    """A condition on the inputs that every input has to meet that reaches the event and meets `goal`; True where none
    was found."""
    if sum(1 for _ in goal.expressions()) > COMPARISONS:
        return True
    for form, view in views(goal, context, names):
        needed = [negation(failing) for failing in _failing(form, view) if failing is not False]
        if needed:
            condition = view.context.in_source_terms(conjunction(needed))
            found: Cond | bool = simplified(condition, view.context)
            return found
    return True


def _failing(goal: Cond, view: View) -> Iterator[Cond | bool]:
    """For each corner, the inputs for which it lies within the ranges, meets the facts and fails `goal`."""
    facts = [f for f in view.bearing_on(variables(goal)) if isinstance(f, Cond) and not over_inputs(f)]
    names = sorted(v for v in variables(goal, *facts) if v.kind != "input")
    if any(v.kind not in QUANTIFIED for v in names):
        return
    for point in _corners(names, facts, view):
        wanted: list[Any] = [substitute(negation(goal), point), *(substitute(fact, point) for fact in facts)]
        for variable, value in point.items():
            low, high = view.low(variable), view.high(variable)
            wanted += [] if low is None else [at_least_zero(value - substitute(low, point))]
            wanted += [] if high is None else [at_least_zero(substitute(high, point) - value)]
        condition = conjunction(wanted)
        if over_inputs(condition):
            yield simplified(condition, view.context)


def _corners(names: list[Var], facts: list[Cond], view: View) -> Iterator[Mapping[Any, Int]]:
    """All variables at their lower ends, at their upper ends, and one of them at the other end."""
    sides = [dict.fromkeys(names, 0), dict.fromkeys(names, 1)]
    sides += [{**sides[0], v: 1} for v in names] + [{**sides[1], v: 0} for v in names]
    for chosen in sides[:CORNERS]:
        point: dict[Any, Int] = {}
        for variable in names:
            end = _end(variable, chosen[variable], point, facts, view)
            if end is None:
                break
            point[variable] = end
        else:
            yield point


def _end(variable: Var, side: int, point: Mapping[Any, Int], facts: list[Cond], view: View) -> Int | None:
    """The end of the variable's range once the variables of `point` are fixed: what a fact says of it (`b > a`), or
    else its own."""
    for fact in facts:
        if isinstance(fact, Compare) and fact.relation == ">=":
            weight = fact.left.terms.get((variable,))
            if weight == 1 - 2 * side:
                rest: Int = substitute(fact.left - Sym({(variable,): weight}, 0), point)
                if over_inputs(rest):
                    return -rest if side == 0 else rest
    own = view.high(variable) if side else view.low(variable)
    return None if own is None else substitute(own, point)
