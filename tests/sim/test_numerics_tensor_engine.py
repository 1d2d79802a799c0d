"""Products and transpositions against float64, over all their types."""

from __future__ import annotations

from typing import Any

import neuronxcc.nki as nki1
import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .numerics import FLOATS, by_language, close, exact_types, returned, values, written

few = settings(max_examples=5)
types = pytest.mark.parametrize("dtype", FLOATS)

SUM = 2.0**-22
"""A sum of k products in float32 loses at most k half units of the sum of their magnitudes; k is at most four here."""


@types
@few
@given(data=st.data())
def test_products(dtype: str, data: Any) -> None:
    x, y = data.draw(values(dtype, (4, 3))), data.draw(values(dtype, (4, 6)))
    wide, other = x.astype(np.float64), y.astype(np.float64)
    exact, size = wide.T @ other, np.abs(wide).T @ np.abs(other)
    found = returned(lambda a, b: nl1.copy(nisa1.nc_matmul(a, b)), x, y)
    close(found, exact, "float32", SUM, size)
    for found in by_language("matmul", x, y, transpose_x=True):
        close(found, exact, "float32", SUM, size)
    found = written(lambda dst, a, b: nisa.nc_matmul(dst, a, b), (3, 6), nl.float32, x, y, buffer=nl.psum)
    close(found, exact, "float32", SUM, size)


@types
@few
@given(data=st.data())
def test_products_of_rows(dtype: str, data: Any) -> None:
    x, y = data.draw(values(dtype, (5, 4))), data.draw(values(dtype, (4, 6)))
    wide, other = x.astype(np.float64), y.astype(np.float64)
    for found in by_language("matmul", x, y):
        close(found, wide @ other, "float32", SUM, np.abs(wide) @ np.abs(other))


@types
@few
@given(data=st.data())
def test_sums_of_products(dtype: str, data: Any) -> None:
    """Three products accumulate in float32, whatever their operands' type, in both dialects."""
    x, y = data.draw(values(dtype, (12, 3))), data.draw(values(dtype, (12, 6)))
    wide, other = x.astype(np.float64), y.astype(np.float64)
    exact, size = wide.T @ other, np.abs(wide).T @ np.abs(other)

    @nki1.jit
    def kernel(a: Any, b: Any) -> Any:
        total = nl1.zeros((3, 6), dtype=nl1.float32, buffer=nl1.psum)
        for k in nl1.affine_range(3):
            total += nisa1.nc_matmul(nl1.load(a[k * 4 : k * 4 + 4, :]), nl1.load(b[k * 4 : k * 4 + 4, :]))
        out = nl1.ndarray((3, 6), dtype=nl1.float32, buffer=nl1.shared_hbm)
        nl1.store(out, total)
        return out

    @nki.jit
    def other_kernel(a: Any, b: Any) -> Any:
        total = nl.ndarray((3, 6), dtype=nl.float32, buffer=nl.psum)
        for k in range(3):
            left = nl.ndarray((4, 3), dtype=a.dtype, buffer=nl.sbuf)
            right = nl.ndarray((4, 6), dtype=b.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=left, src=a[k * 4 : k * 4 + 4, :])
            nisa.dma_copy(dst=right, src=b[k * 4 : k * 4 + 4, :])
            nisa.nc_matmul(total, left, right, accumulate=k > 0)
        result = nl.ndarray((3, 6), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=total)
        out = nl.ndarray((3, 6), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=out, src=result)
        return out

    with exact_types():
        close(kernel(x, y), exact, "float32", 3 * SUM, size)
        close(other_kernel(x, y), exact, "float32", 3 * SUM, size)


@types
@few
@given(data=st.data())
def test_transpositions_move_values(dtype: str, data: Any) -> None:
    x = np.resize(data.draw(values(dtype, (3, 7))), (32, 32))
    exact = x.astype(np.float64).T
    assert np.array_equal(returned(nisa1.nc_transpose, x).astype(np.float64), exact)
    for found in by_language("transpose", x):
        assert np.array_equal(found.astype(np.float64), exact)
    found = written(lambda dst, a: nisa.nc_transpose(dst, a), (32, 32), x.dtype, x)
    assert np.array_equal(found.astype(np.float64), exact)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@few
@given(data=st.data())
def test_transpositions_by_dma(dtype: str, data: Any) -> None:
    x = np.resize(data.draw(values(dtype, (3, 7))), (32, 16))

    @nki1.jit
    def kernel(a: Any) -> Any:
        tile = nl1.load_transpose2d(a)
        out = nl1.ndarray(tile.shape, dtype=tile.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, tile)
        return out

    with exact_types():
        assert np.array_equal(kernel(x).astype(np.float64), x.astype(np.float64).T)
    found = written(lambda dst, a: nisa.dma_transpose(dst, a), (16, 32), x.dtype, x)
    assert np.array_equal(found.astype(np.float64), x.astype(np.float64).T)
