"""Masks and grids whose names are bound anew between where they are made and where they are used."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def rebound(x):
    rows, columns = x.shape
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    j = nl.arange(64)[None, :]
    t = nl.zeros((128, 64), x.dtype)
{}
    nl.store(out, t)
    return out
"""


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (
            ["n = rows", "m = i < n", "n = n // 2", "t[i, j] = nl.load(x[i, j], mask=m)"],
            "nisa.dma_copy(dst=t[0:min(128, rows), 0:64], src=x[0:min(128, rows), 0:64])",
        ),
        (
            ["n = rows", "low = i < n", "m = low & (j < columns)", "n = n // 2", "t[i, j] = nl.load(x[i, j], mask=m)"],
            "src=x[0:min(128, rows), 0:min(64, columns)])",
        ),
        (
            ["n = 64", "at = n + j", "n = 0", "t[i, j] = nl.load(x[i, at], mask=i < rows)"],
            "src=x[0:min(128, rows), 64:128])",
        ),
        (
            ["n = rows", "m = i < n", "for k in nl.static_range(2):", "    t[i, j] = nl.load(x[i, j], mask=m)"],
            "        nisa.dma_copy(dst=t[0:min(128, n), 0:64], src=x[0:min(128, n), 0:64])",
        ),
    ],
    ids=["a bound", "a bound of a mask in a mask", "a begin", "nothing is bound anew"],
)
def test_what_is_written_has_the_value_of_before(lines: list[str], written: str, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL.format("\n".join(f"    {line}" for line in lines)))
    result = migrate([tmp_path], Options(), "B1", "0.6")
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
