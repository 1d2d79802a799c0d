"""Returns of some programs of a launch grid, while others go on and write."""

from __future__ import annotations

import pytest

from ..support.checking import report_on

HEAD = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows <= 128 and rows % 2 == 0
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    core, cores = nl.program_id(0), nl.num_programs(0)
    half = core * (rows // 2)
"""
WHOLE = """\
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output
"""
HALF = """\
    tile = nl.ndarray((rows // 2, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[half : half + rows // 2])
    nisa.dma_copy(dst=output[half : half + rows // 2], src=tile)
    return output
"""
LOOP = """\
    for step in range(2):
        if step == core:
            return output
        nisa.dma_copy(dst=output[step : step + 1], src=x[step : step + 1])
    return output
"""


@pytest.mark.parametrize(
    ("early", "rest", "expected"),
    [
        ("if core != 0:", WHOLE, set()),
        ("if half >= rows:", HALF, {"NKI703"}),  # of one program
        ("assert cores == 2\n    if half >= rows:", HALF, set()),
        ("assert cores == 2\n    if half == 0:", HALF, {"NKI703"}),
        ("if core == 0:", WHOLE, {"NKI702"}),  # of one program
        ("if rows < 4:", WHOLE, {"NKI702"}),
        ("if core >= 0:", WHOLE, {"NKI702"}),
        ("assert cores == 2 and rows == 2\n    if False:", LOOP, {"NKI703"}),
    ],
)
def test_what_others_write_after_a_return(early: str, rest: str, expected: set[str]) -> None:
    source = f"{HEAD}    {early}\n        return output\n{rest}"
    found = {d.code for d in report_on(source, confirm=False).findings}
    assert found & {"NKI702", "NKI703"} == expected
