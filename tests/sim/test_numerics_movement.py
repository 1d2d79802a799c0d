"""Operations that fill, move or pick values, in both dialects: what they give is exact, over all types."""

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
from hypothesis.extra.numpy import arrays

from .numerics import FLOATS, INTEGERS, by_language, close, computed, exact_types, returned, values, whole, written

few = settings(max_examples=3)
types = pytest.mark.parametrize("dtype", FLOATS)
every_type = pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
LOWEST = float(np.finfo(np.float32).min)


def drawn(data: Any, dtype: str, shape: tuple[int, ...] = (4, 6)) -> Any:
    return data.draw(values(dtype, shape) if dtype in FLOATS else whole(dtype, shape))


def exactly(found: Any, exact: Any) -> None:
    np.testing.assert_array_equal(np.asarray(found).astype(np.float64), np.asarray(exact).astype(np.float64))


@every_type
@few
@given(data=st.data())
def test_values_pass_through_memory_unchanged(dtype: str, data: Any) -> None:
    x = drawn(data, dtype)

    @nki1.jit
    def by_dma(t: Any) -> Any:
        tile = nl1.ndarray(t.shape, dtype=t.dtype, buffer=nl1.sbuf)
        nisa1.dma_copy(dst=tile, src=t)
        out = nl1.ndarray(t.shape, dtype=t.dtype, buffer=nl1.shared_hbm)
        nisa1.dma_copy(dst=out, src=nisa1.tensor_copy(tile))
        return out

    @nki.jit
    def by_language_of_0(t: Any) -> Any:
        out = nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load(t))
        return out

    with exact_types():
        exactly(by_dma(x), x)
        exactly(by_language_of_0(x), x)


@every_type
@few
@given(data=st.data())
def test_fills(dtype: str, data: Any) -> None:
    x = drawn(data, dtype)
    number = int(x[0, 0]) if dtype in INTEGERS else float(x[0, 0])
    for language, run in ((nl1, returned), (nl, computed)):
        kind = getattr(language, dtype)
        exactly(
            run(lambda t, n=language, k=kind: n.full((4, 6), number, k, buffer=n.sbuf), x), np.full((4, 6), x[0, 0])
        )
        exactly(run(lambda t, n=language, k=kind: n.ones((4, 6), k, buffer=n.sbuf), x), np.ones((4, 6)))
        exactly(run(lambda t, n=language: n.zeros((4, 6), t.dtype, buffer=n.sbuf), x), np.zeros((4, 6)))
    exactly(returned(lambda t: nisa1.memset((4, 6), number, getattr(nl1, dtype)), x), np.full((4, 6), x[0, 0]))
    exactly(written(lambda dst, t: nisa.memset(dst, number), (4, 6), x.dtype, x), np.full((4, 6), x[0, 0]))
    for found in by_language("zeros_like", x):
        exactly(found, np.zeros((4, 6)))
        assert found.dtype == x.dtype

    def refilled(t: Any, language: Any) -> Any:
        tile = language.empty_like(t)
        tile[...] = t
        return tile

    exactly(returned(lambda t: refilled(t, nl1), x), x)

    def copied(t: Any) -> Any:
        tile = nl.empty_like(t)
        nisa.tensor_copy(tile, t)
        return tile

    exactly(computed(copied, x), x)


@types
def test_constants(dtype: str) -> None:
    table = np.arange(24, dtype=np.float32).reshape(4, 6)
    kind = getattr(nl1, dtype)
    exactly(returned(lambda t: nl1.load(nl1.shared_constant(table, dtype=kind)), table), table.astype(FLOATS[dtype]))
    exactly(returned(lambda t: nl1.load(nl1.shared_identity_matrix(4, dtype=kind)), table), np.eye(4))

    def loaded(dst: Any, t: Any) -> None:
        nisa.dma_copy(dst, nl.shared_constant(table, dtype=getattr(nl, dtype)))

    exactly(written(loaded, (4, 6), FLOATS[dtype], table), table.astype(FLOATS[dtype]))
    exactly(computed(lambda t: nl.shared_identity_matrix(4, dtype=getattr(nl, dtype)), table), np.eye(4))


@every_type
@few
@given(data=st.data())
def test_broadcasts_and_flattened_gathers(dtype: str, data: Any) -> None:
    x = drawn(data, dtype, (4, 1))
    for found in by_language("broadcast_to", x, shape=(4, 5)):
        exactly(found, np.broadcast_to(x, (4, 5)))
    y = drawn(data, dtype)
    index = data.draw(arrays(np.uint32, (4, 5), elements=st.integers(0, 5)))
    for found in by_language("gather_flattened", y, index):
        exactly(found, np.take_along_axis(y, index.astype(np.int64), axis=1))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
@few
@given(data=st.data())
def test_transposing_loads(dtype: str, data: Any) -> None:
    x = np.resize(drawn(data, dtype, (3, 7)), (32, 16))

    @nki.jit
    def kernel(t: Any) -> Any:
        out = nl.ndarray((16, 32), dtype=t.dtype, buffer=nl.shared_hbm)
        nl.store(out, nl.load_transpose2d(t))
        return out

    with exact_types():
        exactly(kernel(x), x.T)
    exactly(returned(nisa1.dma_transpose, x), x.T)


@every_type
@few
@given(data=st.data())
def test_copies_from_and_to_places_known_at_run_time(dtype: str, data: Any) -> None:
    x = drawn(data, dtype)
    start = data.draw(arrays(np.int32, (1, 1), elements=st.integers(0, 3)))
    first = int(start[0, 0])

    def read(t: Any, s: Any) -> Any:
        row, column = nl1.mgrid[0:4, 0:3]
        return nisa1.tensor_copy_dynamic_src(t[row, s[0, 0] + column])

    exactly(returned(read, x, start), x[:, first : first + 3])
    exact = np.zeros_like(x)
    exact[:, first : first + 3] = x[:, :3]

    def write(t: Any, s: Any) -> Any:
        out = nl1.zeros(t.shape, dtype=t.dtype, buffer=nl1.sbuf)
        row, column = nl1.mgrid[0:4, 0:3]
        nisa1.tensor_copy_dynamic_dst(dst=out[row, s[0, 0] + column], src=t[0:4, 0:3])
        return out

    exactly(returned(write, x, start), exact)

    def read_nki(dst: Any, t: Any, s: Any) -> None:
        nisa.tensor_copy_dynamic_src(dst, t.ap(pattern=[[6, 4], [1, 3]], scalar_offset=s, indirect_dim=1))

    exactly(written(read_nki, (4, 3), x.dtype, x, start), x[:, first : first + 3])

    def write_nki(dst: Any, t: Any, s: Any) -> None:
        nisa.memset(dst, 0)
        place = dst.ap(pattern=[[6, 4], [1, 3]], scalar_offset=s, indirect_dim=1)
        nisa.tensor_copy_dynamic_dst(place, t[:, 0:3])

    exactly(written(write_nki, (4, 6), x.dtype, x, start), exact)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@few
@given(data=st.data())
def test_additions_in_memory_meet_each_row_once(dtype: str, data: Any) -> None:
    x, y = drawn(data, dtype), drawn(data, dtype)
    rows = np.array(data.draw(st.permutations(range(4))), np.int32)[:, None]

    @nki1.jit
    def kernel(x: Any, y: Any, rows: Any) -> Any:
        out = nl1.ndarray(x.shape, dtype=x.dtype, buffer=nl1.shared_hbm)
        nl1.store(out, nl1.load(x))
        column = nl1.arange(6)[None, :]
        index = nl1.load(rows)
        nl1.atomic_rmw(out[index, column], value=nl1.load(y), op=np.add)
        return out

    exact = x.astype(np.float64)
    exact[rows[:, 0]] += y.astype(np.float64)
    with exact_types():
        close(kernel(x, y, rows), exact, dtype)


@few
@given(data=st.data())
def test_all_of_a_row(data: Any) -> None:
    x = data.draw(arrays(np.int32, (4, 6), elements=st.sampled_from([0, 1, 1, 1])))
    for found in by_language("all", x, axis=1):
        exactly(np.asarray(found).reshape(4).astype(bool), x.all(axis=1))


@few
@given(data=st.data())
def test_the_largest_of_groups_of_sixteen_partitions(data: Any) -> None:
    """Element i of a group stands in partition i mod 16, column i div 16; values ascend, with their places."""
    n, k = data.draw(st.integers(33, 48)), data.draw(st.integers(1, 8))
    groups = [np.array(data.draw(st.permutations(range(48))), np.float32) - 24 for _ in range(2)]
    x = np.concatenate([g.reshape(3, 16).T for g in groups]).astype(FLOATS["bfloat16"])
    place = [np.argsort(g[:n])[n - k :] for g in groups]
    exact = np.concatenate([np.tile(p, (16, 1)) for p in place])
    largest = np.concatenate([np.tile(g[p], (16, 1)) for g, p in zip(groups, place, strict=True)])

    def choose(t: Any, wanted: int) -> Any:
        found = nl.ndarray((32, k), dtype=nl.bfloat16, buffer=nl.sbuf)
        index = nl.ndarray((32, k), dtype=nl.uint32, buffer=nl.sbuf)
        nisa.topk(found, index, t, n)
        return (found, index)[wanted]

    exactly(computed(lambda t: choose(t, 0), x, target="trn3"), largest)
    exactly(computed(lambda t: choose(t, 1), x, target="trn3"), exact)


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@few
@given(data=st.data())
def test_places_of_nonzeros_and_their_count(dtype: str, data: Any) -> None:
    x = np.zeros((32, 8), dtype)
    for row in (0, 16):
        x[row] = data.draw(arrays(dtype, (8,), elements=st.sampled_from([0, 0, 1, 3])))
    exact = np.full((32, 9), 7)
    for row in (0, 16):
        (places,) = x[row].nonzero()
        exact[row] = [*(places + 5), *[-2] * (8 - places.size), places.size]

    def find(dst: Any, t: Any) -> None:
        nisa.memset(dst, 7)
        nisa.nonzero_with_count(dst, t, index_offset=5, padding_val=-2)

    exactly(written(find, (32, 9), np.int32, x), exact)


@types
@few
@given(data=st.data())
def test_selections_of_beta_1(dtype: str, data: Any) -> None:
    x, old = drawn(data, dtype), drawn(data, dtype)
    chosen = data.draw(arrays(np.uint8, x.shape, elements=st.integers(0, 1)))

    def replaced(t: Any, o: Any, p: Any) -> Any:
        tile = nl1.copy(o)
        nisa1.tensor_copy_predicated(src=t, dst=tile, predicate=p)
        return tile

    exactly(returned(replaced, x, old, chosen), np.where(chosen, x, old))

    def selected(t: Any, p: Any) -> Any:
        tile = nl1.ndarray(t.shape, dtype=nl1.float32, buffer=nl1.sbuf)
        nisa1.select_reduce(dst=tile, predicate=p, on_true=t, on_false=-1.0)
        return tile

    exactly(returned(selected, x, chosen), np.where(chosen, x.astype(np.float32), -1))
    low, high = (data.draw(arrays(np.float32, (4, 1), elements=st.integers(-1, 7))) for _ in range(2))
    columns = np.arange(6)[None, :]

    def in_range(t: Any, a: Any, b: Any) -> Any:
        return nisa1.range_select(
            on_true_tile=t, comp_op0=np.greater_equal, comp_op1=np.less, bound0=a, bound1=b, dtype=nl1.float32
        )

    exact = np.where((columns >= low) & (columns < high), x.astype(np.float32), np.float32(LOWEST))
    exactly(returned(in_range, x, low, high), exact)


@few
@given(data=st.data())
def test_searches_and_shuffles_of_beta_1(data: Any) -> None:
    order = np.array([data.draw(st.permutations(range(12))) for _ in range(4)])
    x = order.astype(np.float32)
    rest = np.where(order >= 4, -9, x)
    exactly(returned(lambda t: nisa1.nc_match_replace8(data=t, vals=nisa1.max8(src=t), imm=-9.0), x), rest)
    ids = np.array([[1, 1, 2, 2, 2, 3]], np.float32)
    exact = np.array([[[0, 0, 2, 2, 2, 5], [2, 2, 5, 5, 5, 6]]])
    exactly(returned(lambda t: nisa1.sequence_bounds(segment_ids=t), ids), exact)
    lanes, wide = data.draw(st.permutations(range(32))), data.draw(values("float32", (32, 6)))

    def shuffled(t: Any) -> Any:
        tile = nl1.ndarray(t.shape, dtype=t.dtype, buffer=nl1.sbuf)
        nisa1.nc_stream_shuffle(src=t, dst=tile, shuffle_mask=list(lanes))
        return tile

    exactly(returned(shuffled, wide), wide[list(lanes)])
    near = data.draw(arrays(np.uint16, (32, 2), elements=st.integers(0, 5)))
    flat = near.reshape(2, 16, 2).transpose(0, 2, 1).reshape(2, 32).astype(np.int64)
    exactly(returned(nisa1.local_gather, wide, near), np.take_along_axis(wide, np.repeat(flat, 16, axis=0), axis=1))
    sums = np.cumsum(2 * x, axis=1)

    def summed(t: Any) -> Any:
        tile = nl1.ndarray(t.shape, dtype=nl1.float32, buffer=nl1.sbuf)
        nisa1.tensor_scalar_cumulative(dst=tile, src=t, op0=np.multiply, op1=np.add, imm0=2.0)
        return tile

    exactly(returned(summed, x), sums)


def test_a_sum_over_a_single_program_is_its_tile() -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    exactly(returned(lambda t: nl1.all_reduce(t, np.add, program_axes=[0]), x), x)
