"""Subscripts with affine index grids choose what numpy's index arrays choose."""

from __future__ import annotations

import random
from typing import Any

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
import pytest

import reference_sim

DATA = np.arange(2 * 128 * 6 * 10, dtype=np.float32).reshape(2, 128, 6, 10)


def index(chosen: random.Random, size: int, along: int | None) -> Any:
    """An index of an axis: a number, or a grid that moves `along` an axis of the result, made by what it is handed."""
    if along is None:
        number = chosen.randrange(size)
        return lambda grid: number
    step = chosen.choice([1, 1, 2, 3])
    count = chosen.randrange(1, (size - 1) // step + 2)
    base = chosen.randrange(size - step * (count - 1))
    return lambda grid: base + step * grid(count, along)


@pytest.mark.parametrize("seed", range(60))
def test_a_load_takes_what_numpy_takes(seed: int) -> None:
    chosen = random.Random(seed)
    axes = chosen.sample(range(4), chosen.choice([2, 3]))
    made = [index(chosen, size, axes.index(axis) if axis in axes else None) for axis, size in enumerate(DATA.shape)]

    def keys(arange: Any) -> tuple[Any, ...]:
        def grid(count: int, along: int) -> Any:
            return arange(count)[tuple(slice(None) if a == along else None for a in range(len(axes)))]

        return tuple(make(grid) for make in made)

    @nki.jit
    def kernel(x: Any, y: Any) -> Any:
        out = nl.ndarray(y.shape, dtype=x.dtype, buffer=nl.shared_hbm)
        for _ in nl.sequential_range(2):  # the second time the form is known
            nl.store(out, value=nl.load(x[keys(nl.arange)]))
        return out

    expected = DATA[keys(np.arange)]
    np.testing.assert_array_equal(kernel(DATA, expected), expected)


@nki.jit
def columns(x: Any, first: int, last: int) -> Any:
    rows, one = nl.arange(128)[:, None], nl.arange(2)[None, :]
    tile = nl.load(x)
    out = nl.ndarray((128, 2), dtype=x.dtype, buffer=nl.shared_hbm)
    for column in nl.static_range(first, last):
        nl.store(out[rows, one], value=nisa.tensor_copy(tile[rows, column + one]))
    return out


@pytest.mark.parametrize(("first", "last", "codes"), [(0, 9, set()), (8, 10, {"NKI301"}), (-1, 2, {"NKI301"})])
def test_a_form_that_is_known_is_judged_for_each_base(first: int, last: int, codes: set[str]) -> None:
    seen = reference_sim.observe(columns, [DATA[0, :, 0], first, last], {})
    assert {f.code for f in seen.findings if f.severity == "error"} == codes


@nki.jit
def across(x: Any) -> Any:
    tile, out = nl.load(x), nl.ndarray((64, 2), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.static_range(2):
        nl.store(out, value=nl.copy(tile[i * 64 + nl.arange(64)[:, None], nl.arange(2)[None, :]]))
        nl.store(out, value=nl.copy(tile[i * 64 + nl.arange(2)[None, :], nl.arange(64)[:, None]]))
    return out


def test_partitions_along_another_axis_are_told() -> None:
    seen = reference_sim.observe(across, [np.ones((128, 64), np.float32)], {})
    assert "NKI107" in {f.code for f in seen.findings}
