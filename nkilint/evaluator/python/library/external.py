"""Names of packages that are not analysed: dtypes, numbers and shapes are followed, the rest is unknown."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.symbolic.integers import Sym
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import Unknown, ceil_div, maximum, minimum, product
from nkilint_rules.words.dtypes import DType

from ...device.inputs import as_number
from ...device.updates import touch_somewhere
from ...state.machine import Machine
from ...state.modules import outside
from ...values import arrays
from ...values.arrays import as_dtype
from ...values.host import HostArray
from ...values.rounding import ceil, extreme, floor, in_numpy, integer, is_number
from ...values.tensors import Grid, InputTensor, View
from ...values.values import REAL, External, Real
from ..iteration import items_of
from . import standard as library

_CONSTANTS = {
    "math.pi": math.pi,
    "math.e": math.e,
    "math.inf": math.inf,
    "math.nan": math.nan,
    "numpy.pi": math.pi,
    "numpy.e": math.e,
    "numpy.inf": math.inf,
    "numpy.nan": math.nan,
    "numpy.newaxis": None,
    "typing.TYPE_CHECKING": False,
    "torch.inf": math.inf,
    "jax.numpy.inf": math.inf,
}


def external_attribute(value: External, name: str) -> Any:
    full = f"{value.name}.{name}"
    if full in _CONSTANTS:
        return _CONSTANTS[full]
    return outside(full)


def external_subscript(machine: Machine, value: External, key: Any) -> Any:
    if value.name in ("numpy.mgrid", "numpy.ogrid", "numpy.s_", "numpy.r_"):
        return Unknown(f"`{value.name}[...]`")
    return value  # a generic type, as in `list[int]`


def _plain_math(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
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


def _product(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return product(items_of(machine, args[0]))


def _cdiv(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return ceil_div(args[0], args[1])


def _same_shape(machine: Machine, args: list[Any], kwargs: dict[str, Any]) -> Any:
    arrays = [a for a in args if isinstance(a, HostArray)]
    return arrays[0] if arrays else _plain_math(lambda *_: REAL)(machine, args, kwargs)


def _settled_input(machine: Machine, value: Any) -> Any:
    """A parameter in a function of numbers."""
    if isinstance(value, InputTensor) and "view" not in value.cell and not value.ranks:
        return as_number(machine, value)
    return value


larger, smaller = extreme(maximum, 1, _settled_input), extreme(minimum, -1, _settled_input)


_HOST_MODULES = ("numpy", "torch", "jax.numpy")
_ELEMENTWISE: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "exp": math.exp,
    "cos": math.cos,
    "sin": math.sin,
    "tanh": math.tanh,
    "abs": abs,
    "square": lambda x: x * x,
    "negative": lambda x: -x,
    "power": pow,
}
_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
_FUNCTIONS: dict[str, Callable[[Machine, list[Any], dict[str, Any]], Any]] = {
    "math.ceil": ceil,
    "math.floor": floor,
    "math.trunc": integer,
    "math.prod": _product,
    **{
        f"math.{n}": _plain_math(getattr(math, n))
        for n in (
            "sqrt",
            "log",
            "log2",
            "log10",
            "exp",
            "pow",
            "gcd",
            "isqrt",
            "cos",
            "sin",
            "tan",
            "tanh",
            "fabs",
            "erf",
            "isclose",
            "lcm",
            "factorial",
            "atan",
            "hypot",
            "degrees",
            "radians",
        )
    },
    **library.FUNCTIONS,
    **arrays.FUNCTIONS,
    "numpy.maximum": larger,
    "numpy.minimum": smaller,
    "numpy.prod": _product,
    "numpy.ceil": in_numpy(ceil),
    "numpy.floor": in_numpy(floor),
}
for _module in _HOST_MODULES:
    for _name, _function in _ELEMENTWISE.items():
        _FUNCTIONS[f"{_module}.{_name}"] = _plain_math(_function)
    _FUNCTIONS |= {
        f"{_module}.{n}": _same_shape
        for n in ("clip", "round", "tril", "triu", "where", "add", "multiply", "subtract", "divide", "softmax")
    }


def call_external(machine: Machine, name: str, args: list[Any], kwargs: dict[str, Any], node: ir.Call | None) -> Any:
    """A call of something outside the project."""
    function = _FUNCTIONS.get(name)
    if any(isinstance(a, InputTensor) for a in args):
        args = [_settled_input(machine, a) for a in args]
    symbol = _OPERATORS.get(name.partition("numpy.")[2])
    if symbol is not None and len(args) == 2 and all(isinstance(a, (Grid, int, float, Sym)) for a in args):
        from ..operators import binary

        return binary(machine, symbol, args[0], args[1], node.at if node else machine.at)
    if function is not None:
        return function(machine, args, kwargs)
    dtype = as_dtype(External(name))
    if dtype is not None:
        return _cast(args, dtype)
    if name.rpartition(".")[2] in ("cdiv", "div_ceil") and len(args) == 2:
        return _cdiv(machine, args, kwargs)
    if name.startswith("numpy.") and all(is_number(a) for a in args):
        return REAL
    if any(isinstance(a, (View, InputTensor)) for a in (*args, *kwargs.values())) and machine.in_kernel:
        machine.unknown(IncompleteAnalysis, f"`{name}` is not followed")
        touch_somewhere(machine, [*args, *kwargs.values()], f"`{name}` is not followed", machine.at)
    return Unknown(f"`{name}` is not followed")


def _cast(args: list[Any], dtype: DType) -> Any:
    """`np.float32(x)`."""
    value = args[0] if args else 0
    if isinstance(value, (int, float)):
        return float(value) if dtype.is_float else int(value)
    return HostArray(value.shape, dtype) if isinstance(value, HostArray) else REAL if dtype.is_float else value
