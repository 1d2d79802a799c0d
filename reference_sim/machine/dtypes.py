"""NKI's element types as numpy holds them, and the casts that writing a tile performs.

Every type has an exact host form; in the fp32 mode the narrow floats are held in float32 without rounding.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from nkilint_rules.words import dtypes as rule
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.names import Named

Array = Any  # numpy arrays; what numpy's stubs say of most results is `Any` as well

F32 = np.dtype(np.float32)


def _packed(element: Any, count: int) -> np.dtype[Any]:
    return np.dtype([("x4", element, (count,))])


HOST: dict[DType, np.dtype[Any]] = {
    rule.BOOL: np.dtype(np.bool_),
    rule.INT8: np.dtype(np.int8),
    rule.INT16: np.dtype(np.int16),
    rule.INT32: np.dtype(np.int32),
    rule.INT64: np.dtype(np.int64),
    rule.UINT8: np.dtype(np.uint8),
    rule.UINT16: np.dtype(np.uint16),
    rule.UINT32: np.dtype(np.uint32),
    rule.UINT64: np.dtype(np.uint64),
    rule.FLOAT16: np.dtype(np.float16),
    rule.FLOAT32: F32,
    rule.FLOAT64: np.dtype(np.float64),
    rule.BFLOAT16: np.dtype(ml_dtypes.bfloat16),
    rule.TFLOAT32: np.dtype("V4"),
    rule.FLOAT8_E4M3: np.dtype(ml_dtypes.float8_e4m3),
    rule.FLOAT8_E4M3FN: np.dtype(ml_dtypes.float8_e4m3fn),
    rule.FLOAT8_E5M2: np.dtype(ml_dtypes.float8_e5m2),
    rule.FLOAT8_E8M0FNU: np.dtype(ml_dtypes.float8_e8m0fnu),
    rule.FLOAT8_E4M3FN_X4: _packed(ml_dtypes.float8_e4m3fn, 4),
    rule.FLOAT8_E5M2_X4: _packed(ml_dtypes.float8_e5m2, 4),
    rule.FLOAT4_E2M1FN_X4: np.dtype([("fp4x4", np.uint8, (2,))]),
}
"""The type a host array of each element type has."""

_BY_HOST: dict[Any, DType] = {host: element for element, host in HOST.items()}
_BY_HOST.update(
    {host.type: element for element, host in HOST.items() if host.fields is None and host != np.dtype("V4")}
)
_BY_HOST.update({bool: rule.BOOL, int: rule.INT32, float: rule.FLOAT32})

WIDENED = frozenset({rule.BFLOAT16, rule.FLOAT8_E4M3, rule.FLOAT8_E4M3FN, rule.FLOAT8_E5M2})
"""Types that the fp32 mode holds in float32."""


def element_type(spec: Any) -> DType:
    """The element type that a dtype argument names: a numpy or ml_dtypes type, a Python type, a name, or itself."""
    try:
        found = _BY_HOST.get(spec)
    except TypeError:
        found = None
    if found is not None:
        return found
    if isinstance(spec, DType):
        return spec
    if isinstance(spec, Named):
        spec = spec.leaf
    if isinstance(spec, str) and spec.rpartition(".")[2] in rule.DTYPES:
        return rule.DTYPES[spec.rpartition(".")[2]]
    __tracebackhide__ = True
    for name in (spec, str(spec).rpartition(".")[2]):
        try:
            element = None if spec is None else _BY_HOST.get(np.dtype(name).newbyteorder("="))
        except TypeError:
            continue
        if element is not None:
            return element
    raise TypeError(f"no tensor of NKI has elements of the type {_named(spec)}")


def _named(spec: Any) -> str:
    return spec.__name__ if isinstance(spec, type) else str(spec) if isinstance(spec, np.dtype) else repr(spec)


def stored_type(element: DType, precise: bool) -> np.dtype[Any]:
    """The numpy type that holds elements in memory."""
    if element is rule.TFLOAT32 or (not precise and element in WIDENED):
        return F32
    return HOST[element]


def sentinel(stored: np.dtype[Any]) -> Any:
    """What unwritten elements hold: NaN in floats, 4 in integers."""
    if stored.kind in "iu":
        return 4
    if stored.kind == "b":
        return False
    if stored.fields is not None:
        return np.zeros((), stored)
    return np.nan


def as_float(values: Any) -> Any:
    """Values as the engines compute with them: in float32."""
    if values.dtype == F32:
        return values
    return values.astype(F32)


def _to_integer(values: Array, stored: np.dtype[Any]) -> Array:
    limits = np.iinfo(stored)
    if values.dtype.kind in "iub":
        if values.dtype.kind == "b" or np.can_cast(values.dtype, stored):
            return values.astype(stored)
        return np.clip(values.astype(np.int64), limits.min, limits.max).astype(stored)
    rounded = np.rint(values.astype(np.float64))
    return np.nan_to_num(np.clip(rounded, limits.min, limits.max), copy=False).astype(stored)


def round_to_tfloat32(values: Array) -> Array:
    """Float32 values rounded to ten bits of mantissa, ties to even."""
    bits = np.ascontiguousarray(values, F32).view(np.uint32)
    rounded = (bits + 0x0FFF + ((bits >> 13) & 1)) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(values), rounded.view(F32), values)


def cast(values: Any, element: DType, stored: np.dtype[Any], precise: bool) -> Any:
    """Values as they are written into memory of this type.

    Floats become integers by rounding to nearest, ties to even, and saturate; NaN becomes 0.
    """
    if element is rule.TFLOAT32 and precise:
        return round_to_tfloat32(as_float(values))
    if values.dtype is stored or values.dtype == stored:
        return values
    if stored.kind in "iu":
        return _to_integer(values, stored)
    if stored.kind == "b":
        return values.astype(F32) != 0 if values.dtype.kind not in "iub" else values != 0
    return values.astype(stored)
