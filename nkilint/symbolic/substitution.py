"""Atoms replaced in integers and conditions, and everything built on them rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from nkilint_rules.words.conditions import Unknown

from .atoms import Atom, FloorDiv, Int, Ite, Min, Power, Var
from .conditions import COMPARISONS, And, Compare, Cond, Opaque, Or, conjunction, disjunction
from .division import floor_div
from .integers import Sym, choose, interned, key_of, power
from .work import charge

CHOICE = 40  # units of work for a choice, which is compared with others when it is made anew
BY_ZERO = "quotient by zero"
"""The name of the number that stands for one."""


def substitute(value: Any, mapping: Mapping[Atom, Int]) -> Any:
    """`value` (an integer or a condition) with atoms replaced; a quotient by zero becomes some number that nobody
    knows."""
    if not mapping or not isinstance(value, (Sym, Cond)):
        return value
    return (mapping.substitution if isinstance(mapping, Shared) else Substitution(mapping)).of(value)


class Shared(dict[Any, Any]):
    """A mapping that is put into many values with parts in common: each part is looked at once for all of them."""

    __slots__ = ("_substitution",)

    def __init__(self, mapping: Mapping[Any, Any] | None = None) -> None:
        super().__init__(mapping or {})
        self._substitution: Substitution | None = None

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self._substitution = None

    @property
    def substitution(self) -> Substitution:
        if self._substitution is None:
            self._substitution = Substitution(self)
        return self._substitution


class Substitution:
    """What a mapping makes of integers and conditions, each part looked at once. Atoms older than the oldest one that
    is replaced stay as they are: what an atom is built on is older than it."""

    __slots__ = ("_atoms", "_conditions", "_oldest", "mapping")

    def __init__(self, mapping: Mapping[Atom, Int]) -> None:
        self.mapping = mapping
        self._oldest: float = min([atom.uid for atom in mapping], default=inf)
        self._atoms: dict[Atom, Any] = {}  # what became of them; None of those that stay
        self._conditions: dict[Any, Any] = {}

    def replace(self, atom: Atom, value: Int) -> None:
        """Replace one more atom, which is younger than all that was looked at so far."""
        self.mapping = {**self.mapping, atom: value}
        self._oldest = min(self._oldest, atom.uid)

    def of(self, value: Any) -> Any:
        """`value` with atoms replaced; what is neither an integer nor a condition stays."""
        if isinstance(value, Sym):
            return self._integer(value)
        return self._condition(value) if isinstance(value, Cond) else value

    def _integer(self, value: Sym) -> Any:
        oldest = self._oldest
        for mono in value.terms:
            if mono[-1].uid >= oldest:
                for atom in mono:
                    if atom.uid >= oldest and self._atom(atom) is not None:
                        return self._sum(value)
        return value

    def _sum(self, value: Sym) -> Any:
        """The sum with its atoms replaced; terms in the order in which adding one after the other would leave them."""
        charge(len(value.terms))
        const = value.const
        total: dict[tuple[Atom, ...], int] = {}
        for mono, c in reversed(value.terms.items()):
            if mono[-1].uid < self._oldest:
                total[mono] = total.get(mono, 0) + c
                continue
            summand = self._product(mono, c)
            if isinstance(summand, Sym):
                const += summand.const
                for part, factor in summand.terms.items():
                    total[part] = total.get(part, 0) + factor
            elif isinstance(summand, int):
                const += summand
            else:
                return summand
        terms = {mono: c for mono, c in total.items() if c}
        return Sym(terms, const) if terms else const

    def _product(self, mono: tuple[Atom, ...], coefficient: int) -> Any:
        if len(mono) == 1:
            new = self._atom(mono[0])
            return Sym({mono: coefficient}, 0) if new is None else new * coefficient
        replaced = [self._atom(atom) for atom in mono]
        kept = tuple([atom for atom, new in zip(mono, replaced, strict=True) if new is None])
        term: Any = Sym({kept: coefficient}, 0) if kept else coefficient
        for new in replaced:
            if new is not None:
                term = term * new
        return term

    def _atom(self, atom: Atom) -> Any:
        if atom.uid < self._oldest:
            return None
        if atom in self._atoms:
            return self._atoms[atom]
        found = self.mapping.get(atom)
        if found is None:
            found = self._rebuilt(atom)
        self._atoms[atom] = found
        return found

    def _rebuilt(self, atom: Atom) -> Any:
        """What an atom that is not replaced itself becomes; None where nothing in it is replaced."""
        if isinstance(atom, Var):
            return None
        if isinstance(atom, Ite):
            return self._choice(atom)
        if isinstance(atom, Power):
            exponent = self.of(atom.exponent)
            if exponent is atom.exponent or isinstance(exponent, Unknown):
                return None if exponent is atom.exponent else exponent
            return power(exponent)
        left, right = atom.operands
        parts = self.of(left), self.of(right)
        if parts[0] is left and parts[1] is right:
            return None
        for part in parts:
            if isinstance(part, Unknown):
                return part
        if not isinstance(atom, FloorDiv):
            return _extremum(atom, *parts)
        dividend, divisor = parts
        if isinstance(divisor, int) and divisor == 0:  # there is none: whoever divides has been asked that it is not
            return interned(("by zero", key_of(dividend)), lambda: Var(BY_ZERO, "carried", None, None))
        return floor_div(dividend, divisor)

    def _choice(self, atom: Ite) -> Any:
        condition = self.of(atom.condition)
        then, otherwise = self.of(atom.then), self.of(atom.otherwise)
        charge(CHOICE)
        if condition is atom.condition and then is atom.then and otherwise is atom.otherwise:
            return None
        for part in (condition, then, otherwise):
            if isinstance(part, Unknown):
                return part
        return choose(condition, then, otherwise)

    def _condition(self, condition: Cond) -> Any:
        if condition.newest < self._oldest:
            return condition
        found = self._conditions.get(condition.key)
        if found is None:
            found = self._conditions[condition.key] = self._condition_rebuilt(condition)
        return found

    def _condition_rebuilt(self, condition: Cond) -> Any:
        charge(1)
        if isinstance(condition, Compare):
            left = self._integer(condition.left)
            return condition if left is condition.left else COMPARISONS[condition.relation](left)
        if isinstance(condition, And):
            return conjunction(self._condition(part) for part in condition.parts)
        if isinstance(condition, Or):
            return disjunction(self._condition(part) for part in condition.parts)
        assert isinstance(condition, Opaque)
        of = tuple(map(self.of, condition.of))
        if all(new is old for new, old in zip(of, condition.of, strict=True)):
            return condition
        unknown = next((value for value in of if isinstance(value, Unknown)), None)
        return unknown or Opaque(condition.name, condition.kind, condition.negated, condition.number, of)


def _extremum(atom: Atom, left: Int, right: Int) -> Int:
    if isinstance(left, int) and isinstance(right, int):
        return min(left, right) if isinstance(atom, Min) else max(left, right)
    big, small = (left, right) if isinstance(left, Sym) else (right, left)
    assert isinstance(big, Sym)
    return big.minimum(small) if isinstance(atom, Min) else big.maximum(small)
