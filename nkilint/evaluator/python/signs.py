"""What is known of the signs of numbers, be they integers or not."""

from __future__ import annotations

import math
import sys
from typing import Any

from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import Unknown, all_of, any_of

from ..state.machine import Machine
from ..values.numbers import OF_CALLER, POSITIVE, REAL, OfCaller, OfNumpy, Positive, Quotient, Real, Whole


def above_zero(value: Any) -> Any:
    """The condition that a number is positive."""
    if isinstance(value, (int, float, Sym)):
        return value > 0
    if isinstance(value, Whole):
        return value.value > 0
    if isinstance(value, Quotient):
        one, other = value.dividend, value.divisor
        return any_of((all_of((one > 0, other > 0)), all_of((one < 0, other < 0))))
    return True if isinstance(value, Positive) else Unknown("the sign of a number that is not known")


def not_below_zero(value: Any) -> Any:
    """The condition that a number is positive, or zero."""
    if isinstance(value, (int, float, Sym)):
        return value >= 0
    return any_of((above_zero(value), value.dividend == 0)) if isinstance(value, Quotient) else above_zero(value)


def divides(machine: Machine, value: Any) -> Any:
    """The condition that Python does not raise when it divides by a number: numpy gives infinity for its own, of which
    integers as floats may be."""
    if isinstance(value, (int, float, Sym)):
        return value != 0
    if isinstance(value, Real) and is_of_caller(machine, value):
        return granted(machine)
    if isinstance(value, Quotient):
        return value.dividend != 0
    whole = isinstance(value, Whole) and machine.truth(value.value != 0) is True
    return whole or isinstance(value, (Positive, OfNumpy)) or Unknown("division by a number that may be 0")


def granted(machine: Machine) -> bool:
    """Numbers that the caller gives are such that Python does not raise at what is made of them."""
    machine.trace.assumptions.setdefault(f"line {machine.at.row} gets numbers that it computes with", None)
    return True


def is_of_caller(machine: Machine, value: Any) -> bool:
    """Whether a number is made of such as the caller gives, and of no size."""
    if isinstance(value, Quotient):
        parts = value.dividend, value.divisor
        return all(isinstance(part, int) or is_of_caller(machine, part) for part in parts)
    if not isinstance(value, Sym):
        return isinstance(value, OfCaller)
    powers = machine.memo.get(POWERS, ())
    return all(v in powers or (v.kind == "input" and v.low is None) for v in variables(value))


POWERS = "powers of numbers that the caller gives"


def is_positive(machine: Machine, value: Any) -> bool:
    """Whether a number is certainly above zero."""
    goal = above_zero(value)
    return not isinstance(goal, Unknown) and machine.truth(goal) is True


def power(machine: Machine, base: Any, exponent: Any) -> Any:
    """Of no positive number it may be a complex one, or division by zero; and Python raises where it is too large."""
    if any(isinstance(each, OfCaller) for each in (base, exponent)):
        granted(machine)
        return OF_CALLER
    if not is_positive(machine, base):
        return Unknown("a power of a number that may not be positive")
    if isinstance(exponent, (int, float)) and abs(exponent) <= FEW:
        return POSITIVE
    known = isinstance(base, (int, float)) and isinstance(exponent, Sym)
    if known and machine.truth(_is_small(base, exponent)) is True:
        return REAL
    return Unknown("a power that may be too large for a float")


FEW = 16  # factors, of sizes as well


def _is_small(base: float, exponent: Sym) -> Any:
    """The condition that a power of a positive number is no larger than floats are."""
    if base == 1:
        return True
    most = int(sys.float_info.max_exp // abs(math.log2(base)))
    return exponent < most if base > 1 else exponent > -most
