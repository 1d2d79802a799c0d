"""Axes that a subscript has and that no index of it runs along."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def cancelled(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    j = nl.arange(64)[None, :]
    p = nl.arange(128)[:, None, None]
    k = nl.arange(4)[None, :, None]
    m = nl.arange(16)[None, None, :]
    a = nl.load(x[i, j])
    {}
    return out
"""


def migrated(folder: Path, lines: str) -> Migration:
    (folder / "k.py").write_text(KERNEL.format(lines.replace("\n", "\n    ")))
    return migrate([folder], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("lines", "written"),
    [
        ("nl.store(out[i, j], nl.load(x[i + j - j, j]))", "nl.load(x[0:128, 0:64])"),
        (
            "b = nisa.tensor_copy(a[i, j - j + 3])\nnl.store(out[i, j], b)",
            "src=a.ap(pattern=[[a.shape[1], 128], [0, 64]], offset=3)",
        ),
        (
            "b = nisa.tensor_copy(a[i, i - i])\nnl.store(out[i, 0], b)\nnl.store(out[:, 1:64], a[:, 1:64])",
            "src=a[0:128, 0",
        ),
        (
            "b = nisa.tensor_copy(a[p, m + 16 * (k - k)])\nnl.store(out[p, m + 16 * k], b)",
            "src=a.ap(pattern=[[a.shape[1], 128], [0, 4], [1, 16]], offset=0)",
        ),
        ("nl.store(out[i, j], nl.load(x[i - i, j]))", "nl.load(x.ap(pattern=[[0, 128], [1, 64]], offset=0))"),
    ],
    ids=["beside another", "free", "of one element", "in the middle", "rows in HBM"],
)
def test_an_axis_without_steps_stays_an_axis(lines: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, lines)
    assert written in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


def test_no_engine_reads_one_partition_for_all(tmp_path: Path) -> None:
    result = migrated(tmp_path, "b = nisa.tensor_copy(a[i - i, j])\nnl.store(out[i, j], b)")
    assert [n.text for n in result.files[0].notes] == ["the partitions are not selected by the first index grid"]
    assert [k.state for k in result.kernels] == ["left"]
