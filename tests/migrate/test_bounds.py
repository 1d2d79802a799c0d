"""Masks that bound an index from below, or from both sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert columns == 64
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j, k = nl.arange(128)[:, None], nl.arange(64)[None, :], nl.arange(32)[None, :]
    a = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
"""
ONE = "    assert rows == 128\n    {0}\n    nl.store(out, a)\n    return out\n"
SHIFTED = """\
    assert rows == 128
    for s in nl.sequential_range(5):
        b = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        b[i, j] = nl.load(x[i, j + s - 2], mask=(j + s - 2 >= 0) & (j + s - 2 < columns))
        a[...] = nl.add(a, nl.multiply(b, s + 1.0))
    nl.store(out, a)
    return out
"""
LATER = """\
    for t in nl.affine_range((rows + 127) // 128):
        b = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        b[i, j] = nl.load(x[t * 128 + i, j], mask=(t * 128 + i >= 64) & (t * 128 + i < rows))
        nl.store(out[t * 128 + i, j], b, mask=t * 128 + i < rows)
    return out
"""
CROSSED = """\
    assert rows == 64
    i, j = nl.arange(64)[:, None], nl.arange(64)[None, :]
    c = nl.zeros((64, 64), dtype=nl.float32, buffer=nl.sbuf)
    for s in nl.sequential_range(5):
        b = nl.zeros((64, 64), dtype=nl.float32, buffer=nl.sbuf)
        b[i, j] = nl.load(x[j, i + s - 2], mask=(i + s - 2 >= 0) & (i + s - 2 < columns))
        c[...] = nl.add(c, nl.multiply(b, s + 1.0))
    nl.store(out, c)
    return out
"""
SLICED = """\
    assert rows == 128
    for t in nl.affine_range(2):
        a[:, nl.ds(t * 32, 32)] = nl.load(x[:, nl.ds(t * 32, 32)], mask=(k >= 4) & (t * 32 + k < 50))
    nl.store(out, a)
    return out
"""


def migrated(path: Path, body: str) -> Migration:
    file = path / "k.py"
    file.write_text(HEAD + body)
    return migrate([file], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (ONE.format("a[i, j] = nl.load(x[i, j], mask=j >= 16)"), "src=x[0:128, 16:64])"),
        (ONE.format("a[i, j] = nl.load(x[i, j], mask=(j > 15) & (40 >= j))"), "dst=a[0:128, 16:41]"),
        (ONE.format("a[i, j] = nl.exp(a[i, j], mask=(50 < j))"), "a[0:128, 51:64] = nl.exp(a[0:128, 51:64])"),
        (ONE.format("a[i, k + 8] = nl.load(x[i, k + 8], mask=k + 8 >= 12)"), "src=x[0:128, 12:40])"),
        (ONE.format("a[i, j] = nl.load(x[i, j], mask=(j >= 0) & (j < 9))"), "src=x[0:128, 0:9])"),
        (ONE.format("a[i, j] += nisa.activation(np.exp, a[i, j], mask=j >= 60)"), "data1=a[0:128, 60:64], data2="),
        (ONE.format("a[i, 0] = nl.sum(a[i, j], axis=1, mask=(j >= 9) & (j < 20))"), "nl.sum(a[0:128, 9:20], axis=1)"),
        (ONE.format("a[i, j][(j >= 5) & (j < 9)] = nl.load(x[i, j][(j >= 5) & (j < 9)])"), "a[0:128, 5:9] = nl.load("),
        (SHIFTED, "if min(64, 2 + columns - s) > max(0, 2 - s):"),
        (LATER, "src=x[t * 128 + max(0, 64 - t * 128):t * 128 + min(128, rows - t * 128), 0:64]"),
        (CROSSED, "offset=s + max(0, 2 - s) - 2,"),
        (
            ONE.format("a[i, 2 * k] = nl.load(x[i, 2 * k], mask=k >= 4)"),
            "src=x.ap(pattern=[[x.shape[1], 128], [2, 28]], offset=8)",
        ),
        (SLICED, "x[:, nl.ds(t * 32 + 4, min(32, 50 - t * 32) - 4)]"),
    ],
    ids=[
        "from",
        "behind",
        "written",
        "offset",
        "all",
        "added",
        "reduced",
        "part",
        "shifted",
        "rows",
        "crossed",
        "stepped",
        "slice",
    ],
)
def test_bounds_from_below(body: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, body)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert written in after


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("a[i, j] = nl.load(x[i, j], mask=(j >= 50) & (j < 9))", "a mask that leaves nothing"),
        ("a[i, j] = nl.load(x[i, j], mask=i >= j)", "the mask `i >= j` does not bound one index"),
    ],
)
def test_bounds_that_are_left(statement: str, why: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, ONE.format(statement))
    assert [n.text for n in result.files[0].notes if n.letter == "P"] == [why]
    assert statement in result.files[0].after.decode()


NAMED = """\
    assert rows == 128
    b = nl.add(nl.load(x)[i, j], 1.0, mask=j < 50)
    c = nl.exp(b[i, j], mask=(j < 40) & (j > 2))
    s = nl.max(c[i, j], axis=1, keepdims=True, mask=(i < 100) & (j < 40) & (j > 2))
    a[i, j] = nl.copy(c[i, j], mask=(j < 40) & (j > 2))
    a[i, 0] = nl.copy(s[i, 0], mask=i < 100)
    nl.store(out, a)
    return out
"""


def test_what_a_name_gets_may_be_computed_whole(tmp_path: Path) -> None:
    result = migrated(tmp_path, NAMED)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert "c = nl.exp(b[0:128, 0:64])" in after


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("a[i, j] = nl.exp(a[i, j], mask=i >= 1)", "1"),
        ("a[i, j] = nisa.activation(np.exp, a[i, j], mask=(i >= 40) & (i < 70))", "40"),
        ("a[i, j] += nisa.activation(np.exp, a[i, j], mask=i >= rows - 90)", "max(0, rows - 90)"),
    ],
)
def test_partitions_where_no_engine_begins_are_left(statement: str, first: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, ONE.format(statement))
    why = f"a mask that leaves out the partitions before `{first}`, where no compute engine can begin"
    assert [n.text for n in result.files[0].notes if n.letter == "P"] == [why]
    assert [k.state for k in result.kernels] == ["left"]


@pytest.mark.parametrize(
    ("statement", "written"),
    [
        (
            "b = nl.load(x[i, j], mask=i >= 1)\n    nl.store(out[i, j], b, mask=i > 0)",
            "dst=b[1:128], src=x[1:128, 0:64]",
        ),
        ("a[i, j] = nl.load(x[i, j], mask=i >= 1)", "nisa.dma_copy(dst=a[1:128, 0:64], src=load_tile[1:128])"),
        ("a[i, j] = nl.exp(a[i, j], mask=i >= 64)", "a[64:128, 0:64] = nl.exp(a[64:128, 0:64])"),
        ("a[i, j] = nl.exp(a[i, j], mask=(i >= 32) & (i < 60))", "a[32:60, 0:64] = nl.exp(a[32:60, 0:64])"),
        ("nl.store(out[i, j], a[i, j]); nl.store(out[i, j], a[i, j], mask=i >= 5)", "out[5:128, 0:64], a[5:128, 0:64]"),
    ],
)
def test_partitions_where_something_begins(statement: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, ONE.format(statement))
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert written in after


PLAIN = """\
    assert rows == 128
    for t in nl.sequential_range(4):
        a[i, j][t < 2][j < 50] = nl.load(x[i, j][t < 2][j < 50])
    nl.store(out, a)
    return out
"""


def test_a_condition_may_be_a_subscript_as_masks_are(tmp_path: Path) -> None:
    result = migrated(tmp_path, PLAIN)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert "if t < 2:" in after
    assert "[t < 2]" not in after


DIAGONAL = """\
    assert rows == 128
    p = nl.arange(128)[:, None, None]
    f = nl.arange(128)[None, :, None, None]
    b = nl.ndarray((128, 128, 1, 1), dtype=nl.float32, buffer=nl.sbuf)
    c = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    b[p, f, 0, 0] = nl.exp(c[p, f])
    nl.store(out, a)
    return out
"""


def test_partitions_run_along_no_diagonal(tmp_path: Path) -> None:
    result = migrated(tmp_path, DIAGONAL)
    assert ".ap(" not in result.files[0].after.decode()
    assert [k.state for k in result.kernels] in (["left"], ["failed"])


@pytest.mark.parametrize(
    ("size", "mask", "columns"),
    [
        ("columns", "w < columns - 1", "0:columns - 1"),
        ("columns", "w < columns", "0:columns"),
        ("int(columns)", "(w < rows - 100) & (w < int(columns))", "0:min(int(columns), rows - 100)"),
        ("int(columns)", "(w < int(columns)) & (w < rows - 100)", "0:min(int(columns), rows - 100)"),
    ],
    ids=["less", "equal", "two", "two, the other way"],
)
def test_a_bound_is_written_once(size: str, mask: str, columns: str, tmp_path: Path) -> None:
    lines = f"w = nl.arange({size})[None, :]\n    b = nl.load(x)\n    a[i, 0] = nl.sum(b[i, w], axis=1, mask={mask})"
    result = migrated(tmp_path, ONE.format(lines))
    assert f"nl.sum(b[0:128, {columns}], axis=1)" in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
