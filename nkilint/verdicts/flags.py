"""Truth values that a counterexample hangs on: what parameters are, of which nothing but their truth is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from nkilint.evaluator.state.trace import Obligation
from nkilint.symbolic.atoms import Atom, Int, Ite, Var
from nkilint.symbolic.conditions import COMPARISONS, And, Compare, Cond, Opaque, Or
from nkilint.symbolic.evaluation import opaques
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute

MOST = 6  # flags of which all cases are tried

Flags = Mapping[str, bool]
NO_FLAGS: Flags = {}


def flags_of(obligation: Obligation, model: Mapping[Var, int]) -> Flags:
    """The first truth values, in order of their names, under which a counterexample is one; empty where none tells."""
    conditions = (obligation.goal, *obligation.site.conditions())
    names = sorted({name for condition in conditions for name in _names(condition)})
    values: dict[Atom, Int] = dict(model.items()) if names else {}
    goal, *facts = (substitute(condition, values) for condition in conditions)
    for case in product((False, True), repeat=len(names)) if 0 < len(names) <= MOST else ():
        flags = dict(zip(names, case, strict=True))
        if holds(goal, flags) is not True and not any(holds(fact, flags) is False for fact in facts):
            return flags
    return {}


def _names(value: Any) -> Iterator[str]:
    """The flags in a condition, and in the numbers that it compares."""
    yield from (o.name for o in opaques(value) if o.kind == "input")
    for number in value.expressions() if isinstance(value, Cond) else ():
        for atom in number.atoms():
            if isinstance(atom, Ite):
                yield from _names(atom.condition)


def holds(condition: Any, flags: Flags) -> bool | None:
    """What is left of a condition under flags: true, false, or None where it hangs on more."""
    if isinstance(condition, bool):
        return condition
    if isinstance(condition, Opaque):
        known = flags.get(condition.name)
        return None if known is None else known != condition.negated
    if isinstance(condition, Compare):
        left = chosen(condition.left, flags)
        known = COMPARISONS[condition.relation](left) if isinstance(left, int) else None
        return known if isinstance(known, bool) else None
    if isinstance(condition, (And, Or)):
        parts = [holds(part, flags) for part in condition.parts]
        deciding = isinstance(condition, Or)
        return deciding if deciding in parts else None if None in parts else not deciding
    return None


def chosen(value: Any, flags: Flags) -> Any:
    """A number as it is under flags."""
    while flags and isinstance(value, Sym):
        decided = {a: holds(a.condition, flags) for a in value.atoms() if isinstance(a, Ite)}
        sides: dict[Atom, Int] = {a: a.then if then else a.otherwise for a, then in decided.items() if then is not None}
        if not sides:
            break
        value = substitute(value, sides)
    return value
