"""Selections and searches against numpy, over all their types."""

from __future__ import annotations

from typing import Any

import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from .numerics import FLOATS, LOWEST, computed, drawn, exactly, few_types, returned, types, values, written

few = settings(max_examples=4)


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


@few_types
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


def _largest(parts: Any) -> Any:
    """The largest magnitude of the group that each element belongs to."""
    return np.repeat(np.abs(parts).reshape(4, 8, -1, 4).max(axis=(1, 3)), 8, axis=0)[:, :, None]


@few
@given(data=st.data())
def test_bounds_of_segments(data: Any) -> None:
    """By the formula of the page: where each element's segment begins, and where the next one does; 0 is padding."""
    parts = data.draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=6))
    ids = np.concatenate([np.full(length, segment, np.float32) for segment, length in parts])[None]
    n = ids.shape[1]
    exact = np.empty((1, 2, n))
    for i, segment in enumerate(ids[0]):
        same = ids[0] == segment
        first = next(j for j in range(i, -1, -1) if same[j : i + 1].all() and (j == 0 or not same[j - 1]))
        last = next(j for j in range(i + 1, n + 1) if j == n or not same[j])
        exact[0, :, i] = (first, last) if segment else (n, -1)
    exactly(written(lambda dst, t: nisa.sequence_bounds(dst, t), exact.shape, np.float32, ids), exact)
    exactly(returned(lambda t: nisa1.sequence_bounds(segment_ids=t), ids), exact)


def test_numbers_of_a_pattern() -> None:
    exact = np.arange(4)[:, None] * 100 + (np.arange(2)[:, None] * 10 + np.arange(3) * -1).reshape(1, 6) + 5
    select = {"pattern": [[10, 2], [-1, 3]], "offset": 5, "channel_multiplier": 100}
    exactly(written(lambda dst, t: nisa.iota(dst, **select), (4, 6), np.int32, np.zeros((4, 6), np.float32)), exact)
    exactly(returned(lambda t: nisa1.iota(nl1.arange(4)[:, None] * 7 + nl1.arange(6)[None, :], nl1.int32),
                     np.zeros((4, 6), np.float32)), np.arange(4)[:, None] * 7 + np.arange(6))  # fmt: skip


@few
@given(data=st.data())
def test_replacements_of_beta_1(data: Any) -> None:
    order = np.array([data.draw(st.permutations(range(12))) for _ in range(4)])
    x = order.astype(np.float32)
    rest = np.where(order >= 4, -9, x)
    exactly(returned(lambda t: nisa1.nc_match_replace8(data=t, vals=nisa1.max8(src=t), imm=-9.0), x), rest)


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
