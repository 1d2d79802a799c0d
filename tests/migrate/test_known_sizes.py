"""Sizes of new tiles where only a launch tells what a tile is, and rows that a part of a tile names."""

from __future__ import annotations

from pathlib import Path

from .test_small_forms import HEAD, migrated

HELD = """\
import numpy as np


@nki.jit
def kernel(x):
    n, f = x.shape
    out = nl.ndarray((n, f), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((128, f), dtype=nl.float32, buffer=nl.sbuf)
    tiles = {}
    for t in nl.static_range(n // 128):
        tiles[t] = nl.load(x[t * 128:(t + 1) * 128, :])
    for t in nl.static_range(n // 128):
        nl.store(out[t * 128:(t + 1) * 128, :], tiles[t] - total)
    return out


def test_kernel():
    kernel(np.ones((256, 32), np.float32))
"""
NAMED = """\
@nki.jit
def kernel(table, ids):
    n = ids.shape[0]
    out = nl.ndarray((n, table.shape[1]), dtype=table.dtype, buffer=nl.shared_hbm)
    i, j = nl.arange(128)[:, None], nl.arange(table.shape[1])[None, :]
    for t in nl.affine_range((n + 127) // 128):
        rows = nl.load(ids[t * 128 + i, 0], mask=t * 128 + i < n)
        nl.store(out[t * 128 + i, j], nl.load(table[rows[i, 0], j], mask=t * 128 + i < n), mask=t * 128 + i < n)
    return out
"""


def test_a_size_of_one_launch_is_not_written(tmp_path: Path) -> None:
    result = migrated(tmp_path, HEAD + HELD)
    text = result.files[0].after.decode()
    assert "subtract_tile = nl.ndarray(total.shape, dtype=nl.float32, buffer=nl.sbuf)" in text


def test_rows_that_are_named_have_one_subscript(tmp_path: Path) -> None:
    result = migrated(tmp_path, HEAD + NAMED, True)
    text = " ".join(result.files[0].after.decode().split())
    assert "vector_offset=rows[0:min(128, n - t * 128), 0], indirect_dim=0" in text
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
