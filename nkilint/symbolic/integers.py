"""Symbolic integers as polynomials over atoms: variables, floor divisions, minima, maxima and choices.

`a % b` is not an atom: it is `a - b * (a // b)`, so that one fact about floor division serves both.
Atoms are interned; equal expressions have equal `key`s. A `Sym` is never a plain number: operations return an int
when nothing symbolic is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import gcd
from typing import Any

from nkilint_rules.words.conditions import Unknown

from .atoms import Atom, FloorDiv, Int, Ite, Max, Min, Var, bounds, intern
from .operators import OPERATORS
from .operators import Interval as Bounds


def sym(name: str, kind: str = "input", low: Int | None = None, high: Int | None = None, source: str = "") -> Sym:
    """The variable of that name; the same name always means the same variable."""
    return _interned(("var", name, kind, key_of(low), key_of(high)), lambda: Var(name, kind, low, high, source))


def key_of(value: Any) -> Any:
    """A hashable stand-in for a symbolic or plain value."""
    return value.key if isinstance(value, (Sym, Atom)) or hasattr(value, "expressions") else value


def _interned(key: tuple[Any, ...], make: Callable[[], Atom]) -> Sym:
    return Sym({(intern(key, make),): 1}, 0)


def _times(x: float, y: float) -> float:
    return 0 if x == 0 or y == 0 else x * y


class Sym:
    """A symbolic integer: sum of `coefficient * product of atoms`, plus a constant."""

    __slots__ = ("_bounds", "_key", "const", "terms")
    __hash__ = None  # type: ignore[assignment]  # `==` builds a condition; use `key`

    def __init__(self, terms: dict[tuple[Atom, ...], int], const: int) -> None:
        self.terms, self.const = terms, const
        self._key: tuple[Any, ...] | None = None
        self._bounds: Bounds | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        if self._key is None:
            self._key = (
                self.const,
                frozenset((tuple(a.uid for a in mono), c) for mono, c in self.terms.items()),
            )
        return self._key

    @property
    def bounds(self) -> Bounds:
        if self._bounds is None:
            low: float = self.const
            high: float = self.const
            for mono, c in self.terms.items():
                a, b = _mono_bounds(mono)
                if c < 0:
                    a, b = b, a
                low += _times(c, a)
                high += _times(c, b)
            if low < 0 and any(type(mono[-1]) is FloorDiv for mono in self.terms):
                low, high = _tightened(self, low, high)
            self._bounds = (low, high)
        return self._bounds

    def atoms(self) -> Iterator[Atom]:
        for mono in self.terms:
            yield from mono

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
        terms = dict(self.terms)
        for mono, c in other.terms.items():
            total = terms.get(mono, 0) + c
            if total:
                terms[mono] = total
            else:
                del terms[mono]
        return _make(terms, self.const + other.const)

    __radd__ = __add__

    def __neg__(self) -> Sym:
        return Sym({mono: -c for mono, c in self.terms.items()}, -self.const)

    def __pos__(self) -> Sym:
        return self

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, int):
            return Sym(self.terms, self.const - other) if other else self
        return self + (-other) if isinstance(other, Sym) else _absorb(other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            if other == 0:
                return 0
            return Sym({m: c * other for m, c in self.terms.items()}, self.const * other)
        if not isinstance(other, Sym):
            return _absorb(other)
        terms: dict[tuple[Atom, ...], int] = {}
        for m1, c1 in [*self.terms.items(), ((), self.const)]:
            if c1:
                for m2, c2 in [*other.terms.items(), ((), other.const)]:
                    if c2:
                        mono = tuple(sorted(m1 + m2, key=lambda a: a.uid)) if m1 and m2 else m1 or m2
                        terms[mono] = terms.get(mono, 0) + c1 * c2
        const = terms.pop((), 0)
        return _make({m: c for m, c in terms.items() if c}, const)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return floor_div(self, other) if isinstance(other, (int, Sym)) else _absorb(other)

    def __rfloordiv__(self, other: Any) -> Any:
        return floor_div(other, self) if isinstance(other, int) else _absorb(other)

    def __mod__(self, other: Any) -> Any:
        return modulo(self, other) if isinstance(other, (int, Sym)) else _absorb(other)

    def __rmod__(self, other: Any) -> Any:
        return modulo(other, self) if isinstance(other, int) else _absorb(other)

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
        return _interned(("min", key_of(a), key_of(b)), lambda: Min(a, b))

    def maximum(self, other: Int) -> Int:
        low, high = bounds(self - other)
        if low >= 0:
            return self
        if high <= 0:
            return other
        a, b = _ordered(self, other)
        return _interned(("max", key_of(a), key_of(b)), lambda: Max(a, b))

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
        from .printing import show

        return show(self)

    __repr__ = __str__


def _absorb(other: Any) -> Any:
    return other if isinstance(other, Unknown) else NotImplemented


def _make(terms: dict[tuple[Atom, ...], int], const: int) -> Any:
    return Sym(terms, const) if terms else const


def _ordered(a: Int, b: Int) -> tuple[Int, Int]:
    if isinstance(a, int):
        return b, a
    if isinstance(b, int):
        return a, b
    first = min(atom.uid for atom in a.atoms()), a.const
    second = min(atom.uid for atom in b.atoms()), b.const
    return (a, b) if first <= second else (b, a)


def _mono_bounds(mono: tuple[Atom, ...]) -> Bounds:
    low, high = mono[0].bounds
    for atom in mono[1:]:
        low, high = OPERATORS["*"].intervals((low, high), atom.bounds)
    return low, high


def _tightened(value: Sym, low: float, high: float) -> Bounds:
    """Bounds that know `0 <= a % b < b`."""
    moduli, rest = split_remainders(value)
    if moduli:
        least: Int = rest
        most: Int = rest
        for scale, atom in moduli:
            end = (atom.divisor - 1) * scale
            least, most = (least, most + end) if scale > 0 else (least + end, most)
        low, high = max(low, bounds(least)[0]), min(high, bounds(most)[1])
    return low, high


def split_remainders(value: Sym) -> tuple[list[tuple[int, FloorDiv]], Int]:
    """`value` as a sum of `scale * (dividend % divisor)` and a rest; divisors are positive."""
    found: list[tuple[int, FloorDiv]] = []
    rest: Int = value
    for mono in value.terms:
        atom = mono[-1]  # divisors are older than the divisions by them
        if not isinstance(atom, FloorDiv) or not isinstance(rest, Sym) or bounds(atom.divisor)[0] < 1:
            continue
        divided = linear(atom.divisor * Sym({(atom,): 1}, 0))[0]
        factor = divided.get(mono)
        coefficient = rest.terms.get(mono, 0)
        if factor is None or coefficient % factor or len(linear(atom.divisor)[0]) > 1:
            continue
        scale = -coefficient // factor
        if any(rest.terms.get(m, 0) != -scale * c for m, c in divided.items()):
            continue  # one part of it would be traded for the other, and back
        if scale and all(_same_side(rest.terms.get(m, 0), scale * c) for m, c in atom.dividend.terms.items()):
            found.append((scale, atom))
            rest = rest - (atom.dividend - atom.divisor * Sym({(atom,): 1}, 0)) * scale
    return found, rest


def _same_side(have: int, want: int) -> bool:
    return have * want > 0 and abs(have) >= abs(want)


def linear(value: Int) -> tuple[dict[tuple[Atom, ...], int], int]:
    """Terms and constant."""
    return (value.terms, value.const) if isinstance(value, Sym) else ({}, value)


def floor_div(a: Int, b: Int) -> Any:
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
    quotient, rest = _divide_terms(a, b)
    if isinstance(rest, int):
        return quotient + floor_div(rest, b)
    if bounds(b)[0] >= 1 and rest.terms[min(rest.terms, key=rank)] < 0:
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
    quotient = _make(whole, a.const // b)
    const = a.const % b
    if not rest:
        return quotient
    low, high = Sym(rest, const).bounds
    if low >= 0 and high < b:
        return quotient
    common = gcd(b, *rest.values())
    if rest[min(rest, key=rank)] < 0:  # one form for a ceiling: `-(-a // b)` is `(a + b - 1) // b`
        return quotient - _div_by_number(Sym({m: -c for m, c in rest.items()}, b - 1 - const), b)
    if common > 1:
        return quotient + _div_by_number(Sym({m: c // common for m, c in rest.items()}, const // common), b // common)
    return quotient + _div_atom(Sym(rest, const), b)


def rank(mono: tuple[Atom, ...]) -> tuple[int, ...]:
    return tuple(a.uid for a in mono)


def _div_atom(a: Sym, b: Int) -> Any:
    if isinstance(b, int) and b == 1:
        return _make(a.terms, a.const)
    inner = a.as_atom
    if isinstance(inner, FloorDiv) and isinstance(b, int) and isinstance(inner.divisor, int):
        return floor_div(inner.dividend, inner.divisor * b)
    return _interned(("div", a.key, key_of(b)), lambda: FloorDiv(a, b))


def _divide_terms(a: Sym, b: Sym) -> tuple[Int, Int]:
    """Quotient and rest of a division by a polynomial: exact where `b` is one product, or where `a` is a multiple."""
    if len(b.terms) == 1 and b.const == 0:
        ((divisor, factor),) = b.terms.items()
        whole: dict[tuple[Atom, ...], int] = {}
        rest: dict[tuple[Atom, ...], int] = {}
        for mono, c in a.terms.items():
            left = _without(mono, divisor)
            if left is not None and c % factor == 0:
                whole[left] = c // factor
            else:
                rest[mono] = c
        const = whole.pop((), 0)
        return _make(whole, const), _make(rest, a.const)
    for factor in {c // d for c in a.terms.values() for d in list(b.terms.values())[:1] if c % d == 0}:
        difference = a - b * factor
        if isinstance(difference, int) and difference == 0:
            return factor, 0
    return 0, a


def _without(mono: tuple[Atom, ...], divisor: tuple[Atom, ...]) -> tuple[Atom, ...] | None:
    rest = list(mono)
    for atom in divisor:
        if atom not in rest:
            return None
        rest.remove(atom)
    return tuple(rest)


def choose(condition: Any, then: Int, otherwise: Int) -> Int:
    """`then if condition else otherwise`."""
    if condition is True or key_of(then) == key_of(otherwise):
        return then
    if condition is False:
        return otherwise
    return _interned(("ite", condition.key, key_of(then), key_of(otherwise)), lambda: Ite(condition, then, otherwise))


def substitute(value: Any, mapping: Mapping[Atom, Int]) -> Any:
    """`value` (an integer) with atoms replaced, and everything built on them rebuilt."""
    if not isinstance(value, Sym) or not mapping:
        return value
    if not any(_mentions(atom, mapping) for atom in value.atoms()):
        return value
    total: Any = value.const
    for mono, c in value.terms.items():
        term: Any = c
        for atom in mono:
            term = term * _replace(atom, mapping)
        total = term + total
    return total


def _mentions(atom: Atom, mapping: Mapping[Atom, Int]) -> bool:
    if atom in mapping:
        return True
    if isinstance(atom, Var):
        return False
    return any(_mentions(a, mapping) for child in atom.children() for a in child.atoms())


def _replace(atom: Atom, mapping: Mapping[Atom, Int]) -> Any:
    found = mapping.get(atom)
    if found is not None:
        return found
    if isinstance(atom, Var) or not _mentions(atom, mapping):
        return Sym({(atom,): 1}, 0)
    if isinstance(atom, FloorDiv):
        return floor_div(substitute(atom.dividend, mapping), substitute(atom.divisor, mapping))
    if isinstance(atom, (Min, Max)):
        left, right = substitute(atom.left, mapping), substitute(atom.right, mapping)
        if isinstance(left, int) and isinstance(right, int):
            return min(left, right) if isinstance(atom, Min) else max(left, right)
        big, small = (left, right) if isinstance(left, Sym) else (right, left)
        return big.minimum(small) if isinstance(atom, Min) else big.maximum(small)
    if isinstance(atom, Ite):
        return choose(
            conditions.substitute(atom.condition, mapping),
            substitute(atom.then, mapping),
            substitute(atom.otherwise, mapping),
        )
    raise AssertionError(f"unknown atom {atom!r}")


from . import conditions  # noqa: E402  (the two modules describe each other)
