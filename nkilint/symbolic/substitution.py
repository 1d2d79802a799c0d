"""Atoms replaced in integers and conditions, and everything built on them rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nkilint_rules.words.conditions import Unknown

from .atoms import Atom, FloorDiv, Int, Ite, Min, Var
from .conditions import COMPARISONS, And, Compare, Cond, Or, conjunction, disjunction
from .division import floor_div
from .integers import Sym, choose, itself


def substitute(value: Any, mapping: Mapping[Atom, Int]) -> Any:
    """`value` (an integer or a condition) with atoms replaced; where that divides by zero, unknown."""
    if not mapping or not isinstance(value, (Sym, Cond)):
        return value
    oldest = min(atom.uid for atom in mapping)
    return _Substitution(mapping, oldest).of(value) if value.newest >= oldest else value


class _Substitution:
    """What a mapping makes of atoms and conditions, each looked at once. Atoms older than the `oldest` that is replaced
    stay as they are: what an atom is built on is older than it."""

    def __init__(self, mapping: Mapping[Atom, Int], oldest: int) -> None:
        self.mapping, self.oldest = mapping, oldest
        self.atoms: dict[Atom, Any] = {}  # what became of them; None of those that stay
        self.conditions: dict[Any, Any] = {}

    def of(self, value: Any) -> Any:
        if isinstance(value, Sym):
            return self._integer(value)
        return self._condition(value) if isinstance(value, Cond) else value

    def _integer(self, value: Sym) -> Any:
        if all(self._atom(atom) is None for mono in value.terms for atom in mono):
            return value
        summands = [self._product(mono, c) for mono, c in value.terms.items()]
        total: dict[tuple[Atom, ...], int] = {}
        const = value.const
        for summand in reversed(summands):
            if isinstance(summand, Unknown):
                return summand
            if isinstance(summand, int):
                const += summand
                continue
            const += summand.const
            for mono, c in summand.terms.items():
                total[mono] = total.get(mono, 0) + c
        terms = {mono: c for mono, c in total.items() if c}
        return Sym(terms, const) if terms else const

    def _product(self, mono: tuple[Atom, ...], coefficient: int) -> Any:
        term: Any = coefficient
        for atom in mono:
            replaced = self._atom(atom)
            term = term * (itself(atom) if replaced is None else replaced)
        return term

    def _atom(self, atom: Atom) -> Any:
        if atom.uid < self.oldest:
            return None
        if atom not in self.atoms:
            found = self.mapping.get(atom)
            self.atoms[atom] = self._rebuilt(atom) if found is None else found
        return self.atoms[atom]

    def _rebuilt(self, atom: Atom) -> Any:
        """What an atom that is not replaced itself becomes; None where nothing in it is replaced."""
        if isinstance(atom, Var):
            return None
        if isinstance(atom, Ite):
            return self._choice(atom)
        left, right = atom.operands
        parts = self.of(left), self.of(right)
        if parts[0] is left and parts[1] is right:
            return None
        for part in parts:
            if isinstance(part, Unknown):
                return part
        return floor_div(*parts) if isinstance(atom, FloorDiv) else _extremum(atom, *parts)

    def _choice(self, atom: Ite) -> Any:
        condition = self.of(atom.condition)
        then, otherwise = self.of(atom.then), self.of(atom.otherwise)
        if condition is atom.condition and then is atom.then and otherwise is atom.otherwise:
            return None
        for part in (condition, then, otherwise):
            if isinstance(part, Unknown):
                return part
        return choose(condition, then, otherwise)

    def _condition(self, condition: Cond) -> Any:
        if condition.newest < self.oldest:
            return condition
        found = self.conditions.get(condition.key)
        if found is None:
            found = self.conditions[condition.key] = self._condition_rebuilt(condition)
        return found

    def _condition_rebuilt(self, condition: Cond) -> Any:
        if isinstance(condition, Compare):
            left = self._integer(condition.left)
            return condition if left is condition.left else COMPARISONS[condition.relation](left)
        if isinstance(condition, And):
            return conjunction(self._condition(part) for part in condition.parts)
        if isinstance(condition, Or):
            return disjunction(self._condition(part) for part in condition.parts)
        return condition


def _extremum(atom: Atom, left: Int, right: Int) -> Int:
    if isinstance(left, int) and isinstance(right, int):
        return min(left, right) if isinstance(atom, Min) else max(left, right)
    big, small = (left, right) if isinstance(left, Sym) else (right, left)
    assert isinstance(big, Sym)
    return big.minimum(small) if isinstance(atom, Min) else big.maximum(small)
