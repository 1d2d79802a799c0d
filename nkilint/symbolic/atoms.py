"""Atoms of symbolic integers: variables, floor divisions, minima, maxima, powers of two, choices. Equal ones are one
object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar, Union

from .operators import OPERATORS
from .operators import Interval as Bounds

if TYPE_CHECKING:
    from .conditions import Cond
    from .integers import Sym

Int = Union["Sym", int]
T = TypeVar("T")


def bounds(value: Int) -> Bounds:
    """Smallest and largest value for any input."""
    return (value, value) if isinstance(value, int) else value.bounds


class Atom:
    """An indivisible term; `bounds` hold for every input. `operator` and `operands` describe one built by an operator
    of the table."""

    __slots__ = ("bounds", "itself", "key", "text", "uid", "variables")
    operator: str
    uid: int
    key: tuple[Any, ...]
    bounds: Bounds
    variables: Mapping[Var, None] | None  # that it is built on, once they were asked for
    text: str | None  # as it is printed, once it was
    itself: Sym | None  # the integer that it is, once it was asked for

    def __lt__(self, other: Atom) -> bool:
        return self.uid < other.uid

    @property
    def operands(self) -> tuple[Int, Int]:
        raise AssertionError("a variable or a choice has no operands")

    def children(self) -> Iterator[Sym]:
        return iter(())


QUANTIFIED = frozenset({"loop", "axis", "program"})  # kinds of variables that take all values of their ranges
UNKNOWABLE = frozenset({"carried", "runtime"})  # kinds that nobody chooses


class Var(Atom):
    """A variable. `kind` is "input" (a dimension or scalar argument), "loop" (an iteration number), "axis" (an element
    of an access), "program" (position in the launch grid), "carried" (a value a loop changes in no closed form) or
    "runtime" (a value only the device knows).

    `low` and `high` bound it, both inclusive, and may be symbolic; it is `never` some of the numbers between. `source`
    says where it comes from, or lists the names of its values from 0 on."""

    __slots__ = ("high", "kind", "low", "name", "never", "source")

    def __init__(
        self,
        name: str,
        kind: str,
        low: Int | None,
        high: Int | None,
        source: str = "",
        never: tuple[int, ...] = (),
    ) -> None:
        self.name, self.kind, self.low, self.high, self.source, self.never = name, kind, low, high, source, never
        self.bounds = (
            -inf if low is None else bounds(low)[0],
            inf if high is None else bounds(high)[1],
        )

    @property
    def told(self) -> str:
        """Its name, as a reason why something is unknown."""
        return f"`{self.name}`, which only the device knows" if self.kind == "runtime" else f"`{self.name}`"

    def children(self) -> Iterator[Sym]:
        return (b for b in (self.low, self.high) if b is not None and not isinstance(b, int))

    def __repr__(self) -> str:
        return self.name


class FloorDiv(Atom):
    """`dividend // divisor`; some number where the divisor is zero, and that it is not is an obligation of its own."""

    __slots__ = ("dividend", "divisor", "multiple")
    operator = "//"
    multiple: Mapping[tuple[Atom, ...], int] | None  # what `split_remainders` looks for in a sum, once it did

    def __init__(self, dividend: Sym, divisor: Int) -> None:
        self.dividend, self.divisor, self.multiple = dividend, divisor, None
        self.bounds = OPERATORS["//"].intervals(bounds(dividend), bounds(divisor))

    @property
    def operands(self) -> tuple[Int, Int]:
        return self.dividend, self.divisor

    def children(self) -> Iterator[Sym]:
        yield self.dividend
        if not isinstance(self.divisor, int):
            yield self.divisor


class _Extremum(Atom):
    __slots__ = ("left", "right")

    def __init__(self, left: Int, right: Int) -> None:
        self.left, self.right = left, right
        self.bounds = OPERATORS[self.operator].intervals(bounds(left), bounds(right))

    @property
    def operands(self) -> tuple[Int, Int]:
        return self.left, self.right

    def children(self) -> Iterator[Sym]:
        return (x for x in (self.left, self.right) if not isinstance(x, int))


class Min(_Extremum):
    """The smaller of two."""

    __slots__ = ()
    operator = "min"


class Max(_Extremum):
    """The larger of two."""

    __slots__ = ()
    operator = "max"


class Power(Atom):
    """`2**exponent`, rounded down: 0 for negative exponents."""

    __slots__ = ("exponent",)

    def __init__(self, exponent: Sym) -> None:
        self.exponent = exponent
        self.bounds = self.interval(bounds(exponent))

    @staticmethod
    def number(exponent: int) -> int:
        return 1 << min(exponent, MOST_BITS) if exponent >= 0 else 0

    @classmethod
    def interval(cls, exponent: Bounds) -> Bounds:
        low, high = exponent
        least = 0 if low == -inf else cls.number(int(min(low, MOST_BITS)))
        return least, cls.number(int(high)) if high < MOST_BITS else inf

    def children(self) -> Iterator[Sym]:
        yield self.exponent


MOST_BITS = 4096  # of a power that is computed


class Ite(Atom):
    """`then` where `condition` holds, else `otherwise`."""

    __slots__ = ("condition", "otherwise", "then")

    def __init__(self, condition: Cond, then: Int, otherwise: Int) -> None:
        self.condition, self.then, self.otherwise = condition, then, otherwise
        a, b = bounds(then), bounds(otherwise)
        self.bounds = (min(a[0], b[0]), max(a[1], b[1]))

    def children(self) -> Iterator[Sym]:
        yield from (x for x in (self.then, self.otherwise) if not isinstance(x, int))
        yield from self.condition.expressions()


_SHARED: dict[tuple[Any, ...], Any] = {}
_COUNTER = [0]


def start_afresh() -> None:
    """Forget all atoms and conditions. Values made before must not be mixed with later ones."""
    _SHARED.clear()
    _COUNTER[0] = 0


def find(key: tuple[Any, ...]) -> Any:
    """The one object of that key; None where there is none yet."""
    return _SHARED.get(key)


def keep(key: tuple[Any, ...], made: T) -> T:
    """Let `made` be the one object of that key."""
    _SHARED[key] = made
    return made


def intern(key: tuple[Any, ...], make: Callable[[], Atom]) -> Atom:
    """The atom of that key, made where there is none yet, with the next number."""
    atom: Atom | None = _SHARED.get(key)
    if atom is None:
        atom = _SHARED[key] = make()
        atom.key = key
        atom.variables = atom.text = atom.itself = None
        _COUNTER[0] += 1
        atom.uid = _COUNTER[0]
    return atom
