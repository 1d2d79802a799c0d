"""What no caller chooses: whether anything else has a part in conditions, and what of it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from nkilint.symbolic import Cond
from nkilint.symbolic.atoms import UNKNOWABLE
from nkilint.symbolic.conditions import Opaque, opaque_parts, with_leaves
from nkilint.symbolic.evaluation import choosing, opaques, variables

from .context import Context, linked
from .decision import Decision, Verdict

Decided = Callable[[Any, Sequence["Cond | bool"]], Decision]


def without_choice(conditions: Sequence[Cond | bool]) -> bool:
    """Whether no choice of the caller has a part in `conditions`."""
    every = choosing(conditions)
    return not opaques(*every) and not any(v.kind == "input" for v in variables(*every))


def unknowable(goal: Cond, context: Context) -> str:
    """The values no caller chooses that have a part in `goal`, or in which of its iterations and elements occur."""
    start = [v for v in variables(goal) if v.kind != "input"]
    related = [goal, *linked(start, context.linkable, context.domain, lambda v: v.kind != "input")]
    names = [v.told for v in variables(*related) if v.kind in UNKNOWABLE]
    names += [f"`{o.name}`" for o in opaques(*related) if o.kind != "input"]
    return ", ".join(dict.fromkeys(names))


def fails_anyway(goal: Cond | bool, facts: Sequence[Cond | bool], decided: Decided) -> Decision | None:
    """The decision on a goal that fails for some inputs, whatever is true of what no caller chooses."""
    known, weakest = [_with_all(fact, False) for fact in facts], _with_all(goal, True)
    if weakest is True or False in known or any(o.kind != "input" for o in opaques(*choosing([weakest, *known]))):
        return None
    found = decided(weakest, known)
    if found.verdict in (Verdict.PROVED, Verdict.UNKNOWN):
        return None
    all_get_there = all(c is fact for c, fact in zip(known, facts, strict=True))
    if found.verdict is Verdict.VIOLATED and all_get_there:
        return replace(found, anyway=True)
    surely, needed = decided(_with_all(goal, False), facts).precondition, found.precondition
    exact = all_get_there and found.exact and surely is not None is not needed and surely.key == needed.key
    return replace(found, verdict=Verdict.CONDITIONAL, precondition=surely, exact=exact, anyway=True)


def _with_all(condition: Any, truth: bool) -> Any:
    """A condition with one truth for each fact in it that no caller chooses: what is left at least, or at most."""
    if not isinstance(condition, Cond) or not opaque_parts(condition):
        return condition
    return with_leaves(condition, lambda c: truth if isinstance(c, Opaque) and c.kind != "input" else c)
