"""What no caller chooses: whether anything else has a part in conditions, and what of it does."""

from __future__ import annotations

from collections.abc import Sequence

from nkilint.symbolic import Cond
from nkilint.symbolic.atoms import UNKNOWABLE
from nkilint.symbolic.evaluation import choosing, opaques, variables

from .context import Context, linked


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
