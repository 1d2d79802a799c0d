"""Loads, products and sums that are put off give what they would have given at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
import pytest

from reference_sim import Strictness
from reference_sim.running.settings import SETTINGS

RNG = np.random.default_rng(0)
A, B = RNG.standard_normal((256, 32)).astype(np.float32), RNG.standard_normal((256, 64)).astype(np.float32)
PRODUCT = A.T @ B


def stored(tile: Any) -> Any:
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out


def summed(a: Any, b: Any, buffer: Any = nl.psum) -> Any:
    total = nl.zeros((32, 64), dtype=nl.float32, buffer=buffer)
    for k in nl.affine_range(2):
        total += nisa.nc_matmul(nl.load(a[k * 128 : k * 128 + 128, :]), nl.load(b[k * 128 : k * 128 + 128, :]))
    return total


def plain(a: Any, b: Any) -> Any:
    return stored(summed(a, b))


def in_two_steps(a: Any, b: Any) -> Any:
    first = nl.load(a[0:128, :])
    total = nl.zeros((32, 64), dtype=nl.float32, buffer=nl.psum)
    seen = total[:, 0:16]
    total += nisa.nc_matmul(first, nl.load(b[0:128, :]))
    total += nisa.nc_matmul(nl.load(a[128:256, :]), nl.load(b[128:256, :]))
    out = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out[:, 0:16], nl.copy(seen))
    nl.store(out[:, 16:64], nl.copy(total[:, 16:64]))
    return out


def operand_overwritten(a: Any, b: Any) -> Any:
    total = nl.zeros((32, 64), dtype=nl.float32, buffer=nl.psum)
    left, right = nl.load(a[0:128, :]), nl.load(b[0:128, :])
    total += nisa.nc_matmul(left, right)
    left[...] = nl.load(a[128:256, :])
    right[...] = nl.load(b[128:256, :])
    total += nisa.nc_matmul(left, right)
    return stored(total)


def read_between(a: Any, b: Any) -> Any:
    total = nl.zeros((32, 64), dtype=nl.float32, buffer=nl.psum)
    total += nisa.nc_matmul(nl.load(a[0:128, :]), nl.load(b[0:128, :]))
    half = nl.copy(total)
    rest = nisa.nc_matmul(nl.load(a[128:256, :]), nl.load(b[128:256, :]))
    return stored(nl.add(half, rest))


def in_sbuf(a: Any, b: Any) -> Any:
    return stored(summed(a, b, nl.sbuf))


def many_rows(a: Any, b: Any) -> Any:
    total = nl.zeros((32, 64), dtype=nl.float32, buffer=nl.psum)
    for _ in range(40):
        total += nisa.nc_matmul(nl.load(a[0:128, :]), nl.load(b[0:128, :]))
    return stored(nl.multiply(nl.copy(total), 1 / 40))


def on_a_product(a: Any, b: Any) -> Any:
    total = nisa.nc_matmul(nl.load(a[0:128, :]), nl.load(b[0:128, :]))
    total += nisa.nc_matmul(nl.load(a[128:256, :]), nl.load(b[128:256, :]))
    return stored(nl.copy(total))


def on_a_product_of_what_was_computed(a: Any, b: Any) -> Any:
    total = nisa.nc_matmul(nl.multiply(nl.load(a[0:128, :]), 2.0), nl.load(b[0:128, :]))
    total += nisa.nc_matmul(nl.load(a[128:256, :]), nl.load(b[128:256, :]))
    return stored(nl.copy(total))


def on_what_is_there(a: Any, b: Any) -> Any:
    total = nl.full((32, 64), 3.0, dtype=nl.float32, buffer=nl.psum)
    total += nisa.nc_matmul(nl.load(a[0:128, :]), nl.load(b[0:128, :]))
    total += nisa.nc_matmul(nl.load(a[128:256, :]), nl.load(b[128:256, :]))
    return stored(nl.copy(total))


FIRST, SECOND = A[:128].T @ B[:128], A[128:].T @ B[128:]
CASES: list[tuple[Callable[..., Any], Any]] = [
    (plain, PRODUCT), (in_two_steps, PRODUCT), (operand_overwritten, PRODUCT), (read_between, PRODUCT),
    (in_sbuf, PRODUCT), (many_rows, FIRST), (on_a_product, PRODUCT), (on_what_is_there, PRODUCT + 3),
    (on_a_product_of_what_was_computed, 2 * FIRST + SECOND),
]  # fmt: skip


@pytest.mark.parametrize("checks", [False, True])
@pytest.mark.parametrize(("kernel", "expected"), CASES, ids=[k.__name__ for k, _ in CASES])
def test_sums_are_what_numpy_gives(kernel: Callable[..., Any], expected: Any, checks: bool) -> None:
    SETTINGS["strictness"] = Strictness(checks=checks)
    np.testing.assert_allclose(nki.jit(kernel)(A, B), expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(nki.jit(kernel)(A[::2].repeat(2, 0)[:256], B), nki.jit(kernel)(A[::2].repeat(2, 0), B))


def test_an_input_that_is_written_after_it_was_loaded() -> None:
    def kernel(a: Any, out: Any) -> None:
        tile = nl.load(a)
        product = nisa.nc_matmul(tile, tile)
        nl.store(a, nl.multiply(tile, 0.0))
        nl.store(out[0:32, :], tile)
        nl.store(out[32:64, :], nl.copy(product))

    a, out = np.ones((32, 32), np.float32), np.zeros((64, 32), np.float32)
    nki.simulate_kernel(kernel, a, out)
    assert (a == 0).all()
    assert (out[:32] == 1).all()
    assert (out[32:] == 32).all()
