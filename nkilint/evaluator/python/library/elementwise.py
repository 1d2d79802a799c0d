"""Functions of numpy, torch and jax that take arrays element by element."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dtypes import DType

from ...state import protocols
from ...state.machine import Machine
from ...state.protocols import Args, Keywords
from ...values.host import HostArray
from ...values.numbers import OF_NUMPY
from .elements import shaped
from .math import plain_math
from .registry import ANY, models

Number = Callable[..., Any]


def model_elementwise(module: str) -> None:
    """The functions of a module for arrays."""
    for name, symbol in _OPERATORS.items():
        models(f"{module}.{name}", keywords=ANY)(_by_operator(symbol))
    for name in _FORGETTING:
        models(f"{module}.{name}", keywords=ANY)(_forgetting(lambda *_: OF_NUMPY))
    models(f"{module}.power", keywords=ANY)(_forgetting(pow))
    for name, function in _EXACT.items():
        models(f"{module}.{name}", keywords=ANY)(_on_elements(function, exact=True))
    for name, function in _IN_FLOATS.items():
        models(f"{module}.{name}", keywords=ANY)(_on_elements(function, exact=False))


_OPERATORS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
_FORGETTING = ("clip", "round", "tril", "triu", "softmax")
_EXACT: dict[str, Number] = {"abs": abs, "square": lambda x: x * x, "negative": lambda x: -x}
_IN_FLOATS: dict[str, Number] = {
    "sqrt": math.sqrt,
    "log": math.log,
    "log2": math.log2,
    "exp": math.exp,
    "cos": math.cos,
    "sin": math.sin,
    "tanh": math.tanh,
}
_MOST = 2**31  # integers that every type of them holds are smaller


def _by_operator(symbol: str) -> Callable[..., Any]:
    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        if not any(isinstance(a, HostArray) for a in args):
            return plain_math(lambda *_: OF_NUMPY, OF_NUMPY)(machine, args, kwargs)
        if len(args) != 2 or kwargs:
            return Unknown("arithmetic on arrays with options")
        return protocols.binary(machine, symbol, args[0], args[1], machine.at)

    return call


def _forgetting(function: Number) -> Callable[..., Any]:
    """`function` of numbers; of arrays one of their shape, whose elements are not known."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        arrays = [a for a in args if isinstance(a, HostArray)]
        if not arrays:
            return plain_math(function, OF_NUMPY)(machine, args, kwargs)
        if len(arrays) > 1 and len({str(a.shape) for a in arrays}) != 1:
            return Unknown("a function of arrays of several shapes")
        return HostArray(arrays[-1].shape, arrays[-1].dtype, arrays[-1].is_torch)

    return call


def _on_elements(function: Number, exact: bool) -> Callable[..., Any]:
    """`function` of a number, or of each element; one that is `exact` makes integers of integers."""

    def call(machine: Machine, args: Args, kwargs: Keywords) -> Any:
        array = args[0] if args else None
        if not isinstance(array, HostArray):
            return plain_math(function, OF_NUMPY)(machine, args, kwargs)
        dtype = array.dtype if exact or not _of_integers(array.dtype) else None
        alone = len(args) == 1 and not kwargs
        return shaped(HostArray((), dtype, array.is_torch), array.shape, _each(function, array) if alone else None)

    return call


def _each(function: Number, array: HostArray) -> tuple[Any, ...] | None:
    """What a function makes of each element, where those are numbers that Python computes with as the library does."""
    known, wide = array.known, _of_integers(array.dtype) or str(array.dtype) == "float64"
    if known is None or not wide or not all(type(n) in (int, float) for n in known):
        return None
    try:
        found = tuple(function(n) for n in known)
    except (ValueError, OverflowError):
        return None
    return found if all(isinstance(n, float) or abs(n) < _MOST for n in found) else None


def _of_integers(dtype: Any) -> bool:
    return isinstance(dtype, DType) and dtype.is_integer
