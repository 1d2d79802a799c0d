"""Runs that are asked for results overwritten unread (NKI708): a matmul adds to what is there unless told otherwise."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import reference_sim
from reference_sim import Strictness

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(left, right):
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(3):
        stationary = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf)
        moving = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=stationary, src=left[nl.ds(k * 128, 128), :])
        nisa.dma_copy(dst=moving, src=right[nl.ds(k * 128, 128), :])
        nisa.nc_matmul(dst=total, stationary=stationary, moving=moving{accumulate})
    copied = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=total)
    nisa.dma_copy(dst=output, src=copied)
    return output
"""
FILE = "<rewriting>"
ROW = 15


def found(accumulate: str, rewrites: bool) -> list[tuple[str, int]]:
    source = KERNEL.format(accumulate=accumulate)
    linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
    space = {"__name__": "kernels", "__file__": FILE}
    exec(compile(source, FILE, "exec"), space)
    generator = np.random.default_rng(0)
    inputs = [generator.random(shape, dtype=np.float32) for shape in ((384, 128), (384, 512))]
    seen = reference_sim.observe(space["kernel"], inputs, strictness=Strictness(collect=True, rewrites=rewrites))
    assert seen.stopped is None
    return [(f.code, f.at.row) for f in seen.findings]


@pytest.mark.parametrize("accumulate", ["", ", accumulate=True"])
def test_a_sum_of_products_loses_nothing(accumulate: str) -> None:
    assert ("NKI708", ROW) not in found(accumulate, rewrites=True)


def test_a_product_that_replaces_the_one_before_loses_it() -> None:
    assert ("NKI708", ROW) in found(", accumulate=False", rewrites=True)


def test_runs_that_are_not_asked_say_nothing() -> None:
    assert ("NKI708", ROW) not in found(", accumulate=False", rewrites=False)
