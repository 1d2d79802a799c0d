"""The activation functions in float32, and what `nki.language` computes elementwise with one operand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from reference_sim.machine.dtypes import F32, Array
from reference_sim.report.errors import CannotSimulate

from .alu import name_of

Function = Callable[[Array], Array]

_ONE, _HALF = np.float32(1), np.float32(0.5)
_SMALL = (
    (
        1.85777706184603153e-1,
        3.16112374387056560e0,
        1.13864154151050156e2,
        3.77485237685302021e2,
        3.20937758913846947e3,
    ),
    (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3),
)
_LARGE = (
    (
        2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594e0, 6.61191906371416295e1,
        2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
        1.23033935479799725e3,
    ),
    (
        1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
        3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3,
    ),
)  # fmt: skip


def erf(x: Array) -> Array:
    """The error function, by Cody's rational approximations in double precision."""
    wide = x.astype(np.float64)
    size = np.minimum(np.abs(wide), 6.0)
    small = wide * np.polyval(_SMALL[0], size * size) / np.polyval(_SMALL[1], size * size)
    large = 1.0 - np.exp(-size * size) * np.polyval(_LARGE[0], size) / np.polyval(_LARGE[1], size)
    found = np.where(size <= 0.46875, small, np.copysign(large, wide))
    return np.where(np.isnan(wide), np.nan, found).astype(F32)


def sigmoid(x: Array) -> Array:
    return _ONE / (_ONE + np.exp(-x))


def softplus(x: Array) -> Array:
    return np.logaddexp(x, np.float32(0))


def erf_dx(x: Array) -> Array:
    return np.float32(2 / np.sqrt(np.pi)) * np.exp(-x * x)


def gelu(x: Array) -> Array:
    return _HALF * x * (_ONE + erf(x * np.float32(np.sqrt(0.5))))


def gelu_dx(x: Array) -> Array:
    density = np.exp(-_HALF * x * x) * np.float32(1 / np.sqrt(2 * np.pi))
    return _HALF * (_ONE + erf(x * np.float32(np.sqrt(0.5)))) + x * density


def gelu_tanh(x: Array) -> Array:
    inner = np.float32(np.sqrt(2 / np.pi)) * (x + np.float32(0.044715) * x * x * x)
    return _HALF * x * (_ONE + np.tanh(inner))


def gelu_sigmoid(x: Array) -> Array:
    return x * sigmoid(np.float32(1.702) * x)


def gelu_sigmoid_dx(x: Array) -> Array:
    s = sigmoid(np.float32(1.702) * x)
    return s + np.float32(1.702) * x * s * (_ONE - s)


def silu(x: Array) -> Array:
    return x * sigmoid(x)


def silu_dx(x: Array) -> Array:
    s = sigmoid(x)
    return s + x * s * (_ONE - s)


def mish(x: Array) -> Array:
    return x * np.tanh(softplus(x))


def sine_without_reduction(x: Array) -> Array:
    """The Scalar Engine's sine: beyond pi it goes on with the cubic that it has there."""
    size = np.abs(x)
    beyond = size - np.float32(np.pi)
    cubic = (-beyond + beyond * beyond * beyond / np.float32(6)) * np.sign(x)
    return np.where(size <= np.float32(np.pi), np.sin(x), cubic).astype(F32)


FUNCTIONS: dict[str, Function] = {
    "copy": lambda x: x, "identity": lambda x: x, "square": np.square, "sigmoid": sigmoid,
    "relu": lambda x: np.maximum(x, np.float32(0)), "gelu": gelu, "gelu_dx": gelu_dx, "gelu_apprx_tanh": gelu_tanh,
    "gelu_apprx_sigmoid": gelu_sigmoid, "gelu_apprx_sigmoid_dx": gelu_sigmoid_dx, "silu": silu, "silu_dx": silu_dx,
    "tanh": np.tanh, "softplus": softplus, "mish": mish, "erf": erf, "erf_dx": erf_dx, "exp": np.exp, "log": np.log,
    "sin": np.sin, "cos": np.cos, "tan": np.tan, "arctan": np.arctan, "sqrt": np.sqrt,
    "rsqrt": lambda x: _ONE / np.sqrt(x), "reciprocal": lambda x: _ONE / x, "sign": np.sign, "abs": np.abs,
    "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "negative": np.negative,
}  # fmt: skip


def activate(op: Any, x: Array, engine_sine: bool = False) -> Array:
    """An activation function of float32 values."""
    name = name_of(op)
    if engine_sine and name == "sin":
        return sine_without_reduction(x)
    function = FUNCTIONS.get(name)
    if function is None:
        raise CannotSimulate(f"the activation function `{name}`", "it is not among the documented ones")
    return function(x)
