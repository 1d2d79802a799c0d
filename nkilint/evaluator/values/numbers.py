"""Numbers that are no integers, and which values are plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import Unknown

from .substitution import in_parts, rewritten


class Real:
    """A number that is no integer and whose value is not known."""

    __slots__ = ()

    def _real(self, *_: Any) -> Real:
        return REAL

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _real
    __pow__ = __rpow__ = __neg__ = __abs__ = __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = _real

    def __pos__(self) -> Real:
        return self

    def _open(self, other: Any) -> Any:
        return Unknown("comparison of numbers that are not integers")

    __lt__ = __le__ = __gt__ = __ge__ = _open


class Positive(Real):
    """One that is above zero."""

    __slots__ = ()

    def __abs__(self) -> Real:
        return self


class OfNumpy(Real):
    """One of numpy's, which divides by zero without raising."""

    __slots__ = ()


class OfCaller(Real):
    """One that is made of a number which the caller gives."""

    __slots__ = ()

    def _real(self, *_: Any) -> Real:
        return self

    __neg__ = __abs__ = _real


REAL, POSITIVE, OF_NUMPY, OF_CALLER = Real(), Positive(), OfNumpy(), OfCaller()
NUMERIC = (int, float, Real, Sym)
"""The types of numbers, of known values and of others."""


def is_numeric(value: Any) -> bool:
    """Whether it is a number, whose value need not be known."""
    return isinstance(value, NUMERIC) and not isinstance(value, bool)


class SomeFloat(float):
    """What the rulebook is given for a number whose value is not known: but for its type, whatever is asked of it is
    unknown. Its `parts` are the integers that it is made of, where that is known."""

    parts: tuple[Any, ...] | None = None

    def _open(self, *_: object) -> Any:
        return Unknown("a number whose value is not known")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __neg__ = __pos__ = __abs__ = _open
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _open
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _open
    __hash__ = float.__hash__

    @classmethod
    def made_of(cls, parts: tuple[Any, ...] | None) -> SomeFloat:
        made = cls(0.5)
        made.parts = parts
        return made


class Quotient(Real):
    """A true division of integers whose result is not known: its floor and ceiling are integers."""

    __slots__ = ("dividend", "divisor")

    def __init__(self, dividend: Any, divisor: Any) -> None:
        self.dividend, self.divisor = dividend, divisor

    def __neg__(self) -> Real:
        return Quotient(-self.dividend, self.divisor)


def parts_of(value: Any) -> tuple[Any, ...] | None:
    """The integers that a number whose value is not known is made of; None where that is not known either."""
    if isinstance(value, SomeFloat):
        return value.parts
    if isinstance(value, Quotient):
        return value.dividend, value.divisor
    return (value.value,) if isinstance(value, Whole) else None


def share_of(one: Any, other: Any) -> Real:
    """The product of a size and a float, in either order: for one like 0.46 the quotient 23 * size / 50, which has the
    same floor and ceiling. The float is so near to the fraction that an integer as product is exact: half a unit in the
    last place below a power of two is 2**-54 of it."""
    size, factor = (one, other) if isinstance(one, Sym) else (other, one)
    if not isinstance(size, Sym) or not isinstance(factor, float) or not 0 < abs(factor) < LARGEST:
        return REAL
    fraction = Fraction(factor).limit_denominator(LARGEST)
    if not fraction or abs(Fraction(factor) / fraction - 1) * 2**54 >= 1:
        return REAL
    return Quotient(size * fraction.numerator, fraction.denominator)


LARGEST = 1000  # number, and denominator of a fraction, that a float may stand for: sizes stay below 2**40


class Whole(Real):
    """A float whose value is the integer `value`: what numpy's roundings give."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __neg__(self) -> Real:
        return Whole(-self.value)

    def __abs__(self) -> Real:
        return Whole(abs(self.value))


@rewritten.of(Quotient)
def _in_quotient(value: Quotient, mapping: Mapping[Any, Any]) -> Any:
    return in_parts(value, (value.dividend, value.divisor), _quotient, mapping)


def _quotient(dividend: Any, divisor: Any) -> Any:
    known = isinstance(dividend, int) and isinstance(divisor, int) and divisor != 0
    return dividend / divisor if known and abs(dividend) <= MOST else Quotient(dividend, divisor)


MOST = 2**53  # up to which floats tell all integers apart


@rewritten.of(Whole)
def _in_whole(value: Whole, mapping: Mapping[Any, Any]) -> Any:
    return in_parts(value, (value.value,), _whole, mapping)


def _whole(value: Any) -> Any:
    return float(value) if isinstance(value, int) and abs(value) <= MOST else Whole(value)


def of_whole(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Real:
    """A sum, difference or product of a float whose value is an integer and of an integer, or of another such."""
    numbers = [each.value if isinstance(each, Whole) else each for each in (left, right)]
    return Whole(operation(*numbers)) if all(isinstance(each, (int, Sym)) for each in numbers) else REAL


def in_whole_steps(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Real:
    """`//` or `%` of a size and a float: of one that is an integer, exactly what integers give, as a float."""
    size, number = (left, right) if isinstance(left, Sym) else (right, left)
    if not isinstance(size, Sym) or not isinstance(number, float) or not number.is_integer() or abs(number) > LARGEST:
        return REAL
    return Whole(operation(left, int(right)) if isinstance(left, Sym) else operation(int(left), right))


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_plain(value: Any) -> bool:
    """Whether a value is made of numbers and texts, so that Python can order it."""
    if isinstance(value, tuple):
        return all(is_plain(item) for item in value)
    return isinstance(value, (int, float, str))
