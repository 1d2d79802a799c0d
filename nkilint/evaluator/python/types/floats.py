"""Arithmetic of numbers that are no integers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from nkilint.base.ir import Span
from nkilint_rules.language.division_by_zero import DivisionByZero

from ...state.machine import Machine
from ...state.paths import demand
from ...values.numbers import OF_NUMPY, POSITIVE, REAL, OfNumpy, Quotient, Whole, in_whole_steps, of_whole, share_of
from ..signs import divides, is_positive, power


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
    positive = found is REAL and op in ("+", "*", "/") and all(is_positive(machine, each) for each in (left, right))
    return POSITIVE if positive else found


_SUMS: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_STEPS: dict[str, Callable[[Any, Any], Any]] = {"//": operator.floordiv, "%": operator.mod}
