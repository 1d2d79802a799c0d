"""Grids that change with loops over known numbers, which are evaluated iteration by iteration."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


def index(k, m=0):
    p = nl.arange(128)[:, None]
    f = nl.arange(64)[None, :] + 64 * k + 128 * m
    return p, f


"""
KERNEL = """\
@nki.jit
def counted(x):
    assert x.shape == (128, 256)
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(64)[None, :]
    {}
    return out
"""


def migrated(folder: Path, lines: str) -> Migration:
    (folder / "k.py").write_text(HEAD + KERNEL.format(lines.replace("\n", "\n    ")))
    return migrate([folder], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (
            "for k in range(4):\n    i, j = index(k)\n    nl.store(out[i, j], nl.load(x[i, j]))",
            "nl.store(out[0:128, 64 * k:64 * k + 64], nl.load(x[0:128, 64 * k:64 * k + 64]))\n",
        ),
        (
            "for m in range(2):\n    for k in range(2):\n        i, j = index(k, m)\n"
            "        nl.store(out[i, j], nl.load(x[i, j]))",
            "nl.store(\n                out[0:128, 64 * k + 128 * m:64 * k + 128 * m + 64],\n",
        ),
        (
            "for k in range(4):\n    i, j = index(3 - k)\n    nl.store(out[i, j], nl.load(x[i, j]))",
            "nl.store(out[0:128, 192 - 64 * k:192 - 64 * k + 64], nl.load(x[0:128, 192 - 64 * k:192 - 64 * k + 64]))\n",
        ),
        (
            "grids = [f + 64 * k for k in range(4)]\nfor n in range(4):\n"
            "    nl.store(out[p, grids[n]], nl.load(x[p, grids[n]]))",
            "nl.store(out[0:128, 64 * n:64 * n + 64], nl.load(x[0:128, 64 * n:64 * n + 64]))\n",
        ),
        (
            "for n, (k, m) in enumerate(((0, 0), (1, 0), (0, 1), (1, 1))):\n    i, j = index(n)\n"
            "    nl.store(out[i, j], nl.load(x[i, j]))",
            "nl.store(out[0:128, 64 * n:64 * n + 64], nl.load(x[0:128, 64 * n:64 * n + 64]))\n",
        ),
        (
            "for j in [f, f + 64]:\n    nl.store(out[p, j], nl.load(x[p, j]))\n"
            "nl.store(out[:, 128:], nl.load(x[:, 128:]))",
            "for j_begin in [0, 64]:\n"
            "        nl.store(out[0:128, j_begin:j_begin + 64], nl.load(x[0:128, j_begin:j_begin + 64]))\n",
        ),
    ],
    ids=["one loop", "two loops", "backwards", "a list of grids", "several counters", "no counter"],
)
def test_a_grid_changes_as_its_loop_counts(lines: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, lines)
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
    assert "arange" not in result.files[0].after.decode().rpartition("def counted")[2]


def test_what_changes_otherwise_is_left(tmp_path: Path) -> None:
    result = migrated(
        tmp_path, "for k in (0, 1, 2):\n    i, j = index(k * k - k)\n    nl.store(out[i, j], nl.load(x[i, j]))"
    )
    assert [k.state for k in result.kernels] == ["left"]
