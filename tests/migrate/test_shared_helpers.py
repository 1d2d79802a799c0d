"""Helpers that make index grids for other files go where nothing names them any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

HELPERS = """\
import neuronxcc.nki.language as nl

ROWS = 128


# The indices of a tile.
def columns(n):
    return nl.arange(n)[None, :]


def grid(n):
    return nl.arange(ROWS)[:, None], columns(n)


def loaded(x, n):
    p, f = grid(n)
    return nl.load(x[p, f])
"""
KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
IMPORT


@nki.jit
def kernel(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = GRID(64)
    nl.store(out[p, f], LOADED(x, 64))
    return out
"""
AFTER = """\
import nki.language as nl

ROWS = 128


def loaded(x, n):
    return nl.load(x[0:128, 0:n])
"""


def migrated(folder: Path, imports: str, grid: str, loaded: str, more: str = "") -> Migration:
    text = KERNEL.replace("IMPORT", imports).replace("GRID", grid).replace("LOADED", loaded)
    for name, content in {"helpers": HELPERS, "kernel": text, **({"more": more} if more else {})}.items():
        (folder / f"{name}.py").write_text(content)
    return migrate([folder], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("imports", "grid", "loaded", "left"),
    [
        ("from helpers import grid, loaded", "grid", "loaded", "from helpers import loaded\n"),
        ("import helpers\nfrom helpers import grid", "grid", "helpers.loaded", "import helpers\n"),
        ("import helpers", "helpers.grid", "helpers.loaded", "import helpers\n"),
        (
            "from helpers import (\n    grid,\n    loaded,\n)",
            "grid",
            "loaded",
            "from helpers import (\n    loaded,\n)\n",
        ),
    ],
    ids=["names", "both", "module", "lines"],
)
def test_what_makes_grids_for_other_files_goes(imports: str, grid: str, loaded: str, left: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, imports, grid, loaded)
    after = {Path(f.path).stem: f.after.decode() for f in result.files}
    assert after["helpers"] == AFTER
    assert f"import nki.language as nl\n{left}\n\n@nki.jit" in after["kernel"]
    assert result.complete
    assert [k.state for k in result.kernels] == ["migrated"]


@pytest.mark.parametrize(
    ("imports", "grid", "more"),
    [
        ("from helpers import grid as g, loaded", "g", ""),
        ("from helpers import grid, loaded", "grid", "import helpers\n\nKEPT = helpers.grid\n"),
        ("from helpers import grid, loaded", "grid", "NAMES = {'helpers': ['grid', 'columns']}\n"),
        ("from helpers import grid, loaded", "grid", "from helpers import grid as made\n"),
        ("from helpers import grid, loaded", "grid", "this does not parse: grid\n"),
    ],
    ids=["another name", "more than called", "text", "imported as another", "what does not parse"],
)
def test_what_something_may_name_stays(imports: str, grid: str, more: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, imports, grid, "loaded", more)
    after = {Path(f.path).stem: f.after.decode() for f in result.files}
    assert "def grid(n):" in after["helpers"]
    assert not result.complete


def test_what_no_file_calls_stays(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text(HELPERS.partition("\n\ndef loaded")[0])
    (tmp_path / "other.py").write_text("import helpers\n")
    result = migrate([tmp_path], Options(), "B1", "0.6", verified=False)
    assert "def grid(n):" in next(f for f in result.files if f.path.endswith("helpers.py")).after.decode()


GRIDS = """\
import neuronxcc.nki.language as nl

ROWS = nl.arange(128)[:, None]
COLUMNS = nl.arange(64)[None, :]
SIZES = (128, 64)
"""


def with_grids(folder: Path, imports: str, rows: str, columns: str, more: str = "") -> Migration:
    body = KERNEL.replace("IMPORT", imports).partition("    p, f = ")[0]
    text = f"{body}    nl.store(out[{rows}, {columns}], nl.load(x[{rows}, {columns}]))\n    return out\n"
    for name, content in {"grids": GRIDS, "kernel": text, **({"more": more} if more else {})}.items():
        (folder / f"{name}.py").write_text(content)
    return migrate([folder], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("imports", "prefix", "left"),
    [
        ("from grids import COLUMNS, ROWS", "", ""),
        ("from grids import COLUMNS, ROWS, SIZES", "", "from grids import SIZES\n"),
        ("from grids import (\n    COLUMNS,\n    ROWS,\n)", "", ""),
        ("import grids", "grids.", "import grids\n"),
        ("import grids as g", "g.", "import grids as g\n"),
    ],
    ids=["names", "beside others", "lines", "module", "module by another name"],
)
def test_grids_of_a_module_go_where_other_files_alone_read_them(
    imports: str, prefix: str, left: str, tmp_path: Path
) -> None:
    result = with_grids(tmp_path, imports, f"{prefix}ROWS", f"{prefix}COLUMNS")
    after = {Path(f.path).stem: f.after.decode() for f in result.files}
    assert after["grids"] == "import nki.language as nl\n\nSIZES = (128, 64)\n"
    assert f"import nki.language as nl\n{left}\n\n@nki.jit" in after["kernel"]
    assert "nl.store(out[0:128, 0:64], nl.load(x[0:128, 0:64]))" in after["kernel"]
    assert result.complete
    assert [k.state for k in result.kernels] == ["migrated"]


@pytest.mark.parametrize(
    ("imports", "prefix", "more"),
    [
        ("from grids import COLUMNS, ROWS as R", "R", ""),
        ("from grids import COLUMNS, ROWS", "ROWS", "import grids\n\nKEPT = grids.ROWS\n"),
    ],
    ids=["another name", "more than read"],
)
def test_grids_of_a_module_stay_where_something_may_read_them(
    imports: str, prefix: str, more: str, tmp_path: Path
) -> None:
    result = with_grids(tmp_path, imports, prefix, "COLUMNS", more)
    after = {Path(f.path).stem: f.after.decode() for f in result.files}
    assert "ROWS = nl.arange(128)[:, None]" in after["grids"]
    assert not result.complete
    assert [k.state for k in result.kernels] == ["left"]


def test_numbers_of_other_files_are_written_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text("TILE = 64\n")
    text = KERNEL.replace("IMPORT", "from sizes import TILE").partition("    p, f = ")[0].replace("64)\n", "128)\n", 1)
    text = text.replace("(128, 64), dtype", "(128, 128), dtype")
    text += (
        "    i, j = nl.arange(128)[:, None], nl.arange(TILE)[None, :]\n    for t in nl.affine_range(2):\n"
        "        nl.store(out[i, TILE * t + j], nl.load(x[i, TILE * t + j]))\n    return out\n"
    )
    (tmp_path / "kernel.py").write_text(text)
    result = migrate([tmp_path], Options(), "B1", "0.6")
    after = next(f.after.decode() for f in result.files if f.path.endswith("kernel.py"))
    assert "x[0:128, TILE * t:TILE * t + TILE]" in after
    assert [k.state for k in result.kernels] == ["migrated"]
