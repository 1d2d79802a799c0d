"""Symbolic integers as polynomials over atoms: variables, floor divisions, minima, maxima and choices.

`a % b` is not an atom: it is `a - b * (a // b)`, so that one fact about floor division serves both.
Atoms are interned; equal expressions have equal `key`s. A `Sym` is never a plain number: operations return an int
when nothing symbolic is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import Any, TypeGuard

from nkilint_rules.words.conditions import Unknown

from .atoms import Atom, FloorDiv, Int, Ite, Max, Min, Power, Var, bounds, intern
from .operators import OPERATORS
from .operators import Interval as Bounds
from .work import OutOfWork, charge

MOST_PRODUCTS = 2500  # of terms, in a product of two sums: squares of squares grow beyond any other budget

Remainders = tuple[list[tuple[int, FloorDiv]], Int, "tuple[Int, Int] | None"]
"""The remainders in an integer, each with its factor, the rest, and what it then lies between."""


def sym(
    name: str,
    kind: str = "input",
    low: Int | None = None,
    high: Int | None = None,
    source: str = "",
    never: tuple[int, ...] = (),
) -> Sym:
    """The variable of that name; the same name always means the same variable."""
    return interned(("var", name, kind, key_of(low), key_of(high)), lambda: Var(name, kind, low, high, source, never))


def is_integer(value: Any) -> TypeGuard[Int]:
    """Whether a value is an integer, known or symbolic, and no truth value."""
    return isinstance(value, (int, Sym)) and not isinstance(value, bool)


def is_one(value: Any) -> bool:
    """Whether a number is known to be 1; of a symbolic one `==` makes a condition."""
    return isinstance(value, int) and value == 1


def key_of(value: Any) -> Any:
    """A hashable stand-in for a symbolic or plain value."""
    kind = type(value)
    if kind is Sym:
        return value.key
    return value if kind is int or not isinstance(value, (Atom, conditions.Cond)) else value.key


def itself(atom: Atom) -> Sym:
    """The integer that `atom` is."""
    if atom.itself is None:
        atom.itself = Sym({(atom,): 1}, 0)
    return atom.itself


def interned(key: tuple[Any, ...], make: Callable[[], Atom]) -> Sym:
    """The integer that is the atom of that key, made where there is none yet."""
    return itself(intern(key, make))


class Sym:
    """A symbolic integer: sum of `coefficient * product of atoms`, plus a constant."""

    __slots__ = ("_bounds", "_key", "_remainders", "_variables", "const", "terms")
    __hash__ = None  # type: ignore[assignment]  # `==` builds a condition; use `key`
    _key: tuple[Any, ...] | None
    _bounds: Bounds | None
    _remainders: Remainders | None  # once they were asked for
    _variables: Mapping[Var, None] | None  # what `variables` found

    def __init__(self, terms: dict[tuple[Atom, ...], int], const: int) -> None:
        self.terms, self.const = terms, const
        self._key = self._bounds = self._remainders = self._variables = None

    @property
    def key(self) -> tuple[Any, ...]:
        if self._key is None:
            self._key = (self.const, frozenset(self.terms.items()))
        return self._key

    @property
    def bounds(self) -> Bounds:
        if self._bounds is None:
            try:
                self._bounds = self._found_bounds()
            except OverflowError:  # numbers that floats do not reach
                self._bounds = (-inf, inf)
        return self._bounds

    def _found_bounds(self) -> Bounds:
        low: float = self.const
        high: float = self.const
        for mono, c in self.terms.items():
            a, b = mono[0].bounds if len(mono) == 1 else _mono_bounds(mono)
            if c > 0:
                low += c * a
                high += c * b
            else:
                low += c * b
                high += c * a
        if low < 0 and any(type(mono[-1]) is FloorDiv for mono in self.terms):
            ends = division.ends_by_remainders(self)
            if ends is not None:
                low, high = max(low, bounds(ends[0])[0]), min(high, bounds(ends[1])[1])
        return low, high

    def atoms(self) -> Iterator[Atom]:
        for mono in self.terms:
            yield from mono

    @property
    def newest(self) -> int:
        """The number of its youngest atom; all that it is built on is older."""
        return max([mono[-1].uid for mono in self.terms], default=0)  # the factors of a product stand by age

    @property
    def as_atom(self) -> Atom | None:
        """The atom this is, if it is nothing else."""
        if self.const == 0 and len(self.terms) == 1:
            ((mono, c),) = self.terms.items()
            if c == 1 and len(mono) == 1:
                return mono[0]
        return None

    @property
    def variable(self) -> Atom:
        """The atom this is, by construction."""
        atom = self.as_atom
        assert atom is not None
        return atom

    # --- arithmetic ---

    def __add__(self, other: Any) -> Any:
        if isinstance(other, int):
            return Sym(self.terms, self.const + other) if other else self
        if not isinstance(other, Sym):
            return _absorb(other)
        charge(1 + len(other.terms) // 4)
        terms = dict(self.terms)
        for mono, c in other.terms.items():
            total = terms.get(mono, 0) + c
            if total:
                terms[mono] = total
            else:
                del terms[mono]
        return sum_of(terms, self.const + other.const)

    __radd__ = __add__

    def __neg__(self) -> Sym:
        return Sym({mono: -c for mono, c in self.terms.items()}, -self.const)

    def __pos__(self) -> Sym:
        return self

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, int):
            return Sym(self.terms, self.const - other) if other else self
        if not isinstance(other, Sym):
            return _absorb(other)
        charge(1 + len(other.terms) // 4)
        terms = dict(self.terms)
        for mono, c in other.terms.items():
            total = terms.get(mono, 0) - c
            if total:
                terms[mono] = total
            else:
                del terms[mono]
        return sum_of(terms, self.const - other.const)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            if other == 0:
                return 0
            return self if other == 1 else Sym({m: c * other for m, c in self.terms.items()}, self.const * other)
        if not isinstance(other, Sym):
            return _absorb(other)
        if not other.const and len(other.terms) == 1:
            return _by_product(self, other)
        if not self.const and len(self.terms) == 1:
            return _by_product(other, self)
        charge(len(self.terms) * len(other.terms))
        if len(self.terms) * len(other.terms) > MOST_PRODUCTS:
            raise OutOfWork
        terms: dict[tuple[Atom, ...], int] = {}
        for m1, c1 in [*self.terms.items(), ((), self.const)]:
            if c1:
                for m2, c2 in [*other.terms.items(), ((), other.const)]:
                    if c2:
                        mono = _joined(m1, m2)
                        terms[mono] = terms.get(mono, 0) + c1 * c2
        const = terms.pop((), 0)
        return sum_of({m: c for m, c in terms.items() if c}, const)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return division.floor_div(self, other) if isinstance(other, (int, Sym)) else _absorb(other)

    def __rfloordiv__(self, other: Any) -> Any:
        return division.floor_div(other, self) if isinstance(other, int) else _absorb(other)

    def __mod__(self, other: Any) -> Any:
        return division.modulo(self, other) if isinstance(other, (int, Sym)) else _absorb(other)

    def __rmod__(self, other: Any) -> Any:
        return division.modulo(other, self) if isinstance(other, int) else _absorb(other)

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, int) and 0 <= other <= 8:
            result: Any = 1
            for _ in range(other):
                result = result * self
            return result
        return Unknown("power of a symbolic number")

    def __rpow__(self, other: Any) -> Any:
        return Unknown("symbolic exponent")

    def __lshift__(self, other: Any) -> Any:
        return self * 2**other if isinstance(other, int) and other >= 0 else Unknown("shift of a symbolic number")

    def __rshift__(self, other: Any) -> Any:
        return self // 2**other if isinstance(other, int) and other >= 0 else Unknown("shift of a symbolic number")

    def __rlshift__(self, other: Any) -> Any:
        return Unknown("shift by a symbolic number")

    __rrshift__ = __rlshift__

    def __invert__(self) -> Any:
        return -self - 1

    def __abs__(self) -> Any:
        low, high = self.bounds
        return self if low >= 0 else -self if high <= 0 else self.maximum(-self)

    def minimum(self, other: Int) -> Int:
        low, high = bounds(self - other)
        if high <= 0:
            return self
        if low >= 0:
            return other
        a, b = _ordered(self, other)
        return interned(("min", key_of(a), key_of(b)), lambda: Min(a, b))

    def maximum(self, other: Int) -> Int:
        low, high = bounds(self - other)
        if low >= 0:
            return self
        if high <= 0:
            return other
        a, b = _ordered(self, other)
        return interned(("max", key_of(a), key_of(b)), lambda: Max(a, b))

    # --- conditions ---

    def __ge__(self, other: Any) -> Any:
        return conditions.at_least_zero(self - other) if isinstance(other, (int, Sym)) else _absorb(other)

    def __le__(self, other: Any) -> Any:
        return conditions.at_least_zero(other - self) if isinstance(other, (int, Sym)) else _absorb(other)

    def __gt__(self, other: Any) -> Any:
        return conditions.at_least_zero(self - other - 1) if isinstance(other, (int, Sym)) else _absorb(other)

    def __lt__(self, other: Any) -> Any:
        return conditions.at_least_zero(other - self - 1) if isinstance(other, (int, Sym)) else _absorb(other)

    def __eq__(self, other: object) -> Any:
        if isinstance(other, (int, Sym)):
            return conditions.equal_zero(self - other)
        return _absorb(other) if isinstance(other, Unknown) else False

    def __ne__(self, other: object) -> Any:
        if isinstance(other, (int, Sym)):
            return conditions.unequal_zero(self - other)
        return _absorb(other) if isinstance(other, Unknown) else True

    def __bool__(self) -> bool:
        raise TypeError("a symbolic int has no truth value; use all_of, any_of or a comparison")

    def __str__(self) -> str:
        from .printing import show  # which prints all that this package makes, so it comes last

        return show(self)

    __repr__ = __str__


def _absorb(other: Any) -> Any:
    return other if isinstance(other, Unknown) else NotImplemented


def sum_of(terms: dict[tuple[Atom, ...], int], const: int) -> Any:
    """The sum of `terms` and `const`: a number where there are no terms."""
    return Sym(terms, const) if terms else const


def _ordered(a: Int, b: Int) -> tuple[Int, Int]:
    if isinstance(a, int):
        return b, a
    if isinstance(b, int):
        return a, b
    first = min(atom.uid for atom in a.atoms()), a.const
    second = min(atom.uid for atom in b.atoms()), b.const
    return (a, b) if first <= second else (b, a)


def _joined(first: tuple[Atom, ...], second: tuple[Atom, ...]) -> tuple[Atom, ...]:
    """The product of two products of atoms."""
    if not first or not second:
        return first or second
    if first[-1].uid <= second[0].uid:
        return first + second
    if second[-1].uid <= first[0].uid:
        return second + first
    return tuple(sorted(first + second, key=lambda a: a.uid))


def _by_product(value: Sym, product: Sym) -> Sym:
    """`value` times a product of atoms: no two terms meet."""
    ((factor, scale),) = product.terms.items()
    terms = {_joined(mono, factor): c * scale for mono, c in value.terms.items()}
    if value.const:
        terms[factor] = value.const * scale
    return Sym(terms, 0)


def _mono_bounds(mono: tuple[Atom, ...]) -> Bounds:
    low, high = mono[0].bounds
    for atom in mono[1:]:
        low, high = OPERATORS["*"].intervals((low, high), atom.bounds)
    return low, high


def linear(value: Int) -> tuple[dict[tuple[Atom, ...], int], int]:
    """Terms and constant."""
    return (value.terms, value.const) if isinstance(value, Sym) else ({}, value)


def rank(mono: tuple[Atom, ...]) -> tuple[int, ...]:
    return tuple([a.uid for a in mono])


def first_of(terms: dict[tuple[Atom, ...], int]) -> tuple[Atom, ...]:
    """The product of atoms that comes first, by their age."""
    return min(terms) if len(terms) > 1 else next(iter(terms))


def choose(condition: Any, then: Int, otherwise: Int) -> Int:
    """`then if condition else otherwise`; `a if a < b else b` is their minimum."""
    if condition is True or key_of(then) == key_of(otherwise):
        return then
    if condition is False:
        return otherwise
    found = _extremum(condition, then, otherwise)
    key = "ite", condition.key, key_of(then), key_of(otherwise)
    return interned(key, lambda: Ite(condition, then, otherwise)) if found is None else found


def _extremum(condition: Any, then: Int, otherwise: Int) -> Sym | None:
    """The minimum or maximum that a choice between two numbers is, by which of them is smaller."""
    one, other = (then, otherwise) if isinstance(then, Sym) else (otherwise, then)
    more = otherwise - then
    if isinstance(one, Sym) and isinstance(more, Sym) and condition.key[0] == ">=":
        for sign, chosen in ((more, one.minimum), (-more, one.maximum)):
            if any(key_of(conditions.at_least_zero(least)) == condition.key for least in (sign, sign - 1)):
                found = chosen(other)
                return found if isinstance(found, Sym) else None
    return None


def power(exponent: Int) -> Int:
    """`2**exponent`, rounded down. One power stands for all whose exponents differ by a number: the least that has none
    below zero, where that is known."""
    if isinstance(exponent, int):
        return Power.number(exponent)
    low = exponent.bounds[0] - exponent.const
    base: Sym = exponent - exponent.const - (0 if low == -inf else int(low))
    own, shift = interned(("power", base.key), lambda: Power(base)), (exponent - base)
    assert isinstance(shift, int)
    found: Int = own * 2**shift if shift >= 0 else division.floor_div(own, 2**-shift)
    return found


from . import conditions, division  # noqa: E402  (they describe what this module's operators make)
