"""Shapes of results agree with NumPy on numbers and stay exact on symbols."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nkilint.symbolic import sym
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.shapes import (
    axes_of,
    broadcast,
    broadcast_condition,
    broadcast_conditions,
    equal_shapes_condition,
    expanded,
    expands_to_condition,
    flattened,
    permuted,
    rearranged,
    reduced,
    reshape_condition,
    reshaped,
    sliced,
    split,
    trailing_free_axes,
)

SHAPES = st.lists(st.sampled_from([1, 1, 2, 3, 5]), max_size=4).map(tuple)


@given(st.lists(SHAPES, min_size=1, max_size=3))
def test_broadcasting_is_numpys(shapes: list[tuple[int, ...]]):
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        assert any(condition is False for condition, _, _ in broadcast_conditions(shapes))
    else:
        assert broadcast(shapes) == expected
        assert broadcast_conditions(shapes) == []


@given(SHAPES, SHAPES)
def test_stretching_is_numpys(old: tuple[int, ...], new: tuple[int, ...]):
    try:
        np.broadcast_to(np.empty(old), new)
    except ValueError:
        assert expands_to_condition(old, new) is False
    else:
        assert expands_to_condition(old, new) is True


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.data())
def test_reduction_is_numpys(shape: list[int], data: st.DataObject):
    axes = data.draw(st.sets(st.integers(-len(shape), len(shape) - 1), min_size=1).map(list))
    axes = [axis for axis in axes if axis >= 0 or axis + len(shape) not in axes]
    for keepdims in (False, True):
        assert reduced(shape, axes, keepdims) == np.empty(shape).sum(tuple(axes), keepdims=keepdims).shape


def test_a_condition_names_the_shape_and_the_axis():
    assert broadcast_conditions([(128, 4), (128, 1), (3,)]) == [(False, 2, 1)]


def test_broadcasting_of_symbols():
    m, n = sym("M", low=1), sym("N", low=1)
    assert broadcast([(128, m), (128, 1)]) == (128, m)
    assert broadcast([(128, m), (128, m)]) == (128, m)
    assert broadcast([(128, m), (128, 512)]) == (128, 512)
    assert broadcast_conditions([(128, m), (128, m)]) == []
    assert str(broadcast([(m,), (n,)])[0]) == "max(M, N)"
    [(condition, number, axis)] = broadcast_conditions([(128, m), (128, n)])
    assert (number, axis) == (1, 1)
    assert str(condition) == str((m == n) | (m == 1) | (n == 1))
    assert broadcast_condition(m, 1) is True


def test_reshaping():
    m = sym("M", low=1)
    assert reshaped((4, 6), (3, -1)) == (3, 8)
    assert reshaped((m, 6), (6, -1)) == (6, m)
    assert reshape_condition((4, 6), (3, 8)) is True
    assert reshape_condition((4, 6), (3, 7)) is False
    assert reshape_condition((m, 6), (2, 3, m)) is True
    assert str(reshape_condition((m, 4), (128, 4))) == str(m * 4 == 512)


def test_views():
    assert permuted((1, 2, 3), (2, 0, 1)) == (3, 1, 2)
    assert expanded((128, 4), 1) == (128, 1, 4)
    assert expanded((128, 4), (1, 3)) == (128, 1, 4, 1)
    assert split((128, 12), -1, (3, -1)) == (128, 3, 4)
    assert flattened((128, 2, 3, 4), 1, 2) == (128, 6, 4)
    assert sliced((128, 64), 1, 8, 25, 4) == (128, 5)


def test_rearranging():
    assert rearranged((128, 24), ("b", ("h", "w")), (("h", "b"), "w"), {"h": 4}) == (512, 6)
    with pytest.raises(IsUnknown, match="sizes of h, w are not given"):
        rearranged((24,), (("h", "w"),), ("w", "h"))
    with pytest.raises(IsUnknown, match="has no x"):
        rearranged((24,), ("h",), ("x",))


def test_axes():
    assert axes_of([-1, 1], 3) == (1, 2)
    assert axes_of(5, 2) == (5,)
    with pytest.raises(IsUnknown, match="lost"):
        axes_of(Unknown("lost"), 2)
    assert [trailing_free_axes(axes, 4) for axes in (3, [2, 3], [1, 3], 0, [0, 1, 2, 3])] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_equal_shapes():
    m = sym("M", low=1)
    assert equal_shapes_condition((128, m), (128, m)) is True
    assert equal_shapes_condition((128, 4), (128,)) is False
    assert str(equal_shapes_condition((128, m), (128, 4))) == str(m == 4)
