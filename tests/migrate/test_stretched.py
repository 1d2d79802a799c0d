"""Operands without a name, and what `nl.where` chooses from, are made as large as the first one."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, y):{}
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    {}
    return out
"""
LARGE = "{0} if {0}.shape == {1}.shape else nl.broadcast_to({0}, {1}.shape)"
EQUAL = "\n    assert x.shape == y.shape"


def flat(result: Migration) -> str:
    """What became of a file, on one line."""
    return on_one_line(result.files[0].after.decode())


def on_one_line(text: str) -> str:
    return " ".join(text.split()).replace("( ", "(").replace(", )", ")")


@pytest.mark.parametrize(
    ("facts", "lines", "written"),
    [
        (
            "",
            "nl.store(out, nl.load(x) + nl.load(y))",
            "tile = nl.load(x)\n    tile_part = nl.load(y)\n"
            f"    nl.store(out, nl.add(tile, {LARGE.format('tile_part', 'tile')}))",
        ),
        (EQUAL, "nl.store(out, nl.load(x) + nl.load(y))", "nl.store(out, nl.add(nl.load(x), nl.load(y)))"),
        (
            "",
            "a = nl.load(x)\n    b = nl.load(y)\n    c = nl.where(a, b, a)\n    nl.store(out, c)",
            f"c = nl.where(a, {LARGE.format('b', 'a')}, a)",
        ),
        (
            "",
            "b = nl.load(y)\n    c = nl.where(nl.load(x), b, 0.0)\n    nl.store(out, c)",
            f"c = nl.where(\n        condition,\n        {LARGE.format('b', 'condition')},\n        0.0,\n",
        ),
        (
            EQUAL,
            "a = nl.load(x)\n    b = nl.load(y)\n    c = nl.where(a, b, a)\n    nl.store(out, c)",
            "c = nl.where(a, b, a)",
        ),
        (
            "",
            "a = nl.load(x)\n    b = nl.load(y)\n    c = nl.multiply(a, b[:, 0:1])\n    nl.store(out, c)",
            "operand0=nl.copy(column if column.shape[0] == a.shape[0] else nl.broadcast_to(column, (a.shape[0], 1)),",
        ),
        (
            "\n    assert x.shape[0] == y.shape[0]",
            "a = nl.load(x)\n    b = nl.load(y)\n    c = nl.multiply(a, b[:, 0:1])\n    nl.store(out, c)",
            "operand0=nl.copy(b[:, 0:1], dtype=nl.float32)",
        ),
        (
            "",
            "a = nl.load(x)\n    b = nl.load(y)\n    nl.store(out, a * b[:, 0:1])",
            "operand0=nl.copy(b[:, 0:1], dtype=nl.float32)",
        ),
    ],
    ids=[
        "sum without names",
        "equal sum",
        "where",
        "condition without a name",
        "equal where",
        "column",
        "column of all rows",
        "operator",
    ],
)
def test_what_may_be_smaller_is_stretched(facts: str, lines: str, written: str, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(KERNEL.format(facts, lines))
    result = migrate([tmp_path], Options(), "B1", "0.6")
    assert on_one_line(written).removesuffix(",") in flat(result)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


def test_what_no_chip_holds_is_no_new_condition(tmp_path: Path) -> None:
    counted = "nisa.iota(nl.arange(x.shape[1])[None, :], dtype=nl.int32)"
    lines = f"c = {counted}\n    nl.store(out, nl.load(x) * c.broadcast_to(x.shape))"
    (tmp_path / "k.py").write_text(
        "import neuronxcc.nki.isa as nisa\n" + KERNEL.replace("(x, y)", "(x)").format("", lines)
    )
    (kernel,) = migrate([tmp_path], Options(), "B1", "0.6").kernels
    assert (kernel.state, kernel.problems) == ("migrated", ())


COLUMN = "x.shape == (128, 1)\n    assert y.shape == (128, 64)"


@pytest.mark.parametrize(
    ("facts", "line", "written"),
    [
        (
            COLUMN,
            "a > 0, b, 1.0",
            "nl.broadcast_to(nl.greater(a, 0), b.shape)",
        ),
        ("x.shape == (1, 64)\n    assert y.shape == (128, 64)", "a, b, b", "nl.broadcast_to(a, b.shape), b, b"),
        ("x.shape == (y.shape[0], 1)", "a, b, 0.0", "nl.broadcast_to(a, b.shape), b, 0.0"),
        (
            COLUMN,
            "b, a, 0.0",
            "nl.where(b, nl.broadcast_to(a, b.shape), 0.0",
        ),
        (
            "x.shape == (128, 1)\n    assert y.shape == (1, 64)",
            "a, b, a",
            "nl.broadcast_to(a, (128, 64)), nl.broadcast_to(b, (128, 64)), nl.broadcast_to(a, (128, 64))",
        ),
    ],
    ids=["column", "row", "size by name", "what is chosen", "column and row"],
)
def test_what_is_smaller_than_what_where_gives_is_stretched(
    facts: str, line: str, written: str, tmp_path: Path
) -> None:
    lines = f"a = nl.load(x)\n    b = nl.load(y)\n    c = nl.where({line})\n    nl.store(out, c)"
    size = "(128, 64)" if "(1, 64)" in facts else "y.shape"
    (tmp_path / "k.py").write_text(KERNEL.replace("x.shape", size).format(f"\n    assert {facts}", lines))
    result = migrate([tmp_path], Options(), "B1", "0.6")
    assert written in flat(result)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


LAUNCHED = """\
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, bias=None):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.load(x)
    if bias is not None:
        {}
    nl.store(out, a)
    return out


kernel(np.ones((128, 64), np.float32), np.ones((128, 1), np.float32))
"""


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("a = a + nl.load(bias)", f"nl.add(a, {LARGE.format('tile_part', 'a')})"),
        ("b = nl.load(bias)\n        a = nl.multiply(b, a)", f"nl.multiply({LARGE.format('b', 'a')}, a)"),
        (
            "b = nl.load(bias)\n        a = a / b",
            f"nl.multiply(a, nl.reciprocal({LARGE.format('b', 'a')}, dtype=nl.float32), dtype=a.dtype)",
        ),
        ("a = a * nl.max(nl.load(bias), axis=1, keepdims=True)", "nisa.tensor_scalar("),
    ],
    ids=["second", "first", "quotient", "a column of any input"],
)
def test_a_column_that_only_launches_show_is_stretched(line: str, written: str, tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(LAUNCHED.format(line))
    result = migrate([tmp_path], Options(), "B1", "0.6")
    assert written in flat(result)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]


RESIDUAL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, residual):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        t = nl.load(x[i * 128:i * 128 + 128, :])
        r = nl.load(residual[i * 128:i * 128 + 128, :])
        nl.store(out[i * 128:i * 128 + 128, :], {})
    return out
"""


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("r + t", "nl.add(r if r.shape == t.shape else nl.broadcast_to(r, t.shape), t)"),
        ("t - r", "nl.subtract(t, r if r.shape == t.shape else nl.broadcast_to(r, t.shape))"),
        ("nl.multiply(r, t) + r", "r if r.shape == t.shape else nl.broadcast_to(r, t.shape))"),
        (
            "t)\n        s = t * r\n        nl.store(out[i * 128:i * 128 + 128, :], r * s",
            "nl.multiply(r if r.shape == s.shape else nl.broadcast_to(r, s.shape), s)",
        ),
    ],
    ids=["first", "second", "in a sum", "beside what was stretched"],
)
def test_that_is_stretched_which_is_not_as_large_as_the_output(value: str, written: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(RESIDUAL.format(value))
    result = migrate([file], Options(), "B1", "0.6")
    after = flat(result)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert written in after


SINKS = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


def weighed(t, sink=None):
    if sink is not None:
        t = nl.add(t, sink, dtype=nl.float32)
    return nl.exp(t, dtype=nl.float32)


@nki.jit
def kernel(x, sinks=None):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        sink = None
        if sinks is not None:
            sink = nl.load(sinks[i:i + 1, 0:1])
        nl.store(out[i * 128:i * 128 + 128, :], weighed(nl.load(x[i * 128:i * 128 + 128, :]), sink))
    return out


def calls():
    x = np.ones((256, 64), np.float32)
    {}
"""


@pytest.mark.parametrize(
    "launches",
    ["kernel(x)", "kernel(x, np.ones((2, 1), np.float32))", "kernel(x)\n    kernel(x, np.ones((2, 1), np.float32))"],
    ids=["without", "with", "both"],
)
def test_what_only_some_launches_hand_to_a_helper_is_stretched(launches: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(SINKS.format(launches))
    result = migrate([file], Options(), "B1", "0.6")
    after = result.files[0].after.decode()
    kernel = next(k for k in result.kernels if k.kernel == "kernel")
    assert (kernel.state, kernel.problems) == ("migrated", ()), after
    assert "data1=t, data2=nl.broadcast_to(sink, (128, t.shape[1]))" in after


@pytest.mark.parametrize(
    ("facts", "written"),
    [(EQUAL, "data2=b, op=nl.add"), ("", "data2=b if b.shape == c.shape else nl.broadcast_to(b, c.shape), op=nl.add")],
    ids=["asserted", "open"],
)
def test_what_is_added_in_place_is_stretched_where_it_may_be_smaller(facts: str, written: str, tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    lines = "a = nl.load(x)\n    b = nl.load(y)\n    c = (a + a) * 2.0\n    c += b\n    c /= 2.0\n    nl.store(out, c)"
    file.write_text(KERNEL.format(facts, lines))
    result = migrate([file], Options(), "B1", "0.6")
    assert written in flat(result)
    assert "op0=nl.multiply, operand0=1 / 2.0" in flat(result)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
