"""Findings that say the same of one place become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from nkilint.base.findings import Diagnostic, Related, conditioned, unconditioned
from nkilint.base.ir import Span
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint_rules.words.conditions import all_of
from nkilint_rules.words.records import dataclass

Simplified = Callable[[list[Cond]], list[Cond]]


@dataclass(frozen=True, slots=True)
class Conditional:
    """A finding with the precondition that its message gives, if there is one in closed form."""

    finding: Diagnostic
    condition: Cond | None
    exact: bool


def merged(found: Sequence[Conditional], simplified: Simplified) -> list[Diagnostic]:
    """The findings; those of one rule at one place that differ in nothing but the precondition, and these speak of the
    same inputs, are one that has all."""
    groups: dict[Any, list[Conditional]] = {}
    for each in found:
        about = None if each.condition is None else frozenset(variables(each.condition))
        groups.setdefault((each.finding.code, each.finding.at, unconditioned(each.finding), about), []).append(each)
    return [group[0].finding if len(group) == 1 else _as_one(group, simplified) for group in groups.values()]


def _as_one(group: Sequence[Conditional], simplified: Simplified) -> Diagnostic:
    first = group[0].finding
    condition = all_of(simplified([each.condition for each in group if each.condition is not None]))
    if not isinstance(condition, Cond):
        return first
    related: dict[Related, None] = dict.fromkeys(r for each in group for r in each.finding.related)
    message = conditioned(unconditioned(first), str(condition), all(each.exact for each in group))
    return replace(first, message=message, precondition=str(condition), related=tuple(related))


def told_once(found: list[Diagnostic]) -> list[Diagnostic]:
    """One violation per place and rule, which says more than conditions; each condition of a place once."""
    violated = {(d.code, d.at) for d in found if d.verdict != "conditional"}
    best: dict[tuple[str, Span, str | None], Diagnostic] = {}
    for finding in found:
        if not (finding.verdict == "conditional" and (finding.code, finding.at) in violated):
            best.setdefault((finding.code, finding.at, finding.precondition), finding)
    return list(best.values())
