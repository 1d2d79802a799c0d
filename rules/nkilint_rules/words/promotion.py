"""Dtypes of results: what an argument names, what two operands promote to, what a Python scalar counts as.

Beta 1 promotes by the table "NKI Type Promotion" of `nki.api.shared`. The documentation of 0.x has no such table: there
operands of one dtype keep it, and what two dtypes give is unknown.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .conditions import Unknown
from .dialects import BETA1
from .dtypes import (
    BFLOAT16,
    BOOL,
    DTYPES,
    FLOAT8_E4M3,
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
from .names import MISSING, Named
from .tiles import Tile
from .values import shown

INTEGERS = frozenset({INT8, INT16, INT32, UINT8, UINT16, UINT32})
BITS = INTEGERS | {BOOL}

_ALIASES = {"bool_": BOOL, "half": FLOAT16, "single": FLOAT32}

# Exponent and mantissa bits: one float type contains another when it has at least as many of both.
_FLOATS: dict[DType, tuple[int, int]] = {
    FLOAT8_E4M3: (4, 3),
    FLOAT8_E5M2: (5, 2),
    FLOAT16: (5, 10),
    BFLOAT16: (8, 7),
    TFLOAT32: (8, 10),
    FLOAT32: (8, 23),
}
# Where neither contains the other, the first of these that contains both is taken; tfloat32 never is.
_WIDENED = (BFLOAT16, FLOAT32)


def as_dtype(value: Any) -> Any:
    """The dtype that an argument names: a DType, a constant such as `numpy.float32`, a string or `bool`."""
    if isinstance(value, Named):
        return _by_name(value.leaf)
    if isinstance(value, str):
        return _by_name(value)
    if value is bool:
        return BOOL
    if value is None or value is MISSING:
        return Unknown("no dtype given")
    if isinstance(value, (DType, Unknown)) or hasattr(value, "itemsize"):
        return value
    return Unknown(f"{shown(value)} is not a dtype that is known here")


def _by_name(name: str) -> Any:
    return DTYPES.get(name) or _ALIASES.get(name) or Unknown(f"no dtype `{name}` is known")


def dtype_argument(value: Any, default: Any) -> Any:
    """The dtype that the argument `dtype` asks for, or the default where it is left out or None."""
    return default if value is None or value is MISSING else as_dtype(value)


def weak_dtype(scalar: Any) -> Any:
    """The dtype that Beta 1 gives to a Python scalar: the widest of its kind.

    A value that stands for a number without being one says so by an attribute `weak_dtype`.
    """
    if isinstance(scalar, bool):
        return UINT8
    if isinstance(scalar, float):
        return FLOAT32
    if isinstance(scalar, Unknown):
        return scalar
    if isinstance(scalar, int) or hasattr(scalar, "maximum"):
        return INT32
    return getattr(scalar, "weak_dtype", None) or Unknown("scalar of unknown type")


def promote(a: Any, b: Any) -> Any:
    """The dtype that an operation on operands of dtypes `a` and `b` has in Beta 1."""
    if a is b or (a == b) is True:
        return a
    for dtype in (a, b):
        if isinstance(dtype, Unknown):
            return dtype
    if a is FLOAT32 or b is FLOAT32:
        return FLOAT32
    if hasattr(a, "promoted") or hasattr(b, "promoted"):
        return _promoted(a, b)
    if not isinstance(a, DType) or not isinstance(b, DType):
        return Unknown("the dtypes of the operands are not known and may differ")
    if a.is_float and b.is_float:
        return _wider_float(a, b)
    if a.is_float or b.is_float:
        return a if a.is_float else b
    return _wider_integer(_stored(a), _stored(b))


def _promoted(a: Any, b: Any) -> Any:
    """What two dtypes give of which one stands for any: it says so itself."""
    return a.promoted(b) if hasattr(a, "promoted") else b.promoted(a)


def _stored(dtype: DType) -> DType:
    return UINT8 if dtype == BOOL else dtype


def _contains(wide: tuple[int, int], narrow: tuple[int, int]) -> bool:
    return wide[0] >= narrow[0] and wide[1] >= narrow[1]


def _wider_float(a: DType, b: DType) -> Any:
    if a not in _FLOATS or b not in _FLOATS:
        return Unknown(f"no type promotion is documented for {a} and {b}")
    first, second = _FLOATS[a], _FLOATS[b]
    if _contains(first, second):
        return a
    if _contains(second, first):
        return b
    return next(t for t in _WIDENED if _contains(_FLOATS[t], first) and _contains(_FLOATS[t], second))


def _wider_integer(a: DType, b: DType) -> DType:
    """The wider one, or a signed one with room for both; where that takes 64 bits, float32."""
    if a.kind == b.kind:
        return a if a.itemsize >= b.itemsize else b
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    if signed.itemsize > unsigned.itemsize:
        return signed
    return {1: INT16, 2: INT32}.get(unsigned.itemsize, FLOAT32)


def scalar_dtype(value: Any) -> Any:
    """The dtype of an operand: a tile's own, or that of a scalar."""
    return value.dtype if isinstance(value, Tile) or hasattr(value, "dtype") else weak_dtype(value)


def operand_dtype(dialect: str, operands: Iterable[Any]) -> Any:
    """The dtype that an element-wise operation on tiles and scalars gives by default."""
    given = list(operands)
    if dialect != BETA1:
        return _common_dtype([operand.dtype for operand in given if isinstance(operand, Tile)])
    result, *rest = (scalar_dtype(operand) for operand in given)
    for dtype in rest:
        result = promote(result, dtype)
    return result


def _common_dtype(dtypes: list[Any]) -> Any:
    if not dtypes:
        return Unknown("no operand is a tile")
    if all(dtype is dtypes[0] or (dtype == dtypes[0]) is True for dtype in dtypes):
        return dtypes[0]
    if len(dtypes) == 2 and any(hasattr(dtype, "promoted") for dtype in dtypes):
        return _promoted(*dtypes)
    return Unknown("the documentation of 0.x does not say what dtype operands of two dtypes give")
