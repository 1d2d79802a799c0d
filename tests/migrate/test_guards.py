"""Masks that are the same for all elements: their operation is skipped, and nothing else of its statement."""

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
def kernel(x):
    rows, columns = x.shape
    assert columns == 64 and rows >= 128 and rows % 128 == 0
    n = rows // 128
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:64]
    log = []
    for t in range(n + 1):
"""
TWICE = """\
def twice(tile, log):
    log.append(1)
    return nl.add(tile, tile)


"""
LOADED_IN = """\
def loaded(x, t, n):
    return nl.load(x[t * 128:t * 128 + 128, 0:64], mask=t < n)


"""
PART = """\
def part(x, t, mask=None):
    return nl.load(x[t * 128:t * 128 + 128, 0:64], mask=mask)


"""
COPIED = """\
def copied(x, out, t, rows, mask=None):
    i, j = nl.mgrid[0:128, 0:64]
    both = (t * 128 + i < rows) if mask is None else (t * 128 + i < rows) & mask
    tile = nl.load(x[t * 128 + i, j], mask=both)
    nl.store(out[t * 128 + i, j], tile, mask=both)


"""
STORED = "        nl.store(out[t * 128 + i, j], {0}, mask=t < n)\n"
LOADED = "nl.load(x[t * 128:t * 128 + 128, 0:64], mask=t < n)"
SKIPPED = (
    "        load_tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)\n        if t < n:\n"
    "            nisa.dma_copy(dst=load_tile, src=x[t * 128:t * 128 + 128, 0:64])\n"
)


def migrated(path: Path, text: str, helper: str = "") -> Migration:
    file = path / "k.py"
    file.write_text(text.replace("@nki.jit", f"{helper}@nki.jit"))
    return migrate([file], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("body", "written"),
    [
        (
            f"        tiles = []\n        tiles.append({LOADED})\n" + STORED.format("tiles[0]"),
            "tiles.append(load_tile)",
        ),
        (f"        a, b = {LOADED}, t\n" + STORED.format("a").replace("[t", "[b"), "a, b = load_tile, t\n"),
        (f"        a = twice({LOADED}, log)\n" + STORED.format("a"), "a = twice(load_tile, log)\n"),
        (f"        a = nl.exp({LOADED})\n" + STORED.format("a"), "a = nl.exp(load_tile)\n"),
    ],
    ids=["appended", "unpacked", "handed over", "computed"],
)
def test_a_load_in_an_expression_is_skipped_alone(body: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, f"{HEAD}{body}    return out\n", TWICE if "twice" in body else "")
    after = result.files[0].after.decode()
    assert {(k.state, k.problems) for k in result.kernels} == {("migrated", ())}, after
    assert f"{SKIPPED}        {written}" in after


def test_what_a_function_gives_is_given_all_the_same(tmp_path: Path) -> None:
    body = "        a = loaded(x, t, n)\n" + STORED.format("a")
    result = migrated(tmp_path, f"{HEAD}{body}    return out\n", LOADED_IN)
    assert [k.state for k in result.kernels] == ["migrated"]
    written = SKIPPED.replace("\n    ", "\n").removeprefix("    ") + "    return load_tile\n"
    assert written in result.files[0].after.decode()


def test_an_expression_that_cannot_be_skipped_alone_is_left(tmp_path: Path) -> None:
    body = "        a = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)\n"
    body += "        a[i, j] = nl.add(nl.exp(a[i, j], mask=t < n), 1.0)\n" + STORED.format("a")
    result = migrated(tmp_path, f"{HEAD}{body}    return out\n")
    assert [n.text for n in result.files[0].notes] == [
        "a mask that may leave nothing, on an operation inside of an expression"
    ]
    assert "a[i, j] = nl.add(nl.exp(a[i, j], mask=t < n), 1.0)" in result.files[0].after.decode()


@pytest.mark.parametrize("given", ["", ", mask=t < n"])
def test_masks_that_callers_may_leave_out(given: str, tmp_path: Path) -> None:
    count = "n + 1" if given else "n"
    body = f"        a = part(x, t{given})\n" + STORED.format("a")
    result = migrated(tmp_path, f"{HEAD.replace('n + 1', count)}{body}    return out\n", PART)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
    assert "    if (mask == None or mask):\n        nisa.dma_copy(dst=load_tile, " in result.files[0].after.decode()


def test_bounds_with_and_without_a_mask_of_the_caller(tmp_path: Path) -> None:
    body = "        copied(x, out, t, rows)\n        copied(x, out, t, rows, mask=t > 0)\n"
    text = HEAD.replace("n + 1", "(rows + 127) // 128").replace(" and rows >= 128 and rows % 128 == 0", "")
    result = migrated(tmp_path, f"{text}{body}    return out\n", COPIED)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert (
        "    if (mask == None or mask):\n        nl.store(out[t * 128:t * 128 + min(128, rows - t * 128), 0:64]"
        in after
    )


UNKNOWN = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
from elsewhere import grids


@nki.jit
def kernel(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = grids(128, 64)
    nl.store(out[i, j], nl.load(x[i, j]), mask=j < 32)
    return out
"""


def test_masks_of_which_nothing_is_known_are_left(tmp_path: Path) -> None:
    result = migrated(tmp_path, UNKNOWN)
    after = result.files[0].after.decode()
    assert [k.state for k in result.kernels] == ["left"]
    assert "if j < 32" not in after
    assert "`j` in the mask `j < 32` is not known" in after


ORDER = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


def raised(tile):
    tile += 1.0
    return tile


@nki.jit
def kernel(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    a = nl.load(x, dtype=nl.float32)
    nl.store(out, nl.add({0}, {1}))
    return out
"""


def test_nothing_is_computed_before_a_function_that_may_change_its_operands(tmp_path: Path) -> None:
    scaled = "nisa.tensor_scalar(a, op0=nl.multiply, operand0=2.0)"
    left = migrated(tmp_path, ORDER.format("raised(a)", scaled))
    assert [n.text for n in left.files[0].notes] == ["`raised` runs before this, and may change what it is computed of"]
    done = migrated(tmp_path, ORDER.format(scaled, "raised(a)"))
    assert [(k.state, k.problems) for k in done.kernels] == [("migrated", ())]
