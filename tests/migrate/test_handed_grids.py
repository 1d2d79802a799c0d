"""Grids that helpers hand back beside other values, and that objects hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


"""
KERNEL = """\


@nki.jit
def handed(x):
    assert x.shape == (128, 128)
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    {}
    return out
"""
PLACE = "def place(k):\n    start = 64 * k\n    return start, nl.arange(64)[None, :] + start\n"
COPIED = "nl.store(out[p, j], nl.load(x[p, j]))"
GRID = "class Grid:\n    def __init__(self, n):\n{}        self.f = nl.arange(n)[None, :]\n"


def migrated(folder: Path, helper: str, lines: str) -> Migration:
    (folder / "k.py").write_text(HEAD + helper + KERNEL.format(lines.replace("\n", "\n    ")))
    return migrate([folder], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("helper", "lines", "written"),
    [
        (PLACE, f"for k in range(2):\n    start, j = place(k)\n    {COPIED}", "    return start, None\n"),
        (
            "def tiles(n):\n    for k in range(n):\n        yield k, nl.arange(64)[None, :] + 64 * k\n",
            f"for k, j in tiles(2):\n    {COPIED}",
            "        yield k, None\n",
        ),
        (
            GRID.format("        self.p = nl.arange(128)[:, None]\n"),
            "g = Grid(128)\nnl.store(out[g.p, g.f], nl.load(x[g.p, g.f]))",
            "    def __init__(self, n):\n        pass\n",
        ),
        (
            GRID.format("        self.n = n\n"),
            "g = Grid(128)\nnl.store(out[p, g.f], nl.load(x[p, g.f]))",
            "    def __init__(self, n):\n        self.n = n\n\n\n",
        ),
    ],
    ids=["result", "generator", "object", "object with more"],
)
def test_grids_that_are_handed_back_go(helper: str, lines: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, helper, lines)
    after = result.files[0].after.decode()
    assert written in after
    assert "arange" not in after
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


ALL = f"for k in range(2):\n    start, j = place(k)\n    {COPIED}"


@pytest.mark.parametrize(
    ("helper", "lines", "more"),
    [
        (PLACE, "for k in range(2):\n    both = place(k)\n    j = both[1]\n    " + COPIED, ""),
        (PLACE, ALL, "from k import place\n"),
        (PLACE + "\n\nOTHER = [place]\n", ALL, ""),
        (GRID.format(""), "g = Grid(128)\nnl.store(out[p, g.f], nl.load(x[p, g.f]))\nprint(getattr(g, 'f'))", ""),
    ],
    ids=["held as one", "another file", "more than called", "asked for by a text"],
)
def test_grids_that_something_may_read_stay(helper: str, lines: str, more: str, tmp_path: Path) -> None:
    if more:
        (tmp_path / "other.py").write_text(more)
    result = migrated(tmp_path, helper, lines)
    after = next(f.after.decode() for f in result.files if f.path.endswith("k.py"))
    assert "None\n" not in after
    assert "nl.arange(" in after.partition("def handed")[0]
    assert [k.state for k in result.kernels] == ["left"]


def test_a_grid_that_a_helper_makes_of_several_sizes(tmp_path: Path) -> None:
    text = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


def doubled(tile, rows, columns):
    i, j = nl.arange(rows)[:, None], nl.arange(columns)[None, :]
    result = nl.zeros((nl.par_dim(rows), columns), dtype=nl.float32)
    result[i, j] = nl.add(tile, tile)
    return result


@nki.jit
def kernel(x, y):
    (rows, first), second = x.shape, y.shape[1]
    assert rows <= 128 and y.shape[0] == rows
    out = nl.ndarray((rows, first), dtype=nl.float32, buffer=nl.shared_hbm)
    other = nl.ndarray((rows, second), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, doubled(nl.load(x), rows, first))
    nl.store(other, doubled(nl.load(y), rows, second))
    return out, other
"""
    (tmp_path / "k.py").write_text(text)
    found = migrate([tmp_path], Options(), "B1", "0.6")
    assert "result[0:rows, 0:columns] = nl.add(tile, tile)" in found.files[0].after.decode()
    assert [(k.state, k.problems) for k in found.kernels] == [("migrated", ())]
