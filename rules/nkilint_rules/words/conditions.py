"""Arithmetic and logic over values that are Python numbers or symbolic, and over values that are unknown.

Symbolic integers and conditions (the verifier's) overload the arithmetic, comparison and `& |` operators but have no
truth value. Rulebook code therefore never writes `if`, `and`, `or`, chained comparisons, `in`, `min` or `max` over
operand values; it uses these functions, which work on both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any


class IsUnknown(Exception):
    """Raised when a decision needs a value that analysis could not determine."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unknown:
    """A value that could not be determined; everything computed from it is unknown for the same reason."""

    __slots__ = ("reason",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Unknown({self.reason!r})"

    def __str__(self) -> str:
        return "?"

    def _absorb(self, *_: Any, **__: Any) -> Unknown:
        return self

    def __getattr__(self, name: str) -> Unknown:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def _refuse(self, *_: Any) -> Any:
        raise IsUnknown(self.reason)

    __call__ = __getitem__ = _absorb
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _absorb
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = _absorb
    __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __invert__ = _absorb
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __xor__ = __rxor__ = _absorb
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = __rand__ = __ror__ = _absorb

    def __eq__(self, other: object) -> Any:
        return self

    def __ne__(self, other: object) -> Any:
        return self

    __bool__ = __iter__ = __len__ = __index__ = __int__ = __contains__ = _refuse


def all_of(conditions: Iterable[Any]) -> Any:
    """Conjunction; `True` of nothing."""
    result: Any = True
    for condition in conditions:
        if condition is False:
            return False
        if condition is not True:
            result = condition if result is True else result & condition
    return result


def any_of(conditions: Iterable[Any]) -> Any:
    """Disjunction; `False` of nothing."""
    result: Any = False
    for condition in conditions:
        if condition is True:
            return True
        if condition is not False:
            result = condition if result is False else result | condition
    return result


def negation(condition: Any) -> Any:
    """The opposite condition."""
    return (not condition) if isinstance(condition, bool) else ~condition


def rounded_up(value: Any) -> Any:
    """A float as the least integer that is not below it."""
    return math.ceil(value) if isinstance(value, float) else value


def is_integer(value: Any) -> bool:
    """Whether a value is an integer, a symbolic one included."""
    if isinstance(value, (bool, Unknown)):
        return False
    return isinstance(value, int) or hasattr(value, "maximum")


def product(factors: Iterable[Any]) -> Any:
    """The product of sizes; 1 of nothing."""
    result: Any = 1
    for factor in factors:
        result = result * factor
    return result


def ceil_div(a: Any, b: Any) -> Any:
    return -((-a) // b)


def minimum(a: Any, b: Any) -> Any:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return min(a, b)
    if isinstance(a, Unknown):
        return a
    return a.minimum(b) if hasattr(a, "minimum") else b.minimum(a)


def maximum(a: Any, b: Any) -> Any:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return max(a, b)
    if isinstance(a, Unknown):
        return a
    return a.maximum(b) if hasattr(a, "maximum") else b.maximum(a)
