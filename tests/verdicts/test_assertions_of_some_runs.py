"""What an assertion says of inputs for which it is not reached, and what is told of one that fails."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

@nki.jit
def kernel(x, n, d):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, 0:64]))
    tile = nl.ndarray((nl.par_dim(d), 64), dtype=nl.float32)
    tile[:, :] = 0.0
    {}
    return out
"""
"""It needs `d <= 128`."""


def contract_of(source: str) -> list[str]:
    (kernel,) = report_on(source, confirm=False).kernels
    return [str(condition) for condition in kernel.contract]


@pytest.mark.parametrize(
    "statement",
    [
        "for i in nl.affine_range(n): assert d <= 128",
        "for i in nl.affine_range(n // 128): assert d <= 128",
        "for i in nl.affine_range(n):\n        for j in nl.affine_range(i):\n            assert d <= 128",
        "for i in nl.affine_range(4):\n        if i >= n:\n            assert d <= 128",
        "if n > 4: assert d <= 128",
    ],
)
def test_an_assertion_that_some_inputs_do_not_reach(statement: str) -> None:
    assert any("d <= 128" in condition for condition in contract_of(KERNEL.format(statement)))


@pytest.mark.parametrize("statement", ["assert d <= 128", "for i in nl.affine_range(4): assert d <= 128"])
def test_an_assertion_that_all_inputs_reach(statement: str) -> None:
    assert contract_of(KERNEL.format(statement)) == ["x.shape[0] >= 128", "x.shape[1] >= 64"]


REJECTING = """\
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    assert {condition}
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    return out


kernel[2](np.zeros((128, 512), dtype=np.float32))
"""


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("nl.num_programs(0) == x.shape[0]", ": nl.num_programs(0)=2, x.shape[0]=128"),
        ("len(x.shape) == 3", ": len(x.shape)=2"),
        ("False", ""),
    ],
)
def test_an_assertion_that_fails_is_told_with_the_sizes_that_it_asks_for(condition: str, told: str) -> None:
    (found,) = [d for d in report_on(REJECTING.format(condition=condition)).diagnostics if d.at.row == 14]
    assert found.message == f"`kernel` asserts `{condition}`, which fails here{told}"


IN_LOOP = """\
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x, n):
    out = nl.ndarray((4, n), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((4, n), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for i in range(n - 1):
        assert {}
        nisa.dma_copy(dst=out, src=tile)
    return out
"""
"""It needs `n >= 2`."""


@pytest.mark.parametrize("assertion", ["i < 10", "i >= 0", "i * 2 <= n", "i + 1 < n"])
def test_an_assertion_of_all_iterations_says_of_none_that_it_is_there(assertion: str) -> None:
    assert any(">= 2" in condition for condition in contract_of(IN_LOOP.format(assertion)))


def test_what_the_last_iteration_asserts() -> None:
    source = IN_LOOP.format("i < 127") + "\n"
    source = source.replace("    return", "    rows = nl.ndarray((n, 4), dtype=nl.float32, buffer=nl.sbuf)\n    return")
    assert not any("<= 128" in condition for condition in contract_of(source))
