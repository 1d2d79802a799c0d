"""Numbers that a kernel is given, taken for sizes: that nobody passes a negative one is assumed and said, where nothing
else would be asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym

from .decision import NO_CONDITION, UNREACHED, Decision, Verdict


def as_sizes(ask: Callable[[Sequence[Cond]], Decision], about: Sequence[Any], least: int) -> Decision:
    """What `ask` decides with more facts: none, or where that asks something of inputs, that those which it is `about`
    and which may be negative are at least `least`, if then less is asked, or it cannot be said what is asked."""
    decision = ask(())
    if decision.verdict is not Verdict.CONDITIONAL and decision.reason != NO_CONDITION:
        return decision
    asked = about if decision.precondition is None else [decision.precondition]
    numbers = [
        v
        for v in variables(*asked, through_bounds=decision.precondition is None)
        if v.kind == "input" and v.bounds[0] == -inf
    ]
    given = tuple(g for g in (Sym({(v,): 1}, 0) >= least for v in numbers) if isinstance(g, Cond))
    if not given:
        return decision
    again = ask(given)
    proved = again.verdict is Verdict.PROVED and again.reason != UNREACHED
    less = again.verdict is Verdict.CONDITIONAL and again.precondition is not None and not _same(again, decision)
    unsaid = decision.precondition is None and again.verdict in (Verdict.CONDITIONAL, Verdict.UNKNOWN)
    return replace(again, given=given) if proved or less or unsaid else decision


def _same(one: Decision, other: Decision) -> bool:
    """Whether both ask the same of the inputs."""
    if one.precondition is None or other.precondition is None:
        return one.precondition is other.precondition
    return one.precondition.key == other.precondition.key
