"""Truth values that a counterexample hangs on: what parameters are, of which nothing but their truth is known, and
which dtypes tensors have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from nkilint.evaluator.state.trace import Obligation
from nkilint.evaluator.values.dtypes import holds_of, read_fact, sources_of
from nkilint.symbolic.atoms import Atom, Int, Ite, Var
from nkilint.symbolic.conditions import COMPARISONS, Compare, Cond, Opaque, truth_by
from nkilint.symbolic.evaluation import atoms_in, opaques
from nkilint.symbolic.integers import Sym
from nkilint.symbolic.substitution import substitute
from nkilint_rules.words.dtypes import DTYPES

MOST = 6  # flags of which all cases are tried
TOGETHER = 2  # inputs of which all dtypes are tried

Flags = Mapping[str, bool]
NO_FLAGS: Flags = {}


def flags_of(obligation: Obligation, model: Mapping[Var, int]) -> Flags:
    """The first truth values, in order of their names, under which a counterexample is one; empty where none tells."""
    conditions = (obligation.goal, *obligation.site.conditions(), *_in_range(model))
    found = sorted({name for condition in conditions for name in _names(condition)})
    names = [name for kind, name in found if kind == "input" or len(found) <= MOST]
    values: dict[Atom, Int] = dict(model.items()) if names else {}
    goal, *facts = (substitute(condition, values) for condition in conditions)
    for case in product((False, True), repeat=len(names)) if 0 < len(names) <= MOST else ():
        flags = dict(zip(names, case, strict=True))
        fails = holds(goal, flags) is not True and not any(holds(fact, flags) is False for fact in facts)
        if fails and _agree(flags):
            return flags
    return {}


def _in_range(model: Mapping[Var, int]) -> Iterator[Cond]:
    """That the elements and iterations of a counterexample are such, where how many there are hangs on something."""
    for variable in model:
        own = Sym({(variable,): 1}, 0)
        low, high = variable.low, variable.high
        asked = [own - low >= 0 if isinstance(low, Sym) else True, high - own >= 0 if isinstance(high, Sym) else True]
        yield from (c for c in asked if isinstance(c, Cond))


def _agree(flags: Flags) -> bool:
    """Whether there are dtypes for inputs of which all facts that speak of them together are so."""
    left = {name: frozenset(sources_of(name)) for name in flags if _is_of_dtypes(name)}
    while left:
        told, sources = [], left[next(iter(left))]
        while near := [name for name, its in left.items() if its & sources]:
            told += near
            sources = sources.union(*(left.pop(name) for name in near))
        ways = product(DTYPES.values(), repeat=len(sources)) if len(sources) <= TOGETHER else ()
        chosen = [dict(zip(sources, way, strict=True)) for way in ways]
        if chosen and not any(all(holds_of(n, c) in (flags[n], None) for n in told) for c in chosen):
            return False
    return True


def _is_of_dtypes(name: str) -> bool:
    sides, admitted = read_fact(name)
    return bool(sources_of(name)) and bool(admitted or len(sides) > 1)


def _names(value: Any) -> Iterator[tuple[str, str]]:
    """The flags in a condition, and in the numbers that it compares, with their kinds."""
    waiting, seen = [value], set[int]()
    while waiting:
        here = waiting.pop()
        if id(here) in seen or not isinstance(here, (Cond, Sym)):
            continue
        seen.add(id(here))
        if isinstance(here, Cond):
            yield from ((o.kind, o.name) for o in opaques(here) if o.kind in ("input", "dtype"))
            waiting += here.expressions()
        else:
            choices = [atom for atom in atoms_in([here]) if isinstance(atom, Ite)]
            waiting += (part for atom in choices for part in (atom.condition, atom.then, atom.otherwise))


def holds(condition: Any, flags: Flags) -> bool | None:
    """What is left of a condition under flags: true, false, or None where it hangs on more."""

    def known(part: Any) -> bool | None:
        if isinstance(part, Opaque):
            truth = flags.get(part.name)
            return None if truth is None else truth != part.negated
        left = chosen(part.left, flags) if isinstance(part, Compare) else None
        found = COMPARISONS[part.relation](left) if isinstance(left, int) else part
        return found if isinstance(found, bool) else None

    return truth_by(condition, known)


def chosen(value: Any, flags: Flags) -> Any:
    """A number as it is under flags."""
    while flags and isinstance(value, Sym):
        decided = {a: holds(a.condition, flags) for a in atoms_in([value]) if isinstance(a, Ite)}
        sides: dict[Atom, Int] = {a: a.then if then else a.otherwise for a, then in decided.items() if then is not None}
        if not sides:
            break
        value = substitute(value, sides)
    return value
