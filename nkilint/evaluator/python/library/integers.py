"""Python's built-in functions of integers, and their texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.integers import Sym, choose, is_integer
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of

from ...state import protocols
from ...state.machine import Fault, Machine
from ...state.protocols import Args, Keywords
from ...values.choices import Text
from ...values.grids import Grid
from ...values.numbers import Quotient, is_number
from ...values.objects import Instance, member_number
from ...values.tensors import View
from ..rounding import integer
from ..types.formats import may_raise_in
from .math import of_numbers
from .registry import models


@models("builtins.int", keywords=("base",))
@of_numbers("int")
def _int(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    if args and isinstance(args[0], (str, bytes)):
        try:
            return int(*args, **kwargs)
        except ValueError:
            raise Fault("ValueError") from None
    if kwargs or len(args) > 1:
        return Unknown("a number in a text that is not known")
    value = args[0] if args else 0
    if isinstance(value, Instance) and value.cls.lookup("__int__") is not None:
        number = protocols.call(machine, value.cls.lookup("__int__"), [value], {})
        if not is_integer(number) and not isinstance(number, (bool, Cond, Unknown)):
            raise Fault("TypeError")
        return number
    return integer(machine, [member_number(value)], {})


def text_by(function: Callable[[Any], str], *kinds: type) -> Callable[..., Any]:
    """The text that a function of Python gives of one value of some kinds."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        (value,) = args
        if isinstance(value, kinds):
            return function(value)
        may_raise_in(machine, f"`{function.__name__}`", function, value)
        return Text()

    return call


for _function in (bin, hex, oct):
    models(f"builtins.{_function.__name__}")(text_by(_function, int))


@models("builtins.abs")
def _abs(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    (value,) = args
    if isinstance(value, View):
        return protocols.unary(machine, "abs", value, machine.at)
    if isinstance(value, (Quotient, Unknown)):
        return Unknown("`abs` of a value that is not known")
    if isinstance(value, (bool, Cond)):
        return choose(value, 1, 0)
    if isinstance(value, Instance) and value.cls.lookup("__abs__") is not None:
        return protocols.call(machine, value.cls.lookup("__abs__"), [value], {})
    return abs(value)


@models("builtins.divmod")
def _divmod(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    left, right = args
    if isinstance(left, Grid) or isinstance(right, Grid):
        raise IsUnknown("`divmod` of an index grid")
    return tuple(protocols.binary(machine, op, left, right, machine.at) for op in ("//", "%"))


@models("builtins.pow", keywords=("mod",))
def _pow(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    base, exponent, *rest = args
    modulus = rest[0] if rest else kwargs.get("mod")
    if modulus is None:
        return protocols.binary(machine, "**", base, exponent, machine.at)
    if any(isinstance(value, float) for value in (base, exponent, modulus)):
        raise Fault("TypeError")
    if all(isinstance(value, int) for value in (base, exponent, modulus)):
        try:
            return pow(base, exponent, modulus)
        except ValueError:
            raise Fault("ValueError") from None
    if isinstance(exponent, int) and exponent >= 0:
        power = protocols.binary(machine, "**", base, exponent, machine.at)
        return protocols.binary(machine, "%", power, modulus, machine.at)
    return Unknown("a power under a modulus")


@models("builtins.round", keywords=("ndigits",))
def _round(machine: Machine, args: Args, kwargs: Keywords) -> Any:
    value, *rest = args
    digits = rest[0] if rest else kwargs.get("ndigits")
    if is_number(value) and (digits is None or isinstance(digits, int)):
        return round(value, digits)
    if isinstance(value, (bool, Cond)) and digits is None:
        return choose(value, 1, 0)
    if isinstance(value, Sym) and (digits is None or (isinstance(digits, int) and digits >= 0)):
        return value
    if isinstance(value, Quotient) and digits is None:
        return _to_even(value.dividend, value.divisor)
    return Unknown("rounding of a number that is not known")


def _to_even(dividend: Any, divisor: Any) -> Any:
    """`round(dividend / divisor)`: halves go to the even neighbour."""
    if not isinstance(divisor, int):
        return Unknown("rounding of a quotient by a number that is not known")
    if divisor < 0:
        dividend, divisor = -dividend, -divisor
    twice = dividend * 2 + divisor
    up = twice // (2 * divisor)
    return choose(all_of((twice % (2 * divisor) == 0, up % 2 == 1)), up - 1, up)
