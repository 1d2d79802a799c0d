"""Facts that are equations, solved for a variable: `K % 128 == 0` makes K `128 * q`, `K == L` makes L K."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from typing import Any

from nkilint.symbolic import Atom, Compare, FloorDiv, Sym, Var, sym
from nkilint.symbolic.atoms import UNKNOWABLE, Int, bounds
from nkilint.symbolic.division import split_remainders
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import itself
from nkilint_rules.words.records import dataclass


@dataclass(frozen=True, slots=True)
class Solution:
    """`atom` equals `value`; `fresh` is the variable that was introduced for `quotient`, if any."""

    atom: Atom
    value: Int
    fresh: Var | None = None
    quotient: Int = 0


def solve(left: Sym) -> Solution | None:
    """A way to read `left == 0` as a definition, inputs in terms of inputs alone."""
    return _divisible(left) or _plain(left) or _quotient(left)


def _mentioned(atom: Atom, value: Int) -> bool:
    return isinstance(value, Sym) and (
        any(atom is a for a in value.atoms()) or (isinstance(atom, Var) and atom in variables(value))
    )


def _candidates(left: Sym) -> Iterator[tuple[Var, Int]]:
    """Variables with coefficient 1 or -1 and what they equal, preferring what is no input and what came last."""
    singles = [(m[0], c) for m, c in left.terms.items() if len(m) == 1 and isinstance(m[0], Var) and abs(c) == 1]
    singles.sort(key=lambda pair: (pair[0].kind in UNKNOWABLE, pair[0].kind != "input", pair[0].uid), reverse=True)
    for atom, c in singles:
        assert isinstance(atom, Var)
        rest: Int = (left - Sym({(atom,): c}, 0)) * -c
        if not _mentioned(atom, rest):
            yield atom, rest


def _plain(left: Sym) -> Solution | None:
    for atom, value in _candidates(left):
        if atom.kind != "input" or all(v.kind == "input" for v in variables(value)):
            return Solution(atom, value)
    return None


def _divisible(left: Sym) -> Solution | None:
    """`a % b == r` with a variable of coefficient 1 or -1 in `a`."""
    moduli, rest = split_remainders(left)
    if len(moduli) != 1 or not isinstance(rest, int):
        return None
    scale, division = moduli[0]
    if rest % scale:
        return None
    remainder = -rest // scale
    if not 0 <= remainder < bounds(division.divisor)[0]:
        return None
    for atom, others in _candidates(division.dividend - remainder):
        inputs = all(v.kind == "input" for v in variables(others, division.divisor))
        if (atom.kind == "input" and not inputs) or _mentioned(atom, division.divisor):
            continue
        sign = division.dividend.terms[(atom,)]
        fresh = _fresh(division, remainder, atom.kind)
        whole: Int = others + sign * division.divisor * fresh
        variable = fresh.as_atom
        assert isinstance(variable, Var)
        return Solution(atom, whole, variable, itself(division))
    return None


def _fresh(division: FloorDiv, remainder: int, kind: str) -> Sym:
    """The quotient as a variable of its own."""
    low, high = bounds(division.dividend)
    least = most = None
    if isinstance(division.divisor, int):
        least = None if low == -inf else -((remainder - int(low)) // division.divisor)
        most = None if high == inf else (int(high) - remainder) // division.divisor
    elif low >= 0:
        least = 1 if low > remainder else 0
    return sym(f"({itself(division)})", kind, least, most, source="quotient")


def _quotient(left: Sym) -> Solution | None:
    """`a // b == value` for a value without `a`."""
    for mono, c in left.terms.items():
        atom = mono[0]
        if len(mono) == 1 and isinstance(atom, FloorDiv) and abs(c) == 1 and bounds(atom.divisor)[0] >= 1:
            rest: Int = (left - Sym({mono: c}, 0)) * -c
            if isinstance(rest, int) or not set(variables(rest)) & set(variables(atom.dividend)):
                return Solution(atom, rest)
    return None


def exact_quotients(facts: Iterable[Any]) -> Iterator[FloorDiv]:
    """The quotients by what no caller chooses that leave no rest, as facts say: inputs are not solved for it."""
    for fact in facts:
        if isinstance(fact, Compare) and fact.relation == "==":
            moduli, rest = split_remainders(fact.left)
            if isinstance(rest, int) and rest == 0 and len(moduli) == 1:
                divisor = moduli[0][1].divisor
                variable = divisor.as_atom if isinstance(divisor, Sym) else None
                if isinstance(variable, Var) and variable.kind in UNKNOWABLE:
                    yield moduli[0][1]


def whole_again(value: Sym, exact: Iterable[FloorDiv]) -> Int:
    """`value` with each quotient that is multiplied by its divisor as its dividend."""
    found: Int = value
    for quotient in exact:
        assert isinstance(quotient.divisor, Sym)
        divisor = quotient.divisor.as_atom
        for mono, factor in found.terms.items() if isinstance(found, Sym) else ():
            if quotient in mono and divisor in mono:
                rest = list(mono)
                rest.remove(quotient)
                rest.remove(divisor)
                others = Sym({tuple(rest): factor}, 0) if rest else factor
                found = found + others * (quotient.dividend - quotient.divisor * itself(quotient))
    return found
