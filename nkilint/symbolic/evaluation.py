"""Symbolic integers and conditions evaluated on numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .atoms import Atom, Int, Ite, Var
from .conditions import And, Compare, Cond, Opaque, Or, opaque_parts
from .integers import Sym
from .operators import OPERATORS


def evaluate(value: Int, numbers: Mapping[Var, int], opaque: Mapping[str, bool] | None = None) -> int:
    """`value` where each variable has the number given; `KeyError` for a variable without one."""
    if isinstance(value, int):
        return value
    total = value.const
    for mono, coefficient in value.terms.items():
        term = coefficient
        for atom in mono:
            term *= _atom(atom, numbers, opaque)
        total += term
    return total


def _atom(atom: Atom, numbers: Mapping[Var, int], opaque: Mapping[str, bool] | None) -> int:
    if isinstance(atom, Var):
        return numbers[atom]
    if isinstance(atom, Ite):
        return evaluate(atom.then if holds(atom.condition, numbers, opaque) else atom.otherwise, numbers, opaque)
    left, right = atom.operands
    return OPERATORS[atom.operator].ints(evaluate(left, numbers, opaque), evaluate(right, numbers, opaque))


def holds(condition: Cond | bool, numbers: Mapping[Var, int], opaque: Mapping[str, bool] | None = None) -> bool:
    """Whether `condition` is true for those numbers and those truths of opaque facts."""
    if isinstance(condition, bool):
        return condition
    if isinstance(condition, Compare):
        value = evaluate(condition.left, numbers, opaque)
        return value >= 0 if condition.relation == ">=" else (value == 0) == (condition.relation == "==")
    if isinstance(condition, And):
        return all(holds(part, numbers, opaque) for part in condition.parts)
    if isinstance(condition, Or):
        return any(holds(part, numbers, opaque) for part in condition.parts)
    assert isinstance(condition, Opaque)
    return (opaque or {})[condition.name] != condition.negated


def variables(*values: Sym | int | Cond | bool, through_bounds: bool = False) -> dict[Var, None]:
    """The variables in `values`, in order of first appearance; with `through_bounds` also those that their bounds
    mention, before them."""
    found: dict[Var, None] = {}
    seen: set[Atom] = set()
    for value in values:
        _collect(value, found, seen, through_bounds)
    return found


def _collect(value: object, found: dict[Var, None], seen: set[Atom], through_bounds: bool) -> None:
    if isinstance(value, Cond):
        for expression in value.expressions():
            _collect(expression, found, seen, through_bounds)
    elif isinstance(value, Sym):
        for mono in value.terms:
            for atom in mono:
                if atom not in seen:
                    seen.add(atom)
                    is_variable = isinstance(atom, Var)
                    if through_bounds or not is_variable:
                        for child in atom.children():
                            _collect(child, found, seen, through_bounds)
                    if is_variable:
                        found[atom] = None  # type: ignore[index]


def has_more_nodes(condition: Cond, most: int) -> bool:
    """Whether `condition` is built of more than so many atoms, each counted as often as it stands there."""
    count, stack = 0, list(condition.expressions())
    while stack and count <= most:
        atoms = list(stack.pop().atoms())
        count += len(atoms)
        for atom in atoms:
            if not isinstance(atom, Var):
                stack.extend(atom.children())
    return count > most


def over_inputs(*values: Any) -> bool:
    """Whether nothing but what the caller chooses decides `values`."""
    kinds = [v.kind for v in variables(*values)] + [o.kind for o in opaques(*values)]
    return all(kind == "input" for kind in kinds)


def opaques(*values: Any) -> list[Opaque]:
    """The opaque facts in `values`."""
    return [part for value in values if isinstance(value, Cond) for part in opaque_parts(value)]


def coefficient(value: Sym, variable: Var) -> Int | None:
    """What `variable` is multiplied by in `value`; None where it occurs in any other way."""
    total: Any = 0
    for mono, c in value.terms.items():
        if variable in mono:
            rest = tuple(a for a in mono if a is not variable)
            if len(rest) < len(mono) - 1:
                return None
            total = total + (Sym({rest: c}, 0) if rest else c)
        if variable in variables(*(child for a in mono if not isinstance(a, Var) for child in a.children())):
            return None
    result: Int = total
    return result
