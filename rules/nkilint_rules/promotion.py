"""The dtype that Beta 1 gives the result of an operation whose inputs differ in dtype."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .conditions import Unknown
from .dtypes import (
    BFLOAT16,
    BOOL,
    FLOAT8_E4M3,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    INT8,
    INT16,
    INT32,
    TFLOAT32,
    UINT8,
    UINT16,
    UINT32,
    DType,
)

# Exponent and mantissa bits, narrowest format first.
_FLOATS = {
    FLOAT8_E4M3: (4, 3),
    FLOAT8_E4M3FN: (4, 3),
    FLOAT8_E5M2: (5, 2),
    BFLOAT16: (8, 7),
    FLOAT16: (5, 10),
    TFLOAT32: (8, 10),
    FLOAT32: (8, 23),
}
_INTEGERS = {
    UINT8: (0, 2**8 - 1),
    INT8: (-(2**7), 2**7 - 1),
    UINT16: (0, 2**16 - 1),
    INT16: (-(2**15), 2**15 - 1),
    UINT32: (0, 2**32 - 1),
    INT32: (-(2**31), 2**31 - 1),
}


def dtype_of_number(value: Any) -> DType:
    """The dtype of a Python number that meets a tensor: the widest of its kind."""
    if isinstance(value, bool):
        return UINT8
    return FLOAT32 if isinstance(value, float) else INT32


def promote(a: Any, b: Any) -> Any:
    """The common dtype of `a` and `b`; unknown where one of them is."""
    if a is b or (isinstance(a, DType) and a == b):
        return a
    for one in (a, b):
        if isinstance(one, Unknown):
            return one
    if FLOAT32 in (d for d in (a, b) if isinstance(d, DType)):
        return FLOAT32
    if not (isinstance(a, DType) and isinstance(b, DType)):
        return a if (a == b) is True else Unknown("the dtypes of the inputs are not known and may differ")
    a, b = (UINT8 if d == BOOL else d for d in (a, b))
    if a in _FLOATS and b in _FLOATS:
        return _wider_float(a, b)
    if a in _FLOATS or b in _FLOATS:
        return a if a in _FLOATS else b
    if a in _INTEGERS and b in _INTEGERS:
        return _wider_integer(a, b)
    return Unknown(f"no type promotion is documented for {a} and {b}")


def promote_all(dtypes: Iterable[Any]) -> Any:
    """The common dtype of one or more dtypes."""
    first, *rest = dtypes
    for dtype in rest:
        first = promote(first, dtype)
    return first


def _wider_float(a: DType, b: DType) -> DType:
    """The narrower of two formats gives way where the other covers it; else the next format that covers both."""
    exponent, mantissa = (max(x, y) for x, y in zip(_FLOATS[a], _FLOATS[b], strict=True))
    for candidate in (a, b, BFLOAT16, TFLOAT32, FLOAT32):
        bits = _FLOATS[candidate]
        # fp16 beside bf16 gives fp32, never tf32.
        if bits[0] >= exponent and bits[1] >= mantissa and (candidate in (a, b) or candidate != TFLOAT32):
            return candidate
    return FLOAT32


def _wider_integer(a: DType, b: DType) -> DType:
    low = min(_INTEGERS[a][0], _INTEGERS[b][0])
    high = max(_INTEGERS[a][1], _INTEGERS[b][1])
    for candidate, (least, most) in _INTEGERS.items():
        if least <= low and high <= most:
            return candidate
    return FLOAT32
