"""Loads across under a mask, which fill the columns that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_small_forms import body, kernel, migrated


@pytest.mark.parametrize(
    ("mask", "source", "tile"),
    [
        ("t * 128 + i < n", "t * 128:t * 128 + min(128, n - t * 128), 0:64", "b[:, 0:min(128, n - t * 128)]"),
        ("j < 50", "t * 128:t * 128 + 128, 0:50", "b[0:50]"),
        ("(t * 128 + i < n) & (j < 50)", "t * 128:t * 128 + min(128, n - t * 128), 0:50",
         "b[0:50, 0:min(128, n - t * 128)]"),
    ],
)  # fmt: skip
def test_masked_loads_fill_columns(mask: str, source: str, tile: str, tmp_path: Path) -> None:
    rows = "(n + 127) // 128" if "n" in mask else "n // 128"
    text = (
        "n = x.shape[0]\nassert x.shape[1] == 64 and n <= 128\ni, j = nl.mgrid[0:128, 0:64]\n"
        f"for t in nl.affine_range({rows}):\n    b = nl.load_transpose2d(x[t * 128 + i, j], mask={mask})\n"
        "    c = nl.copy(nisa.nc_transpose(b))\n"
        f"    nl.store(out[t * 128 + i, j], c[i, j], mask={mask})\n"
    )
    columns = 50 if "j <" in mask else 64
    result = migrated(tmp_path, kernel(text).replace("(128, 64)", f"(x.shape[0], {columns})"), True)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], body(result)
    assert f"{tile} = nl.load_transpose2d(x[{source}])" in body(result)
