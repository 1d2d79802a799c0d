"""Products, those of quantised tiles too, and transpositions against float64, over all their types."""

from __future__ import annotations

from typing import Any

import ml_dtypes
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

from .numerics import FLOATS, by_language, close, exact_types, returned, types, values, written

few = settings(max_examples=5)

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


@pytest.mark.parametrize(
    ("packed", "narrow"),
    [("float8_e4m3fn_x4", ml_dtypes.float8_e4m3fn), ("float8_e5m2_x4", ml_dtypes.float8_e5m2)],
)
@few
@given(data=st.data())
def test_products_of_quantised_tiles(packed: str, narrow: Any, data: Any) -> None:
    """Groups of 8 partitions by 4 elements share a power of two; what is lost is at most half a unit of the narrow
    type, relative to the largest of its group."""
    random = np.random.default_rng(data.draw(st.integers(0, 2**20)))
    x, y = (random.uniform(-8, 8, shape).astype(FLOATS["bfloat16"]) for shape in ((32, 16), (32, 24)))

    @nki.jit
    def kernel(x: Any, y: Any) -> Any:
        sums = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.psum)
        parts = []
        for source in (x, y):
            tile = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=source)
            quantised = nl.ndarray((32, source.shape[1] // 4), dtype=getattr(nl, packed), buffer=nl.sbuf)
            scale = nl.ndarray((4, source.shape[1] // 4), dtype=nl.uint8, buffer=nl.sbuf)
            nisa.quantize_mx(quantised, tile, scale)
            parts.append((quantised, scale))
        (a, a_scale), (b, b_scale) = parts
        nisa.nc_matmul_mx(sums, a, b, a_scale, b_scale)
        copied = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(copied, sums)
        out = nl.ndarray((4, 6), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(out, copied)
        return out

    with exact_types("trn3"):
        found = kernel(x, y)
    wide, other = (t.astype(np.float64).reshape(32, -1, 4) for t in (x, y))
    exact = np.einsum("pik,pjk->ij", wide, other)
    step = float(ml_dtypes.finfo(narrow).eps)
    error = [
        step * np.repeat(np.abs(t).reshape(4, 8, -1, 4).max(axis=(1, 3)), 8, axis=0)[:, :, None] for t in (wide, other)
    ]
    bound = np.einsum("pik,pjk->ij", np.abs(wide) + error[0], np.abs(other) + error[1])
    bound -= np.einsum("pik,pjk->ij", np.abs(wide), np.abs(other))
    assert (np.abs(found - exact) <= bound + 1e-5).all()
