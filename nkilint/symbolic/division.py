"""Floor division of polynomials in one normal form, and the remainders in a sum: `a % b` is `a - b * (a // b)`."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd
from typing import Any

from nkilint_rules.words.conditions import Unknown

from .atoms import Atom, FloorDiv, Int, bounds
from .integers import Remainders, Sym, first_of, interned, is_one, itself, key_of, linear, sum_of
from .work import charge


def split_remainders(value: Sym) -> tuple[list[tuple[int, FloorDiv]], Int]:
    """`value` as a sum of `scale * (dividend % divisor)` and a rest; divisors are positive."""
    moduli, rest, _ = value._remainders or _split(value)
    return moduli, rest


def ends_by_remainders(value: Sym) -> tuple[Int, Int] | None:
    """The least and the most that `value` can be, by `0 <= a % b < b`; None where there is no remainder in it."""
    return (value._remainders or _split(value))[2]


def _split(value: Sym) -> Remainders:
    moduli, rest = _split_remainders(value)
    least = most = rest
    for scale, atom in moduli:
        end = (atom.divisor - 1) * scale
        least, most = (least, most + end) if scale > 0 else (least + end, most)
    value._remainders = found = moduli, rest, (least, most) if moduli else None
    return found


def _split_remainders(value: Sym) -> tuple[list[tuple[int, FloorDiv]], Int]:
    charge(1 + len(value.terms))
    found: list[tuple[int, FloorDiv]] = []
    rest: Int = value
    for mono in value.terms:
        atom = mono[-1]  # divisors are older than the divisions by them
        if not isinstance(atom, FloorDiv) or not isinstance(rest, Sym):
            continue
        multiple = atom.multiple if atom.multiple is not None else _multiple(atom)
        factor = multiple.get(mono)
        if factor is None:
            continue
        coefficient = rest.terms.get(mono, 0)
        if coefficient % factor:
            continue
        scale = -coefficient // factor
        if any(rest.terms.get(m, 0) != -scale * c for m, c in multiple.items()):
            continue  # one part of it would be traded for the other, and back
        if scale and all(_same_side(rest.terms.get(m, 0), scale * c) for m, c in atom.dividend.terms.items()):
            found.append((scale, atom))
            rest = rest - (atom.dividend - atom.divisor * itself(atom)) * scale
    return found, rest


def _multiple(atom: FloorDiv) -> Mapping[tuple[Atom, ...], int]:
    """The terms of `divisor * (dividend // divisor)`, where the divisor is positive and no sum."""
    plain = bounds(atom.divisor)[0] >= 1 and len(linear(atom.divisor)[0]) <= 1
    atom.multiple = linear(atom.divisor * itself(atom))[0] if plain else {}
    return atom.multiple


def _same_side(have: int, want: int) -> bool:
    return have * want > 0 and abs(have) >= abs(want)


def floor_div(a: Int, b: Int) -> Any:
    if isinstance(a, Sym) and not a.terms:  # the dividend of a division atom may be a number
        a = a.const
    if isinstance(b, int):
        if b == 0:
            return Unknown("division by zero")
        if b < 0:
            return floor_div(-a, -b)
        if isinstance(a, int):
            return a // b
        return _div_by_number(a, b)
    if isinstance(a, int):
        if a == 0:
            return 0
        least = bounds(b)[0]
        if least > a >= 0:
            return 0
        if a < 0 and least >= 1:
            return -1 - floor_div(-a - 1, b)
        return _div_atom(Sym({}, a), b)
    quotient, rest = divide_terms(a, b)
    if isinstance(rest, int):
        return quotient + floor_div(rest, b)
    if bounds(b)[0] >= 1 and rest.terms[first_of(rest.terms)] < 0:
        return quotient - 1 - floor_div(-rest - 1, b)  # one form for a ceiling, here too
    if bounds(rest)[0] >= 0 and bounds(rest - b)[1] < 0:
        return quotient
    return quotient + _div_atom(rest, b)


def modulo(a: Int, b: Int) -> Any:
    quotient = floor_div(a, b)
    return quotient if isinstance(quotient, Unknown) else a - b * quotient


def _div_by_number(a: Sym, b: int) -> Any:
    whole = {m: c // b for m, c in a.terms.items() if c % b == 0}
    rest = {m: c for m, c in a.terms.items() if c % b}
    quotient = sum_of(whole, a.const // b)
    const = a.const % b
    if not rest:
        return quotient
    low, high = Sym(rest, const).bounds
    if low >= 0 and high < b:
        return quotient
    common = gcd(b, *rest.values())
    if rest[first_of(rest)] < 0:  # one form for a ceiling: `-(-a // b)` is `(a + b - 1) // b`
        return quotient - _div_by_number(Sym({m: -c for m, c in rest.items()}, b - 1 - const), b)
    if common > 1:
        return quotient + _div_by_number(Sym({m: c // common for m, c in rest.items()}, const // common), b // common)
    return quotient + _div_atom(Sym(rest, const), b)


def _div_atom(a: Sym, b: Int) -> Any:
    if is_one(b):
        return sum_of(a.terms, a.const)
    inner = a.as_atom
    if isinstance(inner, FloorDiv) and isinstance(b, int) and isinstance(inner.divisor, int):
        return floor_div(inner.dividend, inner.divisor * b)
    return interned(("div", a.key, key_of(b)), lambda: FloorDiv(a, b))


def divide_terms(a: Sym, b: Sym) -> tuple[Int, Int]:
    """Quotient and rest of a division by a polynomial: exact where `b` is one product, or where `a` is a multiple."""
    if len(b.terms) == 1 and b.const == 0:
        ((divisor, factor),) = b.terms.items()
        whole: dict[tuple[Atom, ...], int] = {}
        rest: dict[tuple[Atom, ...], int] = {}
        for mono, c in a.terms.items():
            left = without(mono, divisor)
            if left is not None and c % factor == 0:
                whole[left] = c // factor
            else:
                rest[mono] = c
        const = whole.pop((), 0)
        return sum_of(whole, const), sum_of(rest, a.const)
    for factor in {c // d for c in a.terms.values() for d in list(b.terms.values())[:1] if c % d == 0}:
        difference = a - b * factor
        if isinstance(difference, int) and difference == 0:
            return factor, 0
    return 0, a


def without(mono: tuple[Atom, ...], divisor: tuple[Atom, ...]) -> tuple[Atom, ...] | None:
    """What is left of a product of atoms without some of its factors; None where they are not all in it."""
    rest = list(mono)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)
