"""Conditions over symbolic integers: comparisons with zero, conjunctions, disjunctions and opaque facts.

Plain `True` and `False` stand for themselves; a `Cond` is always undecided. Negation is pushed to the leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from math import gcd, inf
from typing import Any, TypeVar, Union

from nkilint_rules.words.conditions import Unknown

from .absorption import without_implied
from .atoms import FloorDiv, Int, Ite, Var, bounds, find, keep
from .division import modulo, split_remainders
from .equivalents import of_one_remainder, of_two_sides, undivided, without_extremum
from .factors import divided_by, in_lowest_terms, shared_factor
from .integers import Sym, first_of, key_of
from .work import charge

Truth = Union["Cond", bool]


class Cond:
    """An undecided condition. Equal ones have equal keys, which are small; comparisons, conjunctions and disjunctions
    that are equal are one object."""

    __slots__ = ("_newest", "_opaque", "_opposite", "_text", "_variables", "key")
    __hash__ = None  # type: ignore[assignment]
    key: tuple[Any, ...]

    def _begin(self, key: tuple[Any, ...]) -> None:
        self.key = key
        self._opposite: Any = None
        self._newest: int | None = None
        self._variables: Mapping[Var, None] | None = None  # what `variables` found
        self._opaque: tuple[Opaque, ...] | None = None  # what `opaque_parts` found
        self._text: str | None = None  # as it is printed

    def expressions(self) -> Iterable[Sym]:
        """The integers compared in it, each once."""
        raise AssertionError("abstract")

    @property
    def newest(self) -> int:
        """The number of its youngest atom; all that it is built on is older."""
        if self._newest is None:
            self._newest = max((e.newest for e in self.expressions()), default=0)
        return self._newest

    def opposite(self) -> Any:
        raise AssertionError("abstract")

    def __and__(self, other: Any) -> Any:
        return other if isinstance(other, Unknown) else conjunction((self, other))

    __rand__ = __and__

    def __or__(self, other: Any) -> Any:
        return other if isinstance(other, Unknown) else disjunction((self, other))

    __ror__ = __or__

    def __invert__(self) -> Any:
        if self._opposite is None:
            self._opposite = self.opposite()
        return self._opposite

    def __bool__(self) -> bool:
        raise TypeError("a condition has no truth value; use all_of, any_of or the prover")

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Cond) and self.key == other.key

    def __str__(self) -> str:
        if self._text is None:
            from .printing import show_condition  # which prints all that this package makes, so it comes last

            self._text = show_condition(self)
        return self._text

    __repr__ = __str__


class Compare(Cond):
    """`left >= 0`, `left == 0` or `left != 0`."""

    __slots__ = ("left", "relation")

    left: Sym
    relation: str

    def __new__(cls, relation: str, left: Sym) -> Compare:
        key = (relation, left.key)
        known: Compare | None = find(key)
        if known is None:
            known = keep(key, object.__new__(cls))
            known._begin(key)
            known.relation, known.left = relation, left
        return known

    def expressions(self) -> Iterable[Sym]:
        return (self.left,)

    def opposite(self) -> Any:
        if self.relation == ">=":
            return at_least_zero(-self.left - 1)
        return unequal_zero(self.left) if self.relation == "==" else equal_zero(self.left)


_NUMBERS = count()  # of junctions; those of one kernel never stand for another's
J = TypeVar("J", bound="_Junction")


class _Junction(Cond):
    __slots__ = ("_expressions", "parts")
    parts: tuple[Cond, ...]
    _expressions: tuple[Sym, ...] | None

    def __new__(cls: type[J], parts: tuple[Cond, ...]) -> J:
        key = (cls.__name__, *(p.key for p in parts))
        known: J | None = find(key)
        if known is None:
            known = keep(key, object.__new__(cls))
            known._begin((cls.__name__, next(_NUMBERS)))
            known.parts, known._expressions = parts, None
        return known

    def expressions(self) -> Iterable[Sym]:
        if self._expressions is None:
            self._expressions = tuple({e.key: e for part in self.parts for e in part.expressions()}.values())
        return self._expressions


class And(_Junction):
    """All parts hold."""

    __slots__ = ()

    def opposite(self) -> Any:
        return disjunction(~p for p in self.parts)


class Or(_Junction):
    """Some part holds."""

    __slots__ = ()

    def opposite(self) -> Any:
        return conjunction(~p for p in self.parts)


class Opaque(Cond):
    """A fact of which only the identity is known: two agree that have the same name and number, for the same values
    `of` the loops around. `kind` is "input" for something the caller chooses (a dtype, a flag), "runtime" for a value
    on the device, "unknown" for what nobody could determine."""

    __slots__ = ("identity", "kind", "name", "negated", "number", "of")

    def __init__(self, name: str, kind: str, negated: bool = False, number: int = 0, of: tuple[Int, ...] = ()) -> None:
        self.identity = (name, number, *map(key_of, of)) if number or of else name
        self._begin(("opaque", self.identity, negated))
        self.name, self.kind, self.negated, self.number, self.of = name, kind, negated, number, of

    def expressions(self) -> Iterable[Sym]:
        return (value for value in self.of if isinstance(value, Sym))

    def opposite(self) -> Any:
        return Opaque(self.name, self.kind, not self.negated, self.number, self.of)


def opaque_parts(condition: Cond) -> tuple[Opaque, ...]:
    """The opaque facts in a condition, each once."""
    known = condition._opaque
    if known is None:
        if isinstance(condition, _Junction):
            parts = [opaque for part in condition.parts for opaque in opaque_parts(part)]
            known = tuple({part.key: part for part in parts}.values())
        else:
            known = (condition,) if isinstance(condition, Opaque) else ()
        condition._opaque = known
    return known


def truth_by(condition: Any, leaf: Callable[[Any], bool | None]) -> bool | None:
    """Whether a condition is true by what `leaf` says of its parts that join no others; None where it hangs on more."""

    def joined(part: Any, truths: list[bool | None]) -> bool | None:
        deciding = isinstance(part, Or)
        return deciding if deciding in truths else None if None in truths else not deciding

    truth: bool | None = _folded(condition, leaf, joined)
    return truth


def with_leaves(condition: Any, leaf: Callable[[Any], Any]) -> Any:
    """A condition with what `leaf` makes of its parts that join no others."""
    return _folded(condition, leaf, lambda part, parts: (disjunction if isinstance(part, Or) else conjunction)(parts))


def _folded(condition: Any, leaf: Callable[[Any], Any], joined: Callable[[Any, list[Any]], Any]) -> Any:
    """What `joined` makes of a condition that joins others; one that is a part of many is looked at once."""
    known: dict[int, Any] = {}

    def found(part: Any) -> Any:
        if not isinstance(part, _Junction):
            return leaf(part)
        if id(part) not in known:
            known[id(part)] = joined(part, [found(each) for each in part.parts])
        return known[id(part)]

    return found(condition)


def leaves(conditions: Iterable[Any]) -> Iterator[Any]:
    """The conjuncts of `conditions`."""
    for condition in conditions:
        if isinstance(condition, And):
            yield from leaves(condition.parts)
        else:
            yield condition


def conjuncts(conditions: Iterable[Any]) -> list[Any]:
    """The conjuncts of `conditions`, each once and without those that hold; only False where one is."""
    return [part for part in leaves([conjunction(conditions)]) if part is not True]


def at_least_zero(value: Any) -> Any:
    """`value >= 0`; an equation where `value` is never more."""
    if isinstance(value, Unknown):
        return value
    low, high = bounds(value)
    if low >= 0:
        return True
    if high < 0:
        return False
    assert isinstance(value, Sym)
    key = ("at least zero", value.key)
    known = find(key)
    return keep(key, _at_least_zero(value, low, high)) if known is None else known


def _at_least_zero(value: Sym, low: float, high: float) -> Any:
    if (decides := _chosen(value, _is_positive)) is not None:
        return decides
    if high == 0:
        return equal_zero(value)
    if low == -1 and _is_remainder(value + 1):
        return unequal_zero(value + 1)
    reduced = in_lowest_terms(value)  # rounding the constant down keeps integer solutions
    if reduced.const in (0, -1) and (positive := shared_factor(reduced, 1)) is not None:
        return at_least_zero(divided_by(reduced, positive) + reduced.const)
    if (simpler := undivided(reduced)) is None:
        simpler = of_one_remainder(reduced)
    if simpler is None:
        simpler = without_extremum(reduced)
    return Compare(">=", reduced) if simpler is None else at_least_zero(simpler)


def equal_zero(value: Any) -> Any:
    """`value == 0`; of a remainder in the one form `(a - r) % b == 0`."""
    if isinstance(value, Unknown):
        return value
    low, high = bounds(value)
    if low > 0 or high < 0:
        return False
    if low == high == 0:
        return True
    assert isinstance(value, Sym)
    key = ("zero", value.key)
    known = find(key)
    return keep(key, _equal_zero(value, low, high)) if known is None else known


def _equal_zero(value: Sym, low: float, high: float) -> Any:
    if (decides := _chosen(value, _is_zero)) is not None:
        return decides
    edge = in_lowest_terms(-value if low == 0 else value) if 0 in (low, high) and len(value.terms) == 1 else None
    if edge is not None and (simpler := undivided(edge)) is not None:  # `n <= 512` for `ceil(n / 512) == 1`
        return at_least_zero(simpler)
    if value.const % gcd(*value.terms.values()):
        return False
    if value.const == 0:
        if (positive := shared_factor(value, 1)) is not None:
            return equal_zero(divided_by(value, positive))
        if len(value.terms) > 1 and (other := shared_factor(value, -inf)) is not None:
            return disjunction([equal_zero(Sym({(other,): 1}, 0)), equal_zero(divided_by(value, other))])
    reduced = _signed(in_lowest_terms(value))
    if (smaller := of_two_sides(reduced)) is not None:
        return at_least_zero(smaller)
    if any(type(mono[-1]) is FloorDiv for mono in reduced.terms):
        shifted = _congruent(reduced)
        if not isinstance(shifted, Sym):
            return shifted == 0
        reduced = _signed(shifted)
    return Compare("==", reduced)


def _chosen(value: Sym, decided: Callable[[Any], bool | None]) -> Any:
    """The condition of a choice between two numbers of which only one is as asked, where all of it is about numbers."""
    ((mono, scale), *more) = value.terms.items()
    if more or len(mono) > 1 or not isinstance(mono[0], Ite) or opaque_parts(mono[0].condition):
        return None
    then, otherwise = (decided(side * scale + value.const) for side in (mono[0].then, mono[0].otherwise))
    told = None not in (then, otherwise) and then is not otherwise
    return (mono[0].condition if then else ~mono[0].condition) if told else None


def _is_positive(value: Any) -> bool | None:
    """Whether a number is at least zero, as far as its bounds tell."""
    low, high = bounds(value)
    return True if low >= 0 else False if high < 0 else None


def _is_zero(value: Any) -> bool | None:
    """Whether a number is zero, as far as its bounds and its factors tell."""
    low, high = bounds(value)
    if low == high == 0:
        return True
    divides = isinstance(value, Sym) and value.const % gcd(*value.terms.values()) == 0
    return None if low <= 0 <= high and divides else False


def _is_remainder(value: Any) -> bool:
    moduli, rest = split_remainders(value)
    return len(moduli) == 1 and isinstance(rest, int) and rest == 0


def _congruent(value: Sym) -> Any:
    """`(a - r) % b` for `a % b - r` with `0 <= r < b`; otherwise `value`."""
    moduli, rest = split_remainders(value)
    if len(moduli) != 1:
        return value
    scale, atom = moduli[0]
    remainder = -rest if scale == 1 else rest if scale == -1 else None
    if remainder is None or (isinstance(remainder, int) and remainder == 0):
        return value
    if bounds(remainder)[0] < 0 or bounds(atom.divisor - 1 - remainder)[0] < 0:
        return value
    return modulo(atom.dividend - remainder, atom.divisor)


def unequal_zero(value: Any) -> Any:
    """`value != 0`."""
    if isinstance(value, Sym) and value.bounds[0] == 0 and not _is_remainder(value):
        return at_least_zero(value - 1)
    if isinstance(value, Sym) and value.bounds[1] == 0 and not _is_remainder(-value):
        return at_least_zero(-value - 1)
    equal = equal_zero(value)
    if isinstance(equal, Compare) and equal.relation == "==":
        return Compare("!=", equal.left)
    return ~equal if isinstance(equal, Cond) else equal if isinstance(equal, Unknown) else not equal


COMPARISONS: dict[str, Callable[[Any], Any]] = {">=": at_least_zero, "==": equal_zero, "!=": unequal_zero}


def _signed(value: Sym) -> Sym:
    return -value if value.terms[first_of(value.terms)] < 0 else value


def _flatten(parts: Iterable[Any], kind: type[_Junction], absorbing: bool) -> list[Cond] | bool | Unknown:
    charge(2)
    seen, unknown = dict[Any, Cond](), None
    for part in parts:
        if type(part) is kind:
            charge(len(part.parts))
            for leaf in part.parts:
                seen.setdefault(leaf.key, leaf)
        elif part is absorbing:
            return bool(part)
        elif isinstance(part, Cond):
            charge(1)
            seen.setdefault(part.key, part)
        elif isinstance(part, Unknown):
            unknown = part
    if unknown is not None:
        return unknown
    if len(seen) < 2:
        return list(seen.values()) or not absorbing
    key = ("flat", absorbing, *seen)
    known: list[Cond] | bool | None = find(key)
    return keep(key, without_implied(list(seen.values()), absorbing)) if known is None else known


def conjunction(parts: Iterable[Any]) -> Any:
    return _joined(_flatten(parts, And, False), And)


def disjunction(parts: Iterable[Any]) -> Any:
    return _joined(_flatten(parts, Or, True), Or)


def _joined(flat: list[Cond] | bool | Unknown, kind: type[_Junction]) -> Any:
    if not isinstance(flat, list):
        return flat
    return flat[0] if len(flat) == 1 else kind(tuple(flat))
