"""Operations that fill, move or gather values, in both dialects: what they give is exact, over all types."""

from __future__ import annotations

from typing import Any

import neuronxcc.nki as nki1
import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference_sim import CannotSimulate

from .numerics import (
    FLOATS,
    INTEGERS,
    by_language,
    close,
    computed,
    drawn,
    every_type,
    exact_types,
    exactly,
    few_types,
    returned,
    types,
    values,
    whole,
    written,
)

few = settings(max_examples=3)


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
def test_shuffles_and_gathers_of_beta_1(data: Any) -> None:
    lanes, wide = data.draw(st.permutations(range(32))), data.draw(values("float32", (32, 6)))

    def shuffled(t: Any) -> Any:
        tile = nl1.ndarray(t.shape, dtype=t.dtype, buffer=nl1.sbuf)
        nisa1.nc_stream_shuffle(src=t, dst=tile, shuffle_mask=list(lanes))
        return tile

    exactly(returned(shuffled, wide), wide[list(lanes)])
    near = data.draw(arrays(np.uint16, (32, 2), elements=st.integers(0, 5)))
    flat = near.reshape(2, 16, 2).transpose(0, 2, 1).reshape(2, 32).astype(np.int64)
    exactly(returned(nisa1.local_gather, wide, near), np.take_along_axis(wide, np.repeat(flat, 16, axis=0), axis=1))


def test_a_sum_over_a_single_program_is_its_tile() -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    exactly(returned(lambda t: nl1.all_reduce(t, np.add, program_axes=[0]), x), x)


def test_a_group_of_one_rank_receives_what_it_sends() -> None:
    x = np.arange(24, dtype=np.float32).reshape(4, 6)

    @nki.jit
    def exchanged(t: Any, ranks: Any) -> Any:
        group = ncc.ReplicaGroup(ranks)
        tensors = [nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.hbm) for _ in range(4)]
        out = nl.ndarray(t.shape, dtype=t.dtype, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=tensors[0], src=t)
        ncc.all_reduce([tensors[0]], [tensors[1]], group, nl.add)
        ncc.all_gather([tensors[1]], [tensors[2]], group, 0)
        ncc.reduce_scatter([tensors[2]], [tensors[3]], group, 0, nl.maximum)
        ncc.all_to_all([tensors[3]], [out], group, 0)
        return out

    exactly(exchanged(x, [[0]]), x)
    with pytest.raises(CannotSimulate, match="several devices"):
        exchanged(x, [[0, 1]])


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


@few_types
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


def test_copies_by_dma_that_would_stretch_their_source_are_not_documented_in_beta1() -> None:
    @nki1.jit
    def copy(t: Any) -> Any:
        out = nl1.ndarray((64, 512), dtype=t.dtype, buffer=nl1.shared_hbm)
        nisa1.dma_copy(dst=out, src=t)
        return out

    given = np.ones((64, 512), np.float32)
    assert np.array_equal(copy(given), given)
    with pytest.raises(CannotSimulate, match="stretches"):
        copy(given[:1, :1])
