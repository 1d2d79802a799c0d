"""The condition on the inputs alone under which an obligation holds for all iterations and elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nkilint.symbolic import And, Compare, Cond, Opaque, Sym, Var
from nkilint.symbolic import substitute as substitute_integer
from nkilint.symbolic.conditions import at_least_zero, conjunction, substitute
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Int

from .context import Context
from .equations import QUANTIFIED
from .ladder import Ladder


@dataclass(frozen=True, slots=True)
class Precondition:
    """`exact` says that every input that reaches the event and does not meet `condition` fails the obligation;
    otherwise `condition` is only sufficient."""

    condition: Cond | bool
    exact: bool


def over_inputs(condition: Cond | bool) -> bool:
    """Whether nothing but what the caller chooses decides `condition`."""
    return all(v.kind == "input" for v in variables(condition)) and all(o.kind == "input" for o in opaques(condition))


def opaques(*conditions: Cond | bool) -> list[Opaque]:
    """The opaque facts in `conditions`."""
    found: list[Opaque] = []
    for condition in conditions:
        if isinstance(condition, Opaque):
            found.append(condition)
        elif isinstance(condition, Cond) and not isinstance(condition, Compare):
            found += opaques(*condition.parts)  # type: ignore[attr-defined]
    return found


def by_extremes(goal: Cond, context: Context, ladder: Ladder) -> Precondition | None:
    """Replace each iteration and element variable by the end of its range at which `goal` comes closest to failing."""
    if over_inputs(goal):
        return Precondition(goal, True)
    if isinstance(goal, And):
        parts = [by_extremes(part, context, ladder) for part in goal.parts]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return Precondition(conjunction(p.condition for p in known), all(p.exact for p in known))
    if not isinstance(goal, Compare) or goal.relation == "!=":
        return None
    ends = [_least(goal.left, context, ladder)]
    if goal.relation == "==":
        ends.append(_least(-goal.left, context, ladder))
    found = [end for end in ends if end is not None]
    if len(found) < len(ends):
        return None
    condition = conjunction(at_least_zero(value) for value, _ in found)
    return Precondition(condition, all(exact for _, exact in found)) if over_inputs(condition) else None


def _least(value: Sym, context: Context, ladder: Ladder) -> tuple[Int, bool] | None:
    """The least that `value` can be, over the inputs, and whether it really comes down to that."""
    least: Any = value
    chosen: list[tuple[Var, Int]] = []
    while True:
        pending = [v for v in variables(least) if v.kind != "input"]
        if not pending:
            break
        variable = max(pending)  # bounds mention only older variables
        end = _end(least, variable, context) if variable.kind in QUANTIFIED else None
        if end is None:
            return None
        chosen.append((variable, end))
        least = substitute_integer(least, {variable: end})
    return least, _attained(chosen, context, ladder)


def _end(value: Sym, variable: Var, context: Context) -> Int | None:
    """The end of the variable's range at which `value` is least, where that is clear."""
    coefficient: Any = 0
    for mono, c in value.terms.items():
        if variable in mono:
            rest = tuple(a for a in mono if a is not variable)
            if len(rest) < len(mono) - 1:
                return None
            coefficient = coefficient + (Sym({rest: c}, 0) if rest else c)
        elif variable in variables(Sym({mono: c}, 0)):
            return None
    low, high = context.ranges.of(coefficient)
    if low >= 0:
        return context.low(variable)
    return context.high(variable) if high <= 0 else None


def _attained(chosen: Sequence[tuple[Var, Int]], context: Context, ladder: Ladder) -> bool:
    """Whether the chosen ends lie within their ranges all at once and meet the facts, for each input that reaches the
    event."""
    point: dict[Any, Int] = {}
    for variable, end in reversed(chosen):
        point[variable] = substitute_integer(end, point)
    needed: list[Any] = []
    for variable in point:
        low, high = context.low(variable), context.high(variable)
        needed += [at_least_zero(point[variable] - substitute_integer(low, point))] if low is not None else []
        needed += [at_least_zero(substitute_integer(high, point) - point[variable])] if high is not None else []
    needed += [substitute(fact, point) for fact in context.bearing_on(point) if not over_inputs(fact)]
    return all(ladder.shown(condition) is not None for condition in needed)
