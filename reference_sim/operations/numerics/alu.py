"""The operators of the Vector and GpSimd Engines on arrays: arithmetic in float32, bitwise on integers as they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from nkilint_rules.words.operators import operator_name
from reference_sim.machine.dtypes import F32, Array, as_float
from reference_sim.report.errors import CannotSimulate

Binary = Callable[[Any, Any], Any]
Unary = Callable[[Any], Any]


def _larger_magnitude(x: Any, y: Any) -> Any:
    return np.where(np.abs(x) > np.abs(y), x, y)


def _smaller_magnitude(x: Any, y: Any) -> Any:
    return np.where(np.abs(x) < np.abs(y), x, y)


ARITHMETIC: dict[str, Binary] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "maximum": np.maximum, "minimum": np.minimum, "mod": np.mod, "fmod": np.fmod, "power": np.power,
    "abs_max": _larger_magnitude, "abs_min": _smaller_magnitude,
    "bypass": lambda x, y: x,
}  # fmt: skip

LOGICAL: dict[str, Binary] = {
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_equal": np.less_equal,
    "greater": np.greater, "greater_equal": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
}  # fmt: skip


def _shift_left(x: Any, y: Any) -> Any:
    return np.left_shift(x, y)


def _shift_right(x: Any, y: Any) -> Any:
    """A logical shift: zeros come in from the left."""
    unsigned = np.asarray(x).view(np.dtype(f"u{np.asarray(x).dtype.itemsize}"))
    return np.right_shift(unsigned, np.asarray(y).astype(unsigned.dtype)).view(np.asarray(x).dtype)


BITWISE: dict[str, Binary] = {
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
    "left_shift": _shift_left, "right_shift": _shift_right,
}  # fmt: skip


def _reciprocal_root(x: Any) -> Any:
    return np.float32(1) / np.sqrt(x)


UNARY: dict[str, Unary] = {
    "abs": np.abs, "square": np.square, "relu": lambda x: np.maximum(x, np.float32(0)), "rsqrt": _reciprocal_root,
    "reciprocal": lambda x: np.float32(1) / x, "sqrt": np.sqrt,
    "logical_not": lambda x: np.equal(x, 0).astype(F32), "negative": np.negative, "copy": lambda x: x,
}  # fmt: skip

IDENTITY: dict[str, float] = {
    "add": 0.0, "subtract": 0.0, "multiply": 1.0, "maximum": -np.inf, "minimum": np.inf,
    "logical_and": 1.0, "logical_or": 0.0, "logical_xor": 0.0, "abs_max": 0.0, "abs_min": np.inf, "average": 0.0,
}  # fmt: skip


@lru_cache(1024)
def name_of(op: Any) -> str:
    """The operator's own name, whether it was given as a function of numpy or of `nki.language`, or as a string."""
    if not isinstance(op, str):
        if getattr(op, "__module__", None) == "builtins":
            raise CannotSimulate(f"the operator `{op.__name__}`", "it is Python's own function")
        given = (getattr(op, attribute, None) for attribute in ("operator_name", "__name__", "name"))
        op = next((name for name in given if name), str(op))
    name: str = op
    return operator_name(name.rpartition(".")[2])


def _is_wide_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) or (
        hasattr(value, "dtype") and value.dtype.kind in "iu" and value.dtype.itemsize >= 4
    )


def _is_integral(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_, int, np.integer)):
        return True
    return hasattr(value, "dtype") and value.dtype.kind in "iub"


def _float(value: Any) -> Any:
    return as_float(value) if isinstance(value, np.ndarray) else np.float32(value)


def binary(op: Any, x: Any, y: Any) -> Array:
    """`x op y` elementwise. 32-bit integers are exact, as on the GpSimd Engine; all else goes through float32."""
    name = name_of(op)
    function = ARITHMETIC.get(name)
    if function is not None and getattr(x, "dtype", None) is F32:
        if getattr(y, "dtype", None) is F32:
            return function(x, y)
        if type(y) is float:
            return function(x, np.float32(y))
    if name in BITWISE:
        return _bitwise(name, x, y)
    if name in LOGICAL:
        if not (_is_integral(x) and _is_integral(y)):
            x, y = _float(x), _float(y)
        return LOGICAL[name](x, y).astype(F32)
    if function is None:
        if name in UNARY:
            return UNARY[name](_float(x))
        raise CannotSimulate(f"the operator `{name}`", "it is not one of the engines' documented operators")
    integral = _is_integral(x) and _is_integral(y) and name not in ("divide", "power")
    if integral and (_is_wide_integer(x) or _is_wide_integer(y)):
        return function(_int64(x), _int64(y))
    return function(_float(x), _float(y))


def _int64(value: Any) -> Any:
    return value.astype(np.int64) if isinstance(value, np.ndarray) else np.int64(value)


def _bitwise(name: str, x: Any, y: Any) -> Array:
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        if x.dtype != y.dtype:
            both = np.result_type(x.dtype, y.dtype)
            x, y = x.astype(both), y.astype(both)
    elif isinstance(x, np.ndarray):
        y = np.asarray(int(y)).astype(x.dtype if x.dtype.kind != "b" else np.uint8)
    else:
        x = np.asarray(int(x)).astype(y.dtype)
    if np.asarray(x).dtype.kind not in "iub":
        raise CannotSimulate(f"the operator `{name}`", f"it works on integers, not on {np.asarray(x).dtype}")
    return BITWISE[name](x, y)


def unary(op: Any, x: Array) -> Array:
    """`op x` elementwise."""
    name = name_of(op)
    if name == "invert":
        return np.logical_not(x) if x.dtype.kind == "b" else np.invert(x)
    if name not in UNARY:
        raise CannotSimulate(f"the operator `{name}`", "it is not one of the engines' documented unary operators")
    return UNARY[name](_float(x))


@lru_cache(1024)
def is_unary(op: Any) -> bool:
    """Whether an operator takes one operand."""
    name = name_of(op)
    return name in UNARY or name == "invert"


def apply(op: Any, x: Any, y: Any, reverse: bool = False) -> Array:
    """`x op y`, or `y op x` when reversed; unary operators ignore `y`."""
    if is_unary(op):
        return unary(op, x)
    return binary(op, y, x) if reverse else binary(op, x, y)


def reduce(op: Any, x: Array, axis: int | tuple[int, ...], where: Any = True) -> Array:
    """`x` reduced over axes, kept as axes of size 1."""
    name = name_of(op)
    if name in BITWISE:
        return np.asarray(BITWISE[name].reduce(x, axis=axis, keepdims=True))  # type: ignore[attr-defined]
    if name == "average":
        total = np.add.reduce(_float(x), axis=axis, keepdims=True, where=where)
        counted = np.broadcast_to(np.asarray(where), x.shape)
        return total / np.add.reduce(counted, axis=axis, keepdims=True, dtype=F32)
    if name in ("logical_and", "logical_or", "logical_xor"):
        found = LOGICAL[name].reduce(x != 0, axis=axis, keepdims=True)  # type: ignore[attr-defined]
        return np.asarray(found).astype(F32)
    values = x.astype(np.int64) if x.dtype.kind in "iu" and x.dtype.itemsize >= 4 else _float(x)
    if name in ("abs_max", "abs_min"):
        return np.asarray((np.max if name == "abs_max" else np.min)(np.abs(values), axis=axis, keepdims=True))
    if name not in ("add", "subtract", "multiply", "maximum", "minimum"):
        raise CannotSimulate(f"a reduction by `{name}`", "it is not one of the documented reduction operators")
    if name == "subtract":
        return _alternating(values, axis)
    function = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}[name]
    if where is True:
        return np.asarray(function.reduce(values, axis=axis, keepdims=True))
    initial = IDENTITY[name]
    if values.dtype.kind == "i" and not np.isfinite(initial):
        initial = np.iinfo(np.int64).min if initial < 0 else np.iinfo(np.int64).max
    return np.asarray(function.reduce(values, axis=axis, keepdims=True, where=where, initial=initial))


def _alternating(values: Array, axis: int | tuple[int, ...]) -> Array:
    """The first element less all others."""
    axes = (axis,) if isinstance(axis, int) else axis
    first = values[tuple(slice(0, 1) if a in axes else slice(None) for a in range(values.ndim))]
    return np.asarray(first + first - np.add.reduce(values, axis=axes, keepdims=True))
