"""Tiles in a list of symbolic length, seen through patterns and shapes, and parameters that are pairs of numbers."""

from __future__ import annotations

import pytest

from ..support.checking import report_on, revealed

HEAD = (
    "import numpy as np\nimport nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n@nki.jit\ndef kernel(x):\n"
)
FILLED = """\
    N, P, F = x.shape
    assert P == 128
    out = nl.ndarray((N, P, F), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [nl.zeros((128, F), dtype=x.dtype, buffer=nl.sbuf) for _ in range(N)]
    for t in range(N):
        nisa.dma_copy(dst={written}, src={read})
    for t in range(N):
        nisa.dma_copy(dst=out[t], src=tiles[t])
    return out
"""
SEEN = [
    ("tiles[t].ap(pattern=[[F, 128], [1, F]], offset=0)", "x[t]"),
    ("tiles[t].reshape((128, 1, F))", "x[t].reshape((128, 1, F))"),
    ("tiles[t][0:128]", "x[t]"),
]


def codes(body: str) -> list[str]:
    return [d.code for d in report_on(HEAD + body).diagnostics if d.code != "NKI904"]


@pytest.mark.parametrize(("written", "read"), SEEN)
def test_a_tile_of_each_iteration_stays_that(written: str, read: str) -> None:
    assert codes(FILLED.format(written=written, read=read)) == []


@pytest.mark.parametrize(("written", "read"), SEEN)
def test_one_tile_for_all_iterations_is_overwritten(written: str, read: str) -> None:
    body = FILLED.format(written=written.replace("tiles[t]", "tiles[0]"), read=read)
    assert "NKI708" in codes(body)


OLD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def kernel(x, **kwargs):
    padding = kwargs["padding"]
    left, right = padding[1]
    reveal(x.shape[0] * (left + right + 1))
    return x


@nki.jit
def given(x, padding):
    top, _ = padding[0]
    left, right = padding[1]
    reveal(2 * left + top)
    return x


@nki.jit
def tensor(x, y):
    a, b = y.shape
    reveal(y[1])
    return x
"""


def test_what_is_unpacked_is_a_tuple() -> None:
    first, second, third = revealed(OLD).values()
    assert all(name in first[0] for name in ("padding[1][0]", "padding[1][1]"))
    assert all(name in second[0] for name in ("padding[0][0]", "padding[1][0]"))
    assert "padding" not in third[0]


MADE = """\
import numpy as np
import neuronxcc.nki as nki


@nki.jit
def kernel(x):
    square = np.fromfunction(lambda i, j: (i == j).astype(np.uint8), (4, x.shape[0]), dtype=np.uint8)
    reveal(square.shape)
    reveal(square.dtype)
    reveal(np.fromfunction(lambda i: i, (8,)).dtype)
    reveal(np.fromfunction(lambda i: 3, (8,)))
    return x
"""


def test_an_array_from_a_function_of_its_coordinates() -> None:
    found = [text for (text,) in revealed(MADE).values()]
    assert found == ["(4, x.shape[0])", "uint8", "float64", "3"]
