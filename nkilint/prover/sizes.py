"""Numbers that a kernel is given, taken for sizes: that nobody passes a negative one is assumed and said, where nothing
else would be asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import Compare, Cond, leaves
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym

from .decision import NO_CONDITION, UNREACHED, Decision, Verdict


def as_sizes(
    ask: Callable[[Sequence[Cond]], Decision], about: Sequence[Any], least: int, stated: Sequence[Cond] = ()
) -> Decision:
    """What `ask` decides with more facts: none, or where that asks something of inputs, that those which it is `about`
    and which may be negative are at least `least`, if then less is asked, or it cannot be said what is asked. What is
    `stated` may say that some are negative."""
    decision = ask(())
    if decision.verdict is not Verdict.CONDITIONAL and decision.reason != NO_CONDITION:
        return decision
    asked = about if decision.precondition is None else [decision.precondition]
    named = variables(*asked, through_bounds=decision.precondition is None)
    numbers = [v for v in named if v.kind == "input" and v.bounds[0] == -inf]
    below = {v for c in leaves(stated) if numbers and isinstance(c, Compare) for v in _let_below_zero(c)}
    numbers = [v for v in numbers if v not in below]
    given = tuple(g for g in (Sym({(v,): 1}, 0) >= least for v in numbers) if isinstance(g, Cond))
    if not given:
        return decision
    again = ask(given)
    proved = again.verdict is Verdict.PROVED and again.reason != UNREACHED
    less = again.verdict is Verdict.CONDITIONAL and again.precondition is not None and not _same(again, decision)
    unsaid = decision.precondition is None and again.verdict in (Verdict.CONDITIONAL, Verdict.UNKNOWN)
    return replace(again, given=given) if proved or less or unsaid else decision


def _let_below_zero(condition: Compare) -> Iterator[Var]:
    """The numbers of which it says how far below zero they go at most: `n >= -20`, `n >= -columns`."""
    terms = condition.left.terms
    alone = [v for (v, *others), factor in terms.items() if factor == 1 and not others and isinstance(v, Var)]
    for number in alone if condition.relation == ">=" and condition.left.const >= 0 else ():
        rest = [(product, factor) for product, factor in terms.items() if product != (number,)]
        positive = all(factor > 0 and all(a.bounds[0] >= 0 for a in product) for product, factor in rest)
        if positive and (rest or condition.left.const > 0):
            yield number


def _same(one: Decision, other: Decision) -> bool:
    """Whether both ask the same of the inputs."""
    if one.precondition is None or other.precondition is None:
        return one.precondition is other.precondition
    return one.precondition.key == other.precondition.key
