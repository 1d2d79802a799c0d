"""Products in PSUM: added to what products left, and to nothing else; what they are assigned to, they replace."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, y):
    assert x.shape == (128, 128) and y.shape == (128, 256)
    out = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    a, b = nl.load(x), nl.load(y)
"""
END = """\
    for t in nl.sequential_range(2):
        {0}
    nl.store(out, nl.copy(p))
    return out
"""
ADDED = "nisa.tensor_tensor(dst=p, data1=p, data2=nl.copy(nc_matmul_tile), op=nl.{0})"


def migrated(path: Path, text: str, to: str = "0.6") -> Migration:
    file = path / "k.py"
    file.write_text(text)
    return migrate([file], Options(), "B1", to)


@pytest.mark.parametrize(
    ("made", "statement", "written"),
    [
        ("nl.zeros((128, 256), dtype=nl.float32, buffer=nl.psum)", "p += nisa.nc_matmul(a, b)", "nc_matmul(dst=p, "),
        (
            "nl.full((128, 256), 0, dtype=nl.float32, buffer=nl.psum)",
            "p += nl.matmul(a, b, transpose_x=True)",
            "nc_matmul(dst=p, ",
        ),
        (
            "nl.full((128, 256), 3.0, dtype=nl.float32, buffer=nl.psum)",
            "p += nisa.nc_matmul(a, b)",
            ADDED.format("add"),
        ),
        ("nl.copy(b, dtype=nl.float32, buffer=nl.psum)", "p += nisa.nc_matmul(a, b)", ""),
        (
            "nl.zeros((128, 256), dtype=nl.float32, buffer=nl.psum)",
            "p -= nisa.nc_matmul(a, b)",
            ADDED.format("subtract"),
        ),
        (
            "nl.zeros((128, 256), dtype=nl.float32, buffer=nl.psum)",
            "p += nisa.nc_matmul(a, b); p *= 2.0",
            ADDED.format("add"),
        ),
    ],
    ids=["zeros", "filled with zeros", "filled", "copied", "subtracted", "changed between"],
)
def test_products_are_added_by_the_instruction_only_to_products(
    made: str, statement: str, written: str, tmp_path: Path
) -> None:
    statement = statement.replace("; ", "\n        ")
    result = migrated(tmp_path, f"{HEAD}    p = {made}\n{END.format(statement)}")
    after = result.files[0].after.decode()
    if written:
        assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert written in after
    assert "accumulate" not in after


ASSIGNED = END.format("p[0:128, 0:256] = nisa.nc_matmul(a, b)").replace("    nl.store", "        nl.store")


def test_a_product_that_is_assigned_again_replaces_the_one_before(tmp_path: Path) -> None:
    outside = "    p = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.psum)\n"
    after = migrated(tmp_path, HEAD + outside + ASSIGNED).files[0].after.decode()
    assert "nisa.nc_matmul(dst=p[0:128, 0:256], stationary=a, moving=b, accumulate=False)" in after
    before = migrated(tmp_path, HEAD + outside + ASSIGNED, "0.2").files[0].after.decode()
    assert "accumulate" not in before
    assert "nisa.tensor_copy(dst=p[0:128, 0:256], src=nc_matmul_tile)" in before


def test_the_only_product_of_a_tile_needs_no_word(tmp_path: Path) -> None:
    inside = ASSIGNED.replace(
        "        p[", "        p = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.psum)\n        p["
    )
    result = migrated(tmp_path, HEAD + inside)
    assert "nisa.nc_matmul(dst=p[0:128, 0:256], stationary=a, moving=b)\n" in result.files[0].after.decode()


def test_a_product_is_added_by_itself_to_one_that_was_copied(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        "import neuronxcc.nki as nki\nimport neuronxcc.nki.isa as nisa\nimport neuronxcc.nki.language as nl\n\n\n"
        "@nki.jit\ndef k(x, w):\n    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)\n"
        "    a, b = nl.load(x), nl.load(w)\n    p = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)\n"
        "    p[...] = nisa.nc_matmul(a, b)\n    p += nisa.nc_matmul(a, b)\n    nl.store(out, p)\n    return out\n"
    )
    after = migrate([file], Options(), "B1", "0.6", verified=False).files[0].after.decode()
    assert "nisa.tensor_copy(dst=p, src=nc_matmul_tile)\n" in after
    assert "p_part = nl.copy(nc_matmul_tile_2)\n    nisa.tensor_tensor(\n        dst=p,\n" in after


@pytest.mark.parametrize(
    ("first", "second", "alone"),
    [("0:64", "64:128", True), ("0:64", "0:64", True), ("0:64", "32:96", False), ("0:128", "32:96", False)],
)
def test_products_are_added_to_parts_that_do_not_overlap(first: str, second: str, alone: bool, tmp_path: Path) -> None:
    made = "    p = nl.zeros((128, 256), dtype=nl.float32, buffer=nl.psum)\n"
    added = "".join(f"    p[:, {part}] += nisa.nc_matmul(a, b[:, {part}])\n" for part in (first, second))
    result = migrated(tmp_path, f"{HEAD}{made}{added}    nl.store(out, nl.copy(p))\n    return out\n")
    after = result.files[0].after.decode()
    assert (f"nisa.nc_matmul(dst=p[:, {second}], " in after) is alone
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after


WIDE = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x, y):
    n = x.shape[1]
    out = nl.ndarray((128, n), dtype=nl.float32, buffer=nl.shared_hbm)
    p = nl.zeros((nl.par_dim(128), n), dtype=nl.float32, buffer=nl.psum)
    for t in nl.affine_range(2):
        {0}
    nl.store(out, nl.copy(p))
    return out
"""


@pytest.mark.parametrize(
    ("statement", "moving"),
    [
        ("a, b = nl.load(x[0:128, 0:128]), nl.load(y)\n        p[:, :] += nl.matmul(a, b, transpose_x=True)", "b"),
        ("a = nl.load(x[0:128, 0:128])\n        p += nisa.nc_matmul(a, nl.load(y))", "moving"),
    ],
    ids=["named", "not named"],
)
def test_a_product_of_which_nothing_says_how_wide_it_is(statement: str, moving: str, tmp_path: Path) -> None:
    """Beta 1 stretches a single column; the product does not lose its place in PSUM for that."""
    result = migrated(tmp_path, WIDE.format(statement))
    after = "".join(result.files[0].after.decode().split())
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    wide = f"nl.broadcast_to({moving},({moving}.shape[0],p.shape[1]))"
    assert f"moving={moving}if{moving}.shape[1]==p.shape[1]else{wide}" in after


def test_a_column_is_stretched_before_it_is_added(tmp_path: Path) -> None:
    statement = "a = nl.load(x[0:128, 0:128])\n        p += nisa.nc_matmul(a, nl.load(y[0:128, 0:1]))"
    result = migrated(tmp_path, WIDE.format(statement))
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
