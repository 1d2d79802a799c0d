"""What the terms of a sum share: a number, or an atom in each of their products."""

from __future__ import annotations

from math import gcd
from typing import Any

from .atoms import Atom
from .integers import Sym


def in_lowest_terms(value: Sym) -> Sym:
    """The sum divided by what divides all its factors, rounded down."""
    divisor = gcd(*value.terms.values())
    if divisor == 1:
        return value
    return Sym({m: c // divisor for m, c in value.terms.items()}, value.const // divisor)


def shared_factor(value: Sym, least: float) -> Atom | None:
    """A factor that all terms of a sum share, `H` in `n*H - m*H`, and that is never less than `least`."""
    first, *others = value.terms
    return next((a for a in first if a.bounds[0] >= least and all(a in mono for mono in others)), None)


def divided_by(value: Sym, shared: Atom) -> Any:
    """The sum of `value` without a factor that all its terms share."""
    total: Any = 0
    for mono, c in value.terms.items():
        rest = tuple(atom for at, atom in enumerate(mono) if at != mono.index(shared))
        total = total + (Sym({rest: c}, 0) if rest else c)
    return total
