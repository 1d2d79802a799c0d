"""Index grids and masks mean what numpy's arrays of the same values mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_sim.tensors.grid_makers import GridMaker, arange
from reference_sim.tensors.grids import Grid, Mask, where_of

SHAPE = (8, 12)


def shown(where: Any) -> Any:
    """A mask's part of a tile as truth values."""
    marks = np.zeros(SHAPE, bool)
    if where is None:
        marks[...] = True
    else:
        marks[where] = True
    return marks


grids = st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-20, 20)).map(
    lambda c: arange(8)[:, None] * c[0] + arange(12)[None, :] * c[1] + c[2]
)


@settings(max_examples=60)
@given(grids, grids)
def test_arithmetic_agrees_with_numpy(a: Grid, b: Grid) -> None:
    x, y = a.array(), b.array()
    np.testing.assert_array_equal((a + b).array(), x + y)
    np.testing.assert_array_equal((a - b * 2).array(), x - y * 2)
    np.testing.assert_array_equal((7 - a).array(), 7 - x)
    np.testing.assert_array_equal((a // 3).array(), x // 3)
    np.testing.assert_array_equal((a % 5).array(), x % 5)
    assert a.bounds() == (x.min(), x.max())


@settings(max_examples=100)
@given(grids, grids, st.integers(-20, 20))
def test_masks_agree_with_numpy(a: Grid, b: Grid, n: int) -> None:
    x, y = a.array(), b.array()
    cases = [
        (a < n, x < n), (a >= n, x >= n), (a <= b, x <= y), (a > b, x > y), (a == n, x == n), (a != b, x != y),
        ((a < n) & (b > n), (x < n) & (y > n)), ((a < n) | (b > n), (x < n) | (y > n)), (~(a < n), ~(x < n)),
    ]  # fmt: skip
    for mask, expected in cases:
        np.testing.assert_array_equal(shown(mask.over(SHAPE)), np.broadcast_to(expected, SHAPE))


def test_a_tail_is_a_box() -> None:
    rows, columns = arange(8)[:, None], arange(12)[None, :]
    assert ((rows + 4 < 9) & (columns < 12)).over(SHAPE) == (slice(0, 5), slice(0, 12))
    assert (rows < 8).over(SHAPE) is None
    assert (rows > 20).over(SHAPE)[0] == slice(21, 21) or not shown((rows > 20).over(SHAPE)).any()


def test_mgrid_is_dense_and_names_its_axes() -> None:
    grid = GridMaker()[0:8, 2:12:2]
    assert [g.shape for g in grid] == [(8, 5), (8, 5)]
    np.testing.assert_array_equal(grid.x.array()[0], [2, 4, 6, 8, 10])
    assert grid.p is grid[0]


def test_and_between_masks_keeps_the_second_as_python_does() -> None:
    rows = arange(8)[:, None]
    joined = rows < 4 and rows < 6
    assert isinstance(joined, Mask)
    assert shown(joined.over(SHAPE)).sum() == 6 * 12


def test_plain_truth_values_are_masks() -> None:
    assert where_of(True, SHAPE) is None
    assert not shown(where_of(False, SHAPE)).any()
    with pytest.raises(TypeError):
        where_of("x", SHAPE)
