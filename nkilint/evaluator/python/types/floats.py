"""Arithmetic of numbers that are no integers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from nkilint.base.ir import Span
from nkilint_rules.language.division_by_zero import DivisionByZero

from ...state.machine import Machine
from ...state.paths import demand
from ...values.numbers import (
    OF_CALLER,
    OF_NUMPY,
    POSITIVE,
    REAL,
    OfNumpy,
    Quotient,
    Real,
    Whole,
    in_whole_steps,
    of_whole,
    share_of,
)
from ..signs import divides, is_of_caller, is_positive, power


def of_floats(machine: Machine, op: str, left: Any, right: Any, at: Span) -> Any:
    """`left op right`, of which one at least is no integer, and one at least is not known."""
    if op in ("/", "//", "%"):
        divisor = right.dividend if isinstance(right, Quotient) else right
        goal = True if isinstance(left, OfNumpy) else divides(machine, right)
        demand(machine, "ZeroDivisionError", DivisionByZero.message(expression=at, divisor=divisor), goal, at)
    if isinstance(left, OfNumpy) or isinstance(right, OfNumpy):
        return OF_NUMPY
    if op == "**":
        return power(machine, left, right)
    if op in ("//", "%"):
        return in_whole_steps(_STEPS[op], left, right)
    if op in ("+", "-", "*") and (isinstance(left, Whole) or isinstance(right, Whole)):
        found = of_whole(_SUMS[op], left, right)
    else:
        found = share_of(left, right) if op == "*" else REAL
    return _of_sign(machine, op, left, right) if found is REAL else found


def _of_sign(machine: Machine, op: str, left: Any, right: Any) -> Real:
    """What is known of what comes out: one with a number of the caller is such a number itself, but where it
    may be zero for the sake of a size."""
    if op != "-" and is_positive(machine, left) and is_positive(machine, right):
        return POSITIVE
    of_caller = [is_of_caller(machine, each) for each in (left, right)]
    others = [each for each, of in zip((left, right), of_caller, strict=True) if not of]
    free = op in ("+", "-") or all(is_positive(machine, each) or isinstance(each, float) for each in others)
    return OF_CALLER if any(of_caller) and free else REAL


_SUMS: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_STEPS: dict[str, Callable[[Any, Any], Any]] = {"//": operator.floordiv, "%": operator.mod}
