"""`math`."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from nkilint.symbolic.integers import Sym, choose, is_integer
from nkilint_rules.language.call_signature import CallSignature
from nkilint_rules.words.conditions import IsUnknown, Unknown, product

from ...device.inputs import settled_number
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords, items_of
from ...state.refusals import may_raise, refused
from ...values.host import HostArray
from ...values.numbers import OF_CALLER, POSITIVE, REAL, is_number, is_numeric
from ...values.tensors import View
from ..rounding import ceil, floor, integer
from ..signs import above_zero, granted, is_of_caller, is_positive, not_below_zero, power
from .registry import CONSTANTS, models

for _name in ("pi", "e", "inf", "nan"):
    CONSTANTS[f"math.{_name}"] = getattr(math, _name)


def of_numbers(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function of Python's own that takes numbers: what a tensor holds is none while the kernel is traced."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
            held = [value for value in args if isinstance(value, View)]
            if held:
                said = CallSignature.takes_none(callee=name, given="a tensor")
                return refused(machine, "TypeError", said, machine.at, *held)
            return function(machine, [settled_number(machine, value) for value in args], kwargs)

        return call

    return decorate


def plain_math(function: Callable[..., Any], otherwise: Any) -> Callable[..., Any]:
    """A function of numbers; of such as are not known it gives what `otherwise` is, or makes of them."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        for value in args:
            if isinstance(value, Unknown):
                return value
        if all(is_number(a) for a in args):
            try:
                return function(*args)
            except (ValueError, OverflowError, ZeroDivisionError) as error:
                raise Fault(type(error).__name__) from None
            except TypeError as error:
                return Unknown(f"arithmetic: {error}")
        if any(isinstance(a, HostArray) for a in args):
            return next(a for a in args if isinstance(a, HostArray))
        if not all(is_numeric(a) for a in args):
            return Unknown("a function of unknown values")
        return otherwise(machine, args) if callable(otherwise) else otherwise

    return call


def _where_defined(name: str) -> Callable[[Machine, Args], Any]:
    """What a function gives of numbers that are not known, where Python does not raise since they are not among those
    that the function is defined for."""

    def result(machine: Machine, args: Args) -> Any:
        if name == "pow":
            return power(machine, *args)
        if any(is_of_caller(machine, value) for value in args):
            granted(machine)
            return OF_CALLER
        first, *rest = args
        reason = f"`math.{name}` of a number that it may not be defined for"
        if name in _DOMAINS:
            raised, holds = _DOMAINS[name]
            may_raise(machine, raised, holds(first), reason)
        for base in rest if name == "log" else ():
            may_raise(machine, "ValueError", above_zero(base), reason)
            may_raise(machine, "ZeroDivisionError", base != 1 if isinstance(base, (int, float, Sym)) else True, reason)
        if name in _LOGARITHMS:
            beyond_one = isinstance(first, Sym) and not rest and machine.truth(first > 1) is True
            return POSITIVE if beyond_one else REAL
        return POSITIVE if name in _KEEPING_SIGNS and all(is_positive(machine, a) for a in args) else REAL

    return result


def _is_small(value: Any) -> Any:
    """The condition that `math.exp` of a number is no larger than floats are."""
    return value <= 709 if isinstance(value, (int, float, Sym)) else Unknown("the size of a number that is not known")


_LOGARITHMS = frozenset({"log", "log2", "log10"})
_DOMAINS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "exp": ("OverflowError", _is_small),
    "sqrt": ("ValueError", not_below_zero),
    **dict.fromkeys(_LOGARITHMS, ("ValueError", above_zero)),
}
"""What functions of one number raise, unless this holds of it."""
_KEEPING_SIGNS = frozenset({"atan", "degrees", "erf", "exp", "fabs", "hypot", "radians", "sqrt", "tanh"})
"""Functions that give positive numbers of positive ones."""


@models("math.prod", keywords=("start",))
def _product(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    return product([kwargs.get("start", 1), *items_of(machine, args[0])])


models("math.ceil")(ceil)
models("math.floor")(floor)
models("math.trunc")(integer)


def _exact(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives an integer or a truth, which is known for plain numbers only."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        args = [args[0]] if len(args) == 1 and isinstance(args[0], (int, float)) else args
        if not all(isinstance(value, (int, float)) for value in args):
            return Unknown("a function of numbers that are not known")
        try:
            return function(*args, **kwargs)
        except ValueError:
            raise Fault("ValueError") from None

    return call


_REAL = (
    "sqrt", "log", "log2", "log10", "exp", "pow", "cos", "sin", "tan", "tanh", "fabs", "erf", "atan", "hypot",
    "degrees", "radians",
)  # fmt: skip
_EXACT = ("lcm", "isqrt", "factorial", "comb", "perm", "isclose", "isinf", "isnan", "isfinite")
for _name in _REAL:
    models(f"math.{_name}")(of_numbers(f"math.{_name}")(plain_math(getattr(math, _name), _where_defined(_name))))
for _name in _EXACT:
    models(f"math.{_name}", keywords=("rel_tol", "abs_tol"))(_exact(getattr(math, _name)))
models("numpy.lcm")(_exact(math.lcm))


@models("math.gcd", "numpy.gcd")
def _greatest_common_divisor(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if all(map(is_integer, args)) and any(isinstance(value, Sym) for value in args):
        return reduce(partial(_common_divisor, machine), args)
    return _exact(math.gcd)(machine, args, kwargs)


def _common_divisor(machine: Machine, a: Any, b: Any) -> Any:
    """Of two integers: one of them where it divides the other; else a number of which each is a multiple."""
    if isinstance(a, int) and isinstance(b, int):
        return math.gcd(a, b)
    positive = [each for each in (a, b) if machine.truth(each >= 1) is True]
    if not positive:
        raise IsUnknown("the common divisor of numbers that may be 0")
    most = next((max(each // 2, 1) for each in positive if isinstance(each, int)), positive[0])
    found: Any = machine.fresh_sym("divisor", "carried", 1, most, "a common divisor")
    for one in reversed(positive):
        found = choose((b if one is a else a) % one == 0, one, found)
    for each in (a, b):
        machine.assume(each % found == 0, "known")
    return found
