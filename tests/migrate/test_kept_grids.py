"""Index grids that objects keep as attributes go with what read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

HEAD = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n"
CLASS = """\


class Tile:
    def __init__(self, p, f):
        self.p = nl.arange(p)[:, None]
        self.f = nl.arange(f)[None, :]
"""
KERNEL = """\


@nki.jit
def copied(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    g = Tile(128, 64)
    nl.store(out[g.p, g.f], nl.load(x[g.p, g.f]))
    return out
"""


def after(folder: Path, more: str = "", verified: bool = False) -> str:
    (folder / "k.py").write_text(HEAD + CLASS + KERNEL + more)
    result = migrate([folder / "k.py"], Options(), "B1", "0.6", verified=verified)
    assert result.complete == ("arange" not in result.files[0].after.decode())
    return result.files[0].after.decode()


def test_grids_that_nothing_reads_go(tmp_path: Path) -> None:
    text = after(tmp_path, verified=True)
    assert "class Tile:\n    def __init__(self, p, f):\n        pass\n" in text
    assert "nl.store(out[0:128, 0:64], nl.load(x[0:128, 0:64]))" in text


@pytest.mark.parametrize("more", ["print(Tile(1, 2).f)\n", "getattr(Tile(1, 2), 'f')\n", "print(vars(Tile(1, 2)))\n"])
def test_grids_that_something_may_read_stay(tmp_path: Path, more: str) -> None:
    assert "self.f = nl.arange(f)[None, :]" in after(tmp_path, more)


def test_grids_that_other_files_may_read_stay(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("from k import Tile\n\np = 1\nprint(Tile(p, 2).f)\n")
    (tmp_path / "k.py").write_text(HEAD + CLASS + KERNEL)
    result = migrate([tmp_path], Options(), "B1", "0.6", verified=False)
    text = next(f.after.decode() for f in result.files if f.path.endswith("k.py"))
    assert "self.f = " in text
    assert "self.p = " not in text


BY_NAME = """\
from neuronxcc.nki import jit
from neuronxcc.nki.language import arange, load, ndarray, shared_hbm, store


@jit
def whole(x):
    i = arange(128)[:, None]
    j = arange(64)[None, :]
    out = ndarray((128, 64), dtype=x.dtype, buffer=shared_hbm)
    store(out[i, j], load(x[i, j]))
    return out


@jit
def masked(x):
    i = arange(128)[:, None]
    j = arange(64)[None, :]
    out = ndarray((128, 64), dtype=x.dtype, buffer=shared_hbm)
    store(out[i, j], load(x[i, j], mask=MASK))
    return out
"""


@pytest.mark.parametrize(("mask", "state"), [("i * j < 64", "left"), ("i + 0 < 64", "migrated")])
def test_a_module_that_imports_what_is_gone_is_left_with_all_of_its_kernels(
    mask: str, state: str, tmp_path: Path
) -> None:
    (tmp_path / "k.py").write_text(BY_NAME.replace("MASK", mask))
    found = migrate([tmp_path], Options(), "B1", "0.6")
    assert [k.state for k in found.kernels if k.kernel == "whole"] == [state]
    assert ("import arange" in found.files[0].after.decode()) == (state == "left")
    assert not found.refused
