"""Symbolic integers and conditions evaluated on numbers, and what they are built of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from .atoms import Atom, Int, Ite, Power, Var
from .conditions import And, Compare, Cond, Opaque, Or, opaque_parts
from .integers import Sym
from .operators import OPERATORS
from .work import charge


def evaluate(value: Int, numbers: Mapping[Var, int], opaque: Mapping[Any, bool] | None = None) -> int:
    """`value` where each variable has the number given; `KeyError` for a variable without one."""
    return Point(numbers, opaque).value(value)


def holds(condition: Cond | bool, numbers: Mapping[Var, int], opaque: Mapping[Any, bool] | None = None) -> bool:
    """Whether `condition` is true for those numbers and those truths of opaque facts."""
    return Point(numbers, opaque).holds(condition)


class Point:
    """Numbers for variables and truths for opaque facts, and the values that atoms have there, each computed once."""

    def __init__(self, numbers: Mapping[Var, int], opaque: Mapping[Any, bool] | None = None) -> None:
        self.numbers, self.opaque = numbers, {} if opaque is None else opaque
        self._atoms: dict[Atom, int] = {}

    def value(self, value: Int) -> int:
        """What an integer is here."""
        if isinstance(value, int):
            return value
        total = value.const
        for mono, coefficient in value.terms.items():
            term = coefficient
            for atom in mono:
                term *= self.numbers[atom] if isinstance(atom, Var) else self._atom(atom)
            total += term
        return total

    def _atom(self, atom: Atom) -> int:
        known = self._atoms.get(atom)
        if known is None:
            charge(1)
            if isinstance(atom, Ite):
                known = self.value(atom.then if self.holds(atom.condition) else atom.otherwise)
            elif isinstance(atom, Power):
                known = atom.number(self.value(atom.exponent))
            else:
                left, right = atom.operands
                known = OPERATORS[atom.operator].ints(self.value(left), self.value(right))
            self._atoms[atom] = known
        return known

    def holds(self, condition: Cond | bool) -> bool:
        """Whether `condition` is true here."""
        if isinstance(condition, bool):
            return condition
        charge(1)
        if isinstance(condition, Compare):
            value = self.value(condition.left)
            return value >= 0 if condition.relation == ">=" else (value == 0) == (condition.relation == "==")
        if isinstance(condition, And):
            return all(self.holds(part) for part in condition.parts)
        if isinstance(condition, Or):
            return any(self.holds(part) for part in condition.parts)
        assert isinstance(condition, Opaque)
        return self.opaque[condition.identity] != condition.negated


Variables = Mapping[Var, None]
_NONE: Variables = {}


def variables(*values: Any, through_bounds: bool = False) -> Variables:
    """The variables in `values`, in order of first appearance; with `through_bounds` also those that their bounds
    mention, before them."""
    if through_bounds:
        found: dict[Var, None] = {}
        for variable in chain.from_iterable(map(_variables, values)):
            _add_with_bounds(variable, found)
        return found
    return _variables(values[0]) if len(values) == 1 else _union(list(map(_variables, values)))


def _union(parts: list[Variables]) -> Variables:
    """What is in any of them: the first one itself where there is nothing else."""
    if not parts:
        return _NONE
    found = dict.fromkeys(chain.from_iterable(parts)) if len(parts) > 1 else parts[0]
    return parts[0] if len(found) == len(parts[0]) else found


def _add_with_bounds(variable: Var, found: dict[Var, None]) -> None:
    if variable not in found:
        for end in (variable.low, variable.high):
            for other in _variables(end):
                _add_with_bounds(other, found)
        found[variable] = None


def _variables(value: Any) -> Variables:
    if type(value) is not Sym and not isinstance(value, Cond):
        return _NONE
    known: Variables | None = value._variables
    if known is None:
        charge(1)
        if isinstance(value, Sym):
            parts = [_variables_of_atom(atom) for mono in value.terms for atom in mono]
        else:
            parts = [_variables(expression) for expression in value.expressions()]
        known = value._variables = _union(parts)
    return known


def _variables_of_atom(atom: Atom) -> Variables:
    if atom.variables is None:
        atom.variables = {atom: None} if isinstance(atom, Var) else _union(list(map(_variables, atom.children())))
    return atom.variables


def atoms_in(values: Iterable[Any], through_bounds: bool = False) -> Iterator[Atom]:
    """The atoms that integers and conditions are built of, each once, after those that it is built of itself; with
    `through_bounds` also those in the bounds of variables."""
    seen: set[Atom] = set()
    for value in values:
        found: list[Atom] = []
        _add_atoms(value, through_bounds, seen, found)
        yield from found


def _add_atoms(value: Any, through_bounds: bool, seen: set[Atom], found: list[Atom]) -> None:
    """Add to `found` the atoms that `value` is built of and that were not `seen` yet."""
    if type(value) is not Sym and not isinstance(value, Cond):
        return
    for expression in (value,) if isinstance(value, Sym) else value.expressions():
        for mono in expression.terms:
            for atom in mono:
                if atom not in seen:
                    seen.add(atom)
                    if through_bounds or not isinstance(atom, Var):
                        for child in atom.children():
                            _add_atoms(child, through_bounds, seen, found)
                    found.append(atom)


def choosing(conditions: Iterable[Any]) -> list[Any]:
    """Some conditions, and those that choose between numbers in them and in the bounds of their variables."""
    given = [c for c in conditions if isinstance(c, Cond)]
    return [*given, *(atom.condition for atom in atoms_in(given, True) if isinstance(atom, Ite))]


def has_more_nodes(value: Cond | Sym, most: int) -> bool:
    """Whether `value` is built of more than so many atoms, each counted as often as it stands there."""
    count, stack = 0, [value] if isinstance(value, Sym) else list(value.expressions())
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
        if any(variable in _variables_of_atom(a) for a in mono if not isinstance(a, Var)):
            return None
    result: Int = total
    return result
