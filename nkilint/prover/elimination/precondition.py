"""The condition on the inputs alone under which an obligation holds for all iterations and elements."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nkilint.symbolic import And, Compare, Cond, Or, Var
from nkilint.symbolic.conditions import conjunction, disjunction
from nkilint.symbolic.evaluation import over_inputs

from ..context import Context
from ..simplification import simplified
from .extremes import Precondition, eliminate
from .view import View, views


def precondition(goal: Cond, context: Context, names: Iterable[Var]) -> Precondition | None:
    """The weakest condition that could be derived, in its shortest form; `goal` is in the names of the source. The
    ranges of `names` are not empty where it has to hold."""
    found: list[Precondition] = []
    for form, view in views(goal, context, names):
        result = _derive(form, view)
        if result is not None:
            condition = view.context.in_source_terms(result.condition)
            found.append(Precondition(simplified(condition, view.context), result.exact))
    return min(found, key=lambda p: (not p.exact, len(str(p.condition)), str(p.condition)), default=None)


def _derive(goal: Cond | bool, view: View) -> Precondition | None:
    if isinstance(goal, bool) or over_inputs(goal):
        return Precondition(goal, True)
    if isinstance(goal, And):
        return _joined([_derive(part, view) for part in goal.parts], conjunction)
    if isinstance(goal, Or):
        inputs = [part for part in goal.parts if over_inputs(part)]
        others = [part for part in goal.parts if not over_inputs(part)]
        if len(others) > 1:
            return None
        return _joined([_derive(others[0], view), *(Precondition(part, True) for part in inputs)], disjunction)
    return eliminate(goal, view) if isinstance(goal, Compare) else None


def _joined(parts: list[Precondition | None], join: Any) -> Precondition | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return Precondition(join(p.condition for p in known), all(p.exact for p in known))
