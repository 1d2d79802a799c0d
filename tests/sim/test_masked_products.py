"""What masks leave of products: of what is contracted, of the rows and of the columns of the result."""

from __future__ import annotations

from typing import Any

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
import pytest

import reference_sim

LEFT, RIGHT = (np.random.default_rng(n).random((128, size), np.float32) for n, size in ((0, 64), (1, 512)))
P, F, N = (nl.arange(128)[:, None], nl.arange(64)[None, :], nl.arange(512)[None, :])


def observed(multiply: Any, left: Any = LEFT) -> Any:
    @nki.jit
    def kernel(left, right):  # type: ignore[no-untyped-def]
        output = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.shared_hbm)
        total = nl.zeros((64, 512), dtype=nl.float32, buffer=nl.psum)
        total += multiply(nl.load(left), nl.load(right))
        nl.store(output, value=nl.copy(total))
        return output

    seen = reference_sim.observe(kernel, [left, RIGHT], target="trn2")
    assert seen.stopped is None
    return seen.results


@pytest.mark.parametrize(
    ("multiply", "rows", "left", "right"),
    [
        (lambda a, b: nisa.nc_matmul(a, b, mask=P < 100), 100, 64, 512),
        (lambda a, b: nisa.nc_matmul(a, b, mask=N < 300), 128, 64, 300),
        (lambda a, b: nisa.nc_matmul(a, b, mask=F < 30), 128, 30, 512),
        (lambda a, b: nisa.nc_matmul(a, b, mask=(P < 100) & (N < 300)), 100, 64, 300),
        (lambda a, b: nisa.nc_matmul(a[P < 100], b), 100, 64, 512),
        (lambda a, b: nisa.nc_matmul(a, b[P < 100]), 100, 64, 512),
        (lambda a, b: nisa.nc_matmul(moving=b[N < 300], stationary=a[(P < 100) & (F < 30)]), 100, 30, 300),
        (lambda a, b: nl.matmul(a[(P < 100) & (F < 30)], b[(P < 90) & (N < 300)], transpose_x=True), 90, 30, 300),
        (lambda a, b: nl.matmul(a[P < 0], b, transpose_x=True), 0, 64, 512),
    ],
)
def test_masks_of_operands_say_what_is_multiplied(multiply: Any, rows: int, left: int, right: int) -> None:
    wanted = np.zeros((64, 512), np.float32)
    wanted[:left, :right] = LEFT[:rows, :left].T @ RIGHT[:rows, :right]
    assert np.allclose(observed(multiply), wanted, rtol=1e-4)


def test_the_contracted_axis_of_what_is_turned_first_is_its_free_one() -> None:
    left = np.ascontiguousarray(LEFT.T)
    whole = nl.arange(64)[:, None], nl.arange(128)[None, :]
    found = observed(lambda a, b: nl.matmul(a[(whole[0] < 30) & (whole[1] < 100)], b[N < 300]), left)
    wanted = np.zeros((64, 512), np.float32)
    wanted[:30, :300] = left[:30, :100] @ RIGHT[:100, :300]
    assert np.allclose(found, wanted, rtol=1e-4)


def test_which_of_two_axes_of_one_size_a_mask_means_is_not_guessed() -> None:
    @nki.jit
    def kernel(left):  # type: ignore[no-untyped-def]
        output = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.shared_hbm)
        tile = nl.load(left)
        nl.store(output, value=nisa.nc_matmul(tile, tile, mask=F < 30))
        return output

    seen = reference_sim.observe(kernel, [LEFT], target="trn2")
    assert "cannot be simulated" in str(seen.stopped.error)
