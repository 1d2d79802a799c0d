"""The data types of NKI, by name, with their size and kind."""

from __future__ import annotations

from typing import Any

from .conditions import Unknown
from .records import dataclass


@dataclass(frozen=True, slots=True)
class DType:
    """One element type. `kind` is "float", "int", "uint" or "bool"."""

    name: str
    itemsize: int
    kind: str
    packed: int = 1

    def __str__(self) -> str:
        return self.name

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def integers(self) -> tuple[int, int]:
        """The least and the greatest number of a type of integers."""
        bits = 8 * self.itemsize
        return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if self.kind == "int" else (0, 2**bits - 1)


BOOL = DType("bool", 1, "bool")
INT8, INT16, INT32, INT64 = (DType(f"int{8 * n}", n, "int") for n in (1, 2, 4, 8))
UINT8, UINT16, UINT32, UINT64 = (DType(f"uint{8 * n}", n, "uint") for n in (1, 2, 4, 8))
FLOAT16, FLOAT32, FLOAT64 = (DType(f"float{8 * n}", n, "float") for n in (2, 4, 8))
BFLOAT16 = DType("bfloat16", 2, "float")
TFLOAT32 = DType("tfloat32", 4, "float")
FLOAT8_E4M3, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT8_E8M0FNU = (
    DType(f"float8_{f}", 1, "float") for f in ("e4m3", "e4m3fn", "e5m2", "e8m0fnu")
)
FLOAT8_E4M3FN_X4, FLOAT8_E5M2_X4 = (DType(f"float8_{f}_x4", 4, "float", 4) for f in ("e4m3fn", "e5m2"))
FLOAT4_E2M1FN_X4 = DType("float4_e2m1fn_x4", 2, "float", 4)

DTYPES = {t.name: t for t in list(globals().values()) if isinstance(t, DType)}
WIDE = (INT64, UINT64, FLOAT64)
"""Types of the host that no tensor of a kernel has."""
FLOATS = frozenset(t for t in DTYPES.values() if t.is_float)


def dtype_in(dtype: Any, allowed: frozenset[DType]) -> Any:
    """Whether `dtype` is one of `allowed`: a bool, or what a dtype that is not known yet says about it."""
    if isinstance(dtype, DType):
        return dtype in allowed
    if isinstance(dtype, Unknown):
        return dtype
    return dtype.in_set(allowed) if hasattr(dtype, "in_set") else Unknown("a dtype that is not known")


def same_dtype(a: Any, b: Any) -> Any:
    """Whether two dtypes are the same: a bool, or what one that is not known yet says about it."""
    if isinstance(a, DType) and isinstance(b, DType):
        return a == b
    for dtype in (a, b):
        if isinstance(dtype, Unknown):
            return dtype
    return b.same_as(a) if isinstance(a, DType) else a.same_as(b)
