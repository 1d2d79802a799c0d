"""Tiles whose index grids leave out an axis get it back beside tiles that have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, y):
    SIZES
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None, None]
    j = nl.arange(m)[None, :, None]
    k = nl.arange(n)[None, None, :]
    a = nl.load(x[i, j, k])
    LOAD
    nl.store(out[i, j, k], RESULT)
    return out
"""
FIXED = "m, n = 4, 64\n    assert x.shape == (128, 4, 64)\n    assert y.shape == "
OPEN = "_, m, n = x.shape\n    assert x.shape[0] == 128\n    assert y.shape == "


@pytest.mark.parametrize(
    ("sizes", "load", "result", "written"),
    [
        (f"{FIXED}(128, 64)", "b = nl.load(y)", "a * b[i, k]", "nl.expand_dims(b[0:128, 0:n], 1)"),
        (f"{FIXED}(128, 4)", "b = nl.load(y)", "nl.add(b[i, j], a)", "nl.expand_dims(b[0:128, 0:m], 2)"),
        (f"{FIXED}(128, 64)", "b = nl.load(y[i, k])", "a - b", "nl.expand_dims(b, 1)"),
        (f"{FIXED}(128, 4, 64)", "b = nl.load(y[i, 0, k])", "nl.exp(-b) * a", "nl.expand_dims(nl.exp("),
        (f"{FIXED}(128, 4, 64)", "b = nl.load(y[i, 1, k]) + nl.load(y[i, 2, k])", "a * b", "nl.expand_dims(b, 1)"),
        (f"{OPEN}(128, n)", "b = nl.load(y[i, k])", "a * b", "nl.expand_dims(b, 1)"),
    ],
    ids=["between", "last", "named", "computed", "sum", "sizes by name"],
)
def test_an_axis_that_grids_leave_out_comes_back(
    sizes: str, load: str, result: str, written: str, tmp_path: Path
) -> None:
    text = KERNEL.replace("SIZES", sizes).replace("LOAD", load).replace("RESULT", result)
    (tmp_path / "kernel.py").write_text(text)
    found = migrate([tmp_path], Options(), "B1", "0.6")
    assert written in found.files[0].after.decode()
    assert [(k.state, k.problems) for k in found.kernels] == [("migrated", ())]


def test_tiles_that_leave_out_the_same_axis_stay_without_it(tmp_path: Path) -> None:
    text = KERNEL.replace("SIZES", f"{FIXED}(128, 64)").replace("LOAD", "b = nl.load(y[i, k])")
    text = text.replace("RESULT", "a * 2.0").replace("    return", "    nl.store(out[i, 0, k], b + b)\n    return")
    (tmp_path / "kernel.py").write_text(text)
    found = migrate([tmp_path], Options(), "B1", "0.6")
    assert "nl.expand_dims" not in found.files[0].after.decode()
    assert found.kernels[0].state != "left"
