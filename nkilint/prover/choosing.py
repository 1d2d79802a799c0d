"""Goals case by case, where inputs have few values or choose between parts of a goal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nkilint.symbolic import Cond, Sym
from nkilint.symbolic.atoms import Ite
from nkilint.symbolic.conditions import equal_zero
from nkilint.symbolic.evaluation import atoms_in, over_inputs, variables
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.conditions import negation

from .context import Context
from .elimination import has_few_values, values_of


def cases_of_inputs(goal: Cond | bool, context: Context) -> Iterator[tuple[Any, Any]]:
    """The goal for each value of an input that has few, or for each outcome of a choice that inputs make in it: what
    makes the case, and the goal there."""
    few = next((v for v in variables(goal, through_bounds=True) if v.kind == "input" and has_few_values(v)), None)
    if few is not None and few not in context.rewriting:
        itself = Sym({(few,): 1}, 0)
        yield from ((equal_zero(itself - number), goal) for number in values_of(few))
        return
    choice = next((a for a in atoms_in([goal]) if isinstance(a, Ite) and over_inputs(a.condition)), None)
    if choice is not None:
        yield choice.condition, substitute(goal, {choice: choice.then})
        yield negation(choice.condition), substitute(goal, {choice: choice.otherwise})
