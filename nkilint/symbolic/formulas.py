"""Integers and conditions over inputs as nested tuples, for readers that know nothing of this package.

A formula is an int, the name of an input, or a tuple of an operator with its operands: `("+", 4, ("*", 2, "M"))`. The
operators are `+`, `*`, `//`, `min`, `max`, `2**` (rounded down), `?` (a condition, and the values where it holds and
where not); conditions compare a formula with zero (`>=`, `==`, `!=`) or are an `and`, an `or`, or a truth value.
"""

from __future__ import annotations

from typing import Any

from .atoms import Atom, Int, Ite, Power, Var
from .conditions import And, Compare, Cond, Or
from .integers import Sym
from .work import charge

Formula = Any  # mypy would have to know a type that holds itself


class NoFormula(Exception):
    """The value depends on more than inputs."""


def formula(value: Int) -> Formula:
    """An integer; `NoFormula` where iterations, elements or values of the device have part in it."""
    if isinstance(value, int):
        return value
    charge(len(value.terms))
    terms = [_product(c, mono) for mono, c in value.terms.items()]
    parts = [value.const, *terms] if value.const else terms
    return parts[0] if len(parts) == 1 else ("+", *parts)


def condition(value: Cond | bool) -> Formula:
    """A condition; `NoFormula` also where it holds a fact of which only the identity is known."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Compare):
        return (value.relation, formula(value.left))
    if isinstance(value, (And, Or)):
        return ("and" if isinstance(value, And) else "or", *map(condition, value.parts))
    raise NoFormula


def _product(coefficient: int, mono: tuple[Atom, ...]) -> Formula:
    factors = [_atom(atom) for atom in mono]
    parts = factors if coefficient == 1 else [coefficient, *factors]
    return parts[0] if len(parts) == 1 else ("*", *parts)


def _atom(atom: Atom) -> Formula:
    if isinstance(atom, Var):
        if atom.kind != "input":
            raise NoFormula
        return atom.name
    if isinstance(atom, Ite):
        return ("?", condition(atom.condition), formula(atom.then), formula(atom.otherwise))
    if isinstance(atom, Power):
        return ("2**", formula(atom.exponent))
    return (atom.operator, *map(formula, atom.operands))


def names(found: Formula) -> list[str]:
    """The inputs in a formula, each once."""
    if isinstance(found, str):
        return [found]
    if isinstance(found, tuple):
        return list(dict.fromkeys(name for part in found[1:] for name in names(part)))
    return []


def attempted(value: Any) -> Formula:
    """The formula of an integer or a condition; None where there is none."""
    try:
        if isinstance(value, (bool, Cond)):
            return condition(value)
        return formula(value) if isinstance(value, (int, Sym)) else None
    except NoFormula:
        return None
