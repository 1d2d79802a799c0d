"""What marks, collects and runs tests changes nothing that kernels see."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

SOURCE = """\
from dataclasses import dataclass
import {package}
import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Tiling(nl.NKIObject):
    columns: int = 512


{mark}
def tried(tiling):
    return kernel, Tiling


@nki.jit
def kernel(x):
    assert x.shape == (128, 512)
    tiling = Tiling()
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, tiling.columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output
"""


@pytest.mark.parametrize(
    ("package", "mark", "verdict"),
    [
        ("pytest", "@pytest.mark.parametrize('tiling', [Tiling(), Tiling(256)])", "verified"),
        ("pytest", "@pytest.mark.fast", "verified"),
        ("unittest", "@unittest.skipIf(Tiling is None, 'never')", "verified"),
        ("somewhere", "@somewhere.registered(Tiling)", "incomplete"),
    ],
)
def test_marks_leave_classes_as_they_are(package: str, mark: str, verdict: str) -> None:
    (kernel,) = report_on(SOURCE.format(package=package, mark=mark), confirm=False).kernels
    assert kernel.verdict == verdict, kernel.unknown
