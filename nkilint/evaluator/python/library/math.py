"""`math`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.conditions import Unknown, product

from ...state.machine import Machine
from ...state.protocols import Args, Keywords, items_of
from ...values.host import HostArray
from ...values.numbers import REAL, Real, is_number
from ..rounding import ceil, floor, integer
from .registry import CONSTANTS, models

for _name in ("pi", "e", "inf", "nan"):
    CONSTANTS[f"math.{_name}"] = getattr(math, _name)


def plain_math(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        for value in args:
            if isinstance(value, Unknown):
                return value
        if all(is_number(a) for a in args):
            try:
                return function(*args)
            except (ValueError, OverflowError, ZeroDivisionError, TypeError) as error:
                return Unknown(f"arithmetic: {error}")
        if any(isinstance(a, HostArray) for a in args):
            return next(a for a in args if isinstance(a, HostArray))
        return (
            REAL
            if all(isinstance(a, (int, float, Sym, Real)) for a in args)
            else Unknown("a function of unknown values")
        )

    return call


@models("math.prod", "numpy.prod")
def _product(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return product(items_of(machine, args[0]))


models("math.ceil")(ceil)
models("math.floor")(floor)
models("math.trunc")(integer)


_NAMES = (
    "sqrt", "log", "log2", "log10", "exp", "pow", "gcd", "isqrt", "cos", "sin", "tan", "tanh", "fabs", "erf",
    "isclose", "lcm", "factorial", "atan", "hypot", "degrees", "radians",
)  # fmt: skip
for _name in _NAMES:
    models(f"math.{_name}")(plain_math(getattr(math, _name)))
