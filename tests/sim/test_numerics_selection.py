"""Selections, searches, gathers and quantisation against numpy, over all their types."""

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
from hypothesis.extra.numpy import arrays

from .numerics import FLOATS, INTEGERS, close, exact_types, returned, values, whole, written

few = settings(max_examples=4)
types = pytest.mark.parametrize("dtype", FLOATS)
NARROW = pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
LOWEST = float(np.finfo(np.float32).min)


def exactly(found: Any, exact: Any) -> None:
    np.testing.assert_array_equal(np.asarray(found).astype(np.float64), np.asarray(exact).astype(np.float64))


@types
@few
@given(data=st.data())
def test_selection_by_position(dtype: str, data: Any) -> None:
    """`affine_select` keeps what lies below the diagonal, `range_select` a range of columns of its own in each row."""
    x = data.draw(values(dtype))
    rows, columns = np.indices(x.shape)
    exact = np.where(rows >= columns, x, -1)
    exactly(
        returned(lambda t: nisa1.affine_select(nl1.arange(4)[:, None] >= nl1.arange(6)[None, :], t, -1.0), x), exact
    )
    select = {"pattern": [[-1, 6]], "channel_multiplier": 1, "cmp_op": nl.greater_equal}
    exactly(written(lambda dst, t: nisa.affine_select(dst, on_true_tile=t, on_false_value=-1.0, **select), x.shape,
                    x.dtype, x), exact)  # fmt: skip
    low, high = (data.draw(arrays(np.float32, (4, 1), elements=st.integers(-1, 7))) for _ in range(2))
    chosen = np.where((columns + 2 >= low) & (columns + 2 < high), x.astype(np.float32), np.float32(LOWEST))

    def select_range(dst: Any, t: Any, a: Any, b: Any) -> None:
        nisa.range_select(dst, t, nl.greater_equal, nl.less, a, b, range_start=2, on_false_value=LOWEST)

    exactly(written(select_range, x.shape, np.float32, x, low, high), chosen)


@types
@few
@given(data=st.data())
def test_selection_by_predicate(dtype: str, data: Any) -> None:
    x, old = data.draw(values(dtype)), data.draw(values(dtype))
    chosen = data.draw(arrays(np.uint8, x.shape, elements=st.integers(0, 1)))
    column = data.draw(values("float32", (4, 1)))

    def select(dst: Any, t: Any, p: Any, c: Any) -> None:
        largest = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.select_reduce(dst[:, 0:6], p, t, c, largest, nisa.reduce_cmd.reset_reduce)
        nisa.tensor_copy(dst[:, 6:7], largest)

    exact = np.where(chosen, x.astype(np.float32), column)
    found = written(select, (4, 7), np.float32, x, chosen, column)
    exactly(found, np.concatenate([exact, exact.max(axis=1, keepdims=True)], axis=1))

    def replace(dst: Any, t: Any, o: Any, p: Any) -> None:
        nisa.tensor_copy(dst, o)
        nisa.tensor_copy_predicated(dst, t, p)

    exactly(written(replace, x.shape, x.dtype, x, old, chosen), np.where(chosen, x, old))

    def reverse(dst: Any, t: Any, o: Any, p: Any) -> None:
        nisa.tensor_copy(dst, o)
        nisa.tensor_copy_predicated(dst, t, p, reverse_pred=True)

    exactly(written(reverse, x.shape, x.dtype, x, old, chosen), np.where(chosen, old, x))


@NARROW
@few
@given(data=st.data())
def test_searches_for_eight_values(dtype: str, data: Any) -> None:
    """The eight largest of rows without ties, where they stand, and the rows without them."""
    order = np.array([data.draw(st.permutations(range(12))) for _ in range(4)])
    x = (order / 4 - 1).astype(FLOATS[dtype])
    place = np.argsort(-order, axis=1)[:, :8]
    largest = np.take_along_axis(x, place, axis=1)
    exactly(returned(lambda t: nisa1.max8(src=t), x), largest)
    exactly(returned(lambda t: nisa1.nc_find_index8(data=t, vals=nisa1.max8(src=t)), x), place)
    rest = x.copy()
    np.put_along_axis(rest, place, -9, axis=1)

    def replace(dst: Any, t: Any) -> None:
        eight = nl.ndarray((4, 8), dtype=t.dtype, buffer=nl.sbuf)
        nisa.max8(eight, t)
        nisa.nc_match_replace8(dst, t, eight, -9.0)

    exactly(written(replace, x.shape, x.dtype, x), rest)


def test_equal_values_are_paired_in_the_order_of_each_search() -> None:
    x = np.array([[1, 2, 3, 4, 8, 8, 8, 8, 8, 8, 8]], np.float32)
    sought = np.array([[3, 8, 8, 8, 8, 8, 8, 8]], np.float32)

    def replace(dst: Any, t: Any, s: Any) -> None:
        changed = nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.sbuf)
        nisa.nc_match_replace8(changed, t, s, 0.0, dst_idx=dst)

    def find(dst: Any, t: Any, s: Any) -> None:
        nisa.nc_find_index8(dst, t, s)

    exactly(written(replace, (1, 8), np.uint32, x, sought), [[2, 10, 9, 8, 7, 6, 5, 4]])
    exactly(written(find, (1, 8), np.uint32, x, sought), [[2, 4, 5, 6, 7, 8, 9, 10]])


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
@few
@given(data=st.data())
def test_gathers_and_shuffles_move_values(dtype: str, data: Any) -> None:
    x = data.draw(values(dtype, (32, 6)) if dtype in FLOATS else whole(dtype, (32, 6)))
    index = data.draw(arrays(np.uint32, (32, 5), elements=st.integers(0, 5)))
    exact = np.take_along_axis(x, index.astype(np.int64), axis=1)
    exactly(written(lambda dst, t, i: nisa.nc_n_gather(dst, t, i), (32, 5), x.dtype, x, index), exact)
    order = data.draw(st.permutations(range(32)))
    exactly(written(lambda dst, t: nisa.nc_stream_shuffle(dst, t, list(order)), x.shape, x.dtype, x), x[list(order)])
    near = data.draw(arrays(np.uint16, (32, 2), elements=st.integers(0, 5)))
    flat = near.reshape(2, 16, 2).transpose(0, 2, 1).reshape(2, 32).astype(np.int64)
    local = np.take_along_axis(x, np.repeat(flat, 16, axis=0), axis=1)
    exactly(written(lambda dst, t, i: nisa.local_gather(dst, t, i), (32, 32), x.dtype, x, near), local)


@NARROW
@few
@given(data=st.data())
def test_transfers_that_compute(dtype: str, data: Any) -> None:
    x, y = data.draw(values(dtype)), data.draw(values(dtype))

    @nki.jit
    def kernel(x: Any, y: Any) -> Any:
        out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        nisa.dma_compute(out, [x, y], nl.add)
        return out

    with exact_types():
        found = kernel(x, y)
    close(found, x.astype(np.float64) + y.astype(np.float64), dtype)


def test_a_transfer_adds_to_rows_that_a_tile_names() -> None:
    @nki.jit
    def kernel(x: Any, rows: Any) -> Any:
        out = nl.ndarray((8, 4), dtype=x.dtype, buffer=nl.shared_hbm)
        tile = nl.ndarray((8, 4), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(tile, 1.0)
        nisa.dma_copy(out, tile)
        index = nl.ndarray((4, 1), dtype=rows.dtype, buffer=nl.sbuf)
        nisa.dma_copy(index, rows)
        named = out.ap(pattern=[[4, 4], [1, 4]], offset=0, vector_offset=index, indirect_dim=0)
        nisa.dma_compute(named, [tile[0:4], named], nl.add)
        return out

    found = kernel(np.zeros((4, 4), np.float32), np.array([[6], [0], [3], [4]], np.uint32))
    assert found[:, 0].tolist() == [2, 1, 1, 2, 2, 1, 2, 1]


def _largest(parts: Any) -> Any:
    """The largest magnitude of the group that each element belongs to."""
    return np.repeat(np.abs(parts).reshape(4, 8, -1, 4).max(axis=(1, 3)), 8, axis=0)[:, :, None]


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


@few
@given(data=st.data())
def test_bounds_of_segments_and_places_of_nonzeros(data: Any) -> None:
    lengths = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    ids = np.repeat(np.arange(1, len(lengths) + 1), lengths).astype(np.float32)[None]
    ends = np.cumsum(lengths)
    exact = np.stack([np.repeat(ends - lengths, lengths), np.repeat(ends, lengths)])[None]

    def bounds(dst: Any, t: Any) -> None:
        nisa.sequence_bounds(dst, t)

    exactly(written(bounds, exact.shape, np.float32, ids), exact)


def test_numbers_of_a_pattern() -> None:
    exact = np.arange(4)[:, None] * 100 + (np.arange(2)[:, None] * 10 + np.arange(3) * -1).reshape(1, 6) + 5
    select = {"pattern": [[10, 2], [-1, 3]], "offset": 5, "channel_multiplier": 100}
    exactly(written(lambda dst, t: nisa.iota(dst, **select), (4, 6), np.int32, np.zeros((4, 6), np.float32)), exact)
    exactly(returned(lambda t: nisa1.iota(nl1.arange(4)[:, None] * 7 + nl1.arange(6)[None, :], nl1.int32),
                     np.zeros((4, 6), np.float32)), np.arange(4)[:, None] * 7 + np.arange(6))  # fmt: skip


def test_a_flattened_gather() -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    index = np.array([[5, 0, 3]] * 4, np.uint32)

    @nki1.jit
    def kernel(x: Any, i: Any) -> Any:
        out = nl1.ndarray((4, 3), dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, nl1.gather_flattened(nl1.load(x), nl1.load(i)))
        return out

    with exact_types():
        exactly(kernel(x, index), x[:, [5, 0, 3]])
