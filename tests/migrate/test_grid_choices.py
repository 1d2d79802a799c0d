"""Index grids that a condition chooses, or that a loop goes through."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def halves(x, first=True, which=0):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, {}), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(128)[None, :]
    {}
    return out
"""
STORED = "\n    nl.store(out[p, f], nl.load(x[p, j]))"
LOOPED = "\n        nl.store(out[p, j], nl.load(x[p, j]))"
BEGUN = "    nl.store(out[0:128, 0:128], nl.load(x[0:128, j_begin:j_begin + 128]))\n"


def migrated(folder: Path, lines: str) -> Migration:
    width = 512 if "k in" in lines else 256 if "for j" in lines else 128
    (folder / "k.py").write_text(KERNEL.format(width, lines))
    return migrate([folder], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        (
            "j = f if first else f + 128  # which half" + STORED,
            "    j_begin = 0 if first else 128  # which half\n" + BEGUN,
        ),
        (
            "j = (f if which == 0 else 128 + f if which == 1\n         else f + 384)" + STORED,
            "    j_begin = (0 if which == 0 else 128 if which == 1\n         else 384)\n" + BEGUN,
        ),
        (
            "e = 2 * f\n    j = e + 1 if first else e" + STORED,
            "    j_begin = 1 if first else 0\n"
            "    nl.store(out[0:128, 0:128], nl.load(x[0:128, j_begin:j_begin + 255:2]))\n",
        ),
        (
            "for j in [f, f + 128]:" + LOOPED,
            "    for j_begin in [0, 128]:\n"
            "        nl.store(out[0:128, j_begin:j_begin + 128], nl.load(x[0:128, j_begin:j_begin + 128]))\n",
        ),
        (
            "for k in range(2):\n        for j in (f + 256 * k, f + 256 * k + 128):" + LOOPED.replace("    ", "      "),
            "        for j_begin in (256 * k, 256 * k + 128):\n",
        ),
        ("f = f + 128\n    for j in [f, f - 128]:" + LOOPED, "    for j_begin in [0, -128]:\n"),
    ],
    ids=["condition", "conditions", "step", "loop", "loop in a loop", "backwards"],
)
def test_numbers_are_chosen_instead(tmp_path: Path, lines: str, written: str) -> None:
    result = migrated(tmp_path, lines)
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


@pytest.mark.parametrize(
    "lines",
    [
        "g = nl.arange(128)[None, :] + 7\n    j = f if first else g" + STORED,
        "for j in [f, f + 128]:" + LOOPED + "\n        f = nl.arange(64)[None, :]",
        "j = f if (f := nl.arange(64)[None, :]) is None else f + 128" + STORED,
        "j = f - 2 * f if first else f" + STORED,
    ],
    ids=["two grids", "bound in the loop", "bound in the condition", "taken away"],
)
def test_other_choices_stay(tmp_path: Path, lines: str) -> None:
    result = migrated(tmp_path, lines)
    assert "_begin" not in result.files[0].after.decode()
    assert [k.state for k in result.kernels] != ["migrated"]


def test_numbers_are_no_grids(tmp_path: Path) -> None:
    line = "n = 0\n    for j in [n, n + 1]:\n        nl.store(out[p, 128 * j + f], nl.load(x[p, 128 * j + f]))"
    result = migrated(tmp_path, line)
    assert "    for j in [n, n + 1]:\n" in result.files[0].after.decode()
    assert [k.state for k in result.kernels] == ["migrated"]
