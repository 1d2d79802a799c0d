"""What `iota` counts: any number of rows, and columns of it beside tiles of floats."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_small_forms import HEAD, migrated

KERNEL = """\
@nki.jit
def kernel(x):
    n, f = x.shape
    out = nl.ndarray((n, f), dtype=nl.float32, buffer=nl.shared_hbm)
    for t in nl.affine_range(n // 128):
        a = nl.load(x[t * 128:(t + 1) * 128, :], dtype=nl.float32)
        rows = nisa.iota(t * 128 + nl.arange(128)[:, None], dtype=nl.int32)
        {0}
        nl.store(out[t * 128:(t + 1) * 128, :], b)
    return out
"""


@pytest.mark.parametrize(
    ("line", "operand"),
    [
        ("b = a + rows", "operand0=nl.copy(rows, dtype=nl.float32)"),
        ("b = rows * a", "operand0=nl.copy(rows, dtype=nl.float32)"),
        ("b = nl.copy(a); b -= rows", "operand0=nl.copy(rows, dtype=nl.float32)"),
        ("b = nl.copy(nl.copy(a, dtype=nl.int32) & rows, dtype=nl.float32)", "operand0=rows"),
    ],
)
def test_integers_are_converted_for_arithmetic_alone(line: str, operand: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, HEAD + KERNEL.format(line), True)
    text = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], text
    assert f"{operand})" in text
