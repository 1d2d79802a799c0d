"""Promotion gives the dtypes that `nki.api.shared` lists, and nothing where it lists none."""

from __future__ import annotations

import pytest

from nkilint_rules.words.conditions import Unknown
from nkilint_rules.words.dialects import BETA1
from nkilint_rules.words.dtypes import (
    BFLOAT16,
    BOOL,
    DTYPES,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT8_E8M0FNU,
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
from nkilint_rules.words.names import Named
from nkilint_rules.words.promotion import as_dtype, dtype_argument, operand_dtype, promote


class Typed:
    """A scalar with a dtype of its own, such as `np.int8(2)`."""

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (INT32, FLOAT16, FLOAT16),
        (UINT16, TFLOAT32, TFLOAT32),
        (FLOAT32, TFLOAT32, FLOAT32),
        (FLOAT32, BFLOAT16, FLOAT32),
        (FLOAT16, BFLOAT16, FLOAT32),
        (FLOAT8_E4M3, FLOAT16, FLOAT16),
        (FLOAT8_E4M3, BFLOAT16, BFLOAT16),
        (FLOAT8_E4M3, FLOAT8_E5M2, BFLOAT16),
        (INT16, INT32, INT32),
        (UINT8, UINT16, UINT16),
        (UINT16, INT32, INT32),
        (INT8, UINT8, INT16),
        (INT8, UINT16, INT32),
        (INT32, UINT32, FLOAT32),
        (BOOL, FLOAT16, FLOAT16),
        (BOOL, BOOL, BOOL),
    ],
)
def test_documented_promotions(a: DType, b: DType, expected: DType):
    assert promote(a, b) is expected
    assert promote(b, a) is expected


def test_undocumented_promotions_are_unknown():
    assert isinstance(promote(FLOAT8_E8M0FNU, FLOAT16), Unknown)
    assert isinstance(promote(Unknown("lost"), FLOAT32), Unknown)


@pytest.mark.parametrize(
    ("dtype", "scalar", "expected"),
    [
        (INT8, 2, INT32),
        (FLOAT16, 1.2, FLOAT32),
        (INT8, True, INT16),
        (FLOAT16, 2, FLOAT16),
        (FLOAT16, Typed(FLOAT16), FLOAT16),
    ],
)
def test_scalars_are_weak_unless_they_have_a_dtype(dtype: DType, scalar: object, expected: DType):
    assert operand_dtype(BETA1, (Typed(dtype), scalar)) is expected


def test_arguments_that_name_a_dtype():
    assert as_dtype(Named("numpy.float32")) is FLOAT32
    assert as_dtype(Named("language.bool_")) is BOOL
    assert as_dtype(Named("bool")) is BOOL
    assert as_dtype(bool) is BOOL
    assert as_dtype("bfloat16") is BFLOAT16
    assert as_dtype(DTYPES["uint8"]) is UINT8
    assert isinstance(as_dtype(Named("numpy.complex64")), Unknown)
    assert isinstance(as_dtype(None), Unknown)
    assert dtype_argument(None, INT8) is INT8
    assert dtype_argument("int16", INT8) is INT16
