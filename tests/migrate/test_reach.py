"""What kernels have to have said of them before they are migrated: ranks, shapes, steps, and values of arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nkilint.base.options import Options
from nkilint.migrate import operations
from nkilint.migrate.outcomes import Migration, migrate
from nkilint.migrate.rewriting import Undecided

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
"""
RANKS = """\
def parts(x, y):
    batches, rows, columns = x.shape
    assert rows <= 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:columns]
    for b in nl.affine_range(batches):
        part = y[b]
        tile = nl.load(part[i, j], mask=i < rows)
        nl.store(out[b, i, j], nl.exp(tile), mask=i < rows)
    return out
"""
LISTS = """\
def listed(x):
    a = nl.load(x[0:128, 0:64])
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray([2] + [nl.par_dim(a.shape[0]), a.shape[1]], dtype=a.dtype, buffer=nl.sbuf)
    for k in nl.affine_range(2):
        tiles[k] = nl.exp(a)
    nl.store(out, tiles[1])
    return out
"""
CUT = """\
def doubled(tile, loaded, k, size):
    tile[:size, :] = nisa.tensor_scalar(data=loaded[k, :size, :], op0=nl.multiply, operand0=2.0)


@nki.jit
def cut(x):
    rows, columns = x.shape
    rest = rows % 128 if rows % 128 != 0 else 128
    out = nl.ndarray((256, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.zeros((128, columns), dtype=nl.float32, buffer=nl.sbuf)
    loaded = nl.zeros((2, nl.par_dim(128), columns), dtype=nl.bfloat16, buffer=nl.sbuf)
    for k in range(2):
        loaded[k, :rest, :] = nl.load(x[:rest, :])
        doubled(tile, loaded, k, rest)
        nl.store(out[nl.ds(128 * k, 128), :], tile)
    doubled(tile, loaded, 1, 128)
    return out
"""
NAMED = """\
def named(x, kind):
    assert kind in ["plain", "doubled"]
    double = kind == "doubled"
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in range(2):
        if double:
            tiles = nl.ndarray((2, nl.par_dim(128), 32), dtype=x.dtype, buffer=nl.sbuf)
        part = nl.load(x[0:128, nl.ds(32 * k, 32)])
        if double:
            tiles[k] = nl.multiply(part, 2.0)
            nl.store(out[0:128, nl.ds(32 * k, 32)], tiles[k])
        else:
            nl.store(out[0:128, nl.ds(32 * k, 32)], part)
    return out
"""
MIRRORED = """\
def mirrored(x):
    rows, width = x.shape
    assert rows <= 128
    out = nl.ndarray((rows, 2 * width), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    both = nl.zeros((rows, 2 * width), dtype=x.dtype, buffer=nl.sbuf)
    p, a, k = nl.mgrid[0:rows, 0:2, 0:(width - 1)]
    both[p, 2 * k + a] = nl.copy(tile[p, k + (-1 * a + 1)])
    nl.store(out, both)
    return out
"""
ENDS = """\
def ends(x):
    rows, width = x.shape
    assert rows <= 128
    out = nl.ndarray((rows, 2), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    p, a = nl.mgrid[0:rows, 0:2]
    pair = nl.copy(tile[p, (width - 1) * a])
    nl.store(out, pair)
    return out
"""
DROPPED = """\
def dropped(x, seed=None, rate=0.0):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:64])
    if rate > 0.0:
        start = nl.load(seed[0:1, 0:1])
        first = nl.add(start[0, 0], 3, dtype=nl.int32)
        nl.random_seed(seed=first)
        tile = nl.multiply(tile, 1 / (1 - rate))
    nl.store(out, tile)
    return out
"""
POOLED = """\
@nki.jit
def pooled(x, size):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns // size), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j, k = nl.mgrid[0:rows, 0:columns // size, 0:size]
    tile = nl.load(x)
    sums : "tensor[rows, columns // size]" = nl.sum(tile[i, j * size + k], axis=[2])
    nl.store(out, value=sums)
    return out
"""
STEPS = """\
@nki.jit
def steps(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:64])
    for _ in nl.sequential_range(100):
        tile[0:128, 0:64] = nisa.tensor_scalar(tile, op0=nl.add, operand0=1.0) + tile
    nl.store(out, value=tile)
    return out
"""
OTHERS = """\
def place(number, size, offset):
    return number * size + offset


@nki.jit
def filled(tile, x, number, size):
    i, j = nl.mgrid[0:size, 0:32]
    nisa.dma_copy(dst=tile[i, j], src=x[place(number, size, i), j])


@nki.jit
def others(x):
    out = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    for number in nl.affine_range(2):
        tile = nl.ndarray((64, 32), dtype=x.dtype, buffer=nl.sbuf)
        filled(tile, x, number, 64)
        nl.store(out[number * 64:number * 64 + 64, 0:32], value=tile)
    return out
"""
STRETCHED = """\
def stretched(x, y):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    a, b = nl.load(x), nl.load(y)
    c = a - b
    d = nl.load(y)
    e = nisa.tensor_tensor(c, d, op=nl.multiply)
    nl.store(out, e)
    return out
"""
LOWEST = """\
def lowest(x):
    tile = nl.full((128, 64), nl.finfo(x.dtype).min, dtype=x.dtype, buffer=nl.sbuf)
    tile[:, 0:32] = nl.load(x[0:128, 0:32])
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, tile)
    return out
"""
SUMMED = """\
def summed(x):
    rows, columns = x.shape
    assert columns % 32 == 0
    i = nl.arange(128)[:, None]
    total = nl.zeros((128, 32), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.affine_range(columns // 32):
        tile = nl.load(x[i, 32 * k + nl.arange(32)[None, :]], mask=i < rows)
        total[i, nl.arange(32)[None, :]] = nl.loop_reduce(tile, nl.add, [k], dtype=nl.float32, mask=i < rows)
    out = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, total)
    return out
"""
NESTED = """\
def nested(x):
    assert x.shape == (128, 192)
    out = nl.ndarray((128, 192), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = nl.ndarray((2, 3, nl.par_dim(128), 32), dtype=x.dtype, buffer=nl.sbuf)
    for k in nl.affine_range(2):
        fill(tiles=tiles[k], x=x, k=k)
    for k in nl.affine_range(2):
        for i in nl.affine_range(3):
            nl.store(out[0:128, nl.ds(32 * (3 * k + i), 32)], tiles[k, i])
    return out


def fill(tiles, x, k):
    for i in nl.affine_range(tiles.shape[0]):
        tiles[i] = nl.load(x[0:128, nl.ds(32 * (3 * k + i), 32)])
        tiles[i] = nisa.tensor_copy(nisa.tensor_copy(tiles[i]))
"""


def migrated(file: Path, text: str) -> Migration:
    file.write_text(HEAD + text)
    return migrate([file], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (RANKS, "src=part[0:min(128, rows), 0:columns]"),
        (LISTS, "tiles = [nl.ndarray((a.shape[0], a.shape[1]), dtype=a.dtype, buffer=nl.sbuf) for _ in range(2)]"),
        (CUT, "nl.ndarray((size, tile.shape[1]), dtype=nl.bfloat16, buffer=nl.sbuf)"),
        (NAMED, "for _ in range(2)]"),
        (MIRRORED, "[-1, 2]"),
        (ENDS, ".ap(pattern="),
        (DROPPED, "nl.add(start[0, 0], 3, dtype=nl.int32)"),
        (POOLED, '\n    sums : "tensor[rows, columns // size]" = nl.sum(tile.ap('),
        (STRETCHED, "nl.subtract(a, b if b.shape == a.shape else nl.broadcast_to(b, a.shape))"),
        (LOWEST, "-65504.0 if x.dtype == nl.float16"),
        (SUMMED, "data1=total[0:min(128, rows), 0:32]"),
        (NESTED, "    for i in nl.affine_range(len(tiles)):\n        tiles[i][...] = nl.load("),
        (OTHERS, "nisa.dma_copy(dst=tile[0:size, 0:32], src=x[size * number:size * number + size, 0:32])"),
    ],
    ids=[
        "ranks",
        "lists",
        "cut",
        "named",
        "mirrored",
        "ends",
        "dropped",
        "pooled",
        "stretched",
        "lowest",
        "summed",
        "nested",
        "others",
    ],
)
def test_kernels_that_are_migrated_whole(text: str, written: str, tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", text)
    after = result.files[0].after.decode()
    assert {(k.state, k.problems) for k in result.kernels} == {("migrated", ())}, after
    assert written in after
    assert result.complete


def test_a_shape_without_words_is_that_of_an_operand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def speechless(*_: Any) -> str:
        raise Undecided("no size has a name")

    monkeypatch.setattr(operations, "shape", speechless)
    result = migrated(tmp_path / "k.py", CUT)
    assert "nl.ndarray(loaded[k][:size, :].shape, dtype=nl.bfloat16" in result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())] * 2


def test_patterns_that_may_have_no_elements_stand_under_a_condition(tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", MIRRORED)
    assert "if width - 1 > 0:" in result.files[0].after.decode()
    told = "a step of an access pattern is negative, of which no page of `nki` speaks"
    assert [(n.letter, n.text) for n in result.files[0].notes] == [("E", told)]


def test_inputs_by_chance_keep_the_contract(tmp_path: Path) -> None:
    (kernel,) = migrated(tmp_path / "k.py", LISTS).kernels
    assert not kernel.skipped  # none is smaller than what is loaded
    assert kernel.runs >= 6


def test_each_string_that_a_kernel_looks_for_is_run(tmp_path: Path) -> None:
    wrong = NAMED.replace("nl.store(out[0:128, nl.ds(32 * k, 32)], part)", "pass")
    (kernel,) = migrated(tmp_path / "k.py", wrong).kernels
    assert any("NKI702" in reason or "NKI703" in reason for reason in kernel.skipped)  # what `plain` leaves unwritten
    assert kernel.runs


def test_a_budget_that_the_new_kernel_uses_up_speaks_against_no_kernel(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    assert [k.state for k in migrated(file, STEPS).kernels] == ["migrated"]
    (kernel,) = migrate([file], Options(confirm_steps=33_000), "B1", "0.6").kernels
    assert (kernel.state, kernel.problems) == ("unverified", ())
    assert kernel.skipped == ("once migrated, it takes more than 33000 steps",)


def test_limits_of_dtypes_stop_no_evaluation(tmp_path: Path) -> None:
    (kernel,) = migrated(tmp_path / "k.py", LOWEST).kernels
    assert kernel.runs  # on inputs that only an evaluation to the end gives


UNSEEN = """\
def outer(x, **options):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for name in unknown():
        options[name] = 1
    inner(x, out, **options)
    return out


@nki.jit
def other(x):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    inner(x, out)
    return out


def inner(x, out, scale=1):
    i, j = nl.mgrid[0:128, 0:256]
    nl.store(out[i, j], nl.load(x[i, j], mask=i == 3))
"""


def test_what_is_left_in_a_function_that_no_evaluation_came_into_is_left_in_who_calls_it(tmp_path: Path) -> None:
    done = migrated(tmp_path / "kernels.py", UNSEEN)
    assert {k.kernel: k.state for k in done.kernels} == {"outer": "left", "other": "left"}


ITEMS = """\
def items(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    a = nl.load(x[0:128, 0:64], dtype=nl.float32)
    tiles, named, box = [a, a], {}, Box()
    tiles[0] = nisa.tensor_scalar(a, op0=nl.multiply, operand0=2.0)
    named["sum"] = nisa.tensor_tensor(tiles[0], tiles[1], op=nl.add)
    box.tile = nisa.activation(op=nl.exp, data=a)
    nl.store(out, named["sum"] + box.tile + a)
    return out


class Box:
    pass
"""


def test_what_becomes_an_item_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    result = migrated(tmp_path / "k.py", ITEMS)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    for item in ("tiles[0] = tensor_scalar_tile", 'named["sum"] = tensor_tensor_tile', "box.tile = activation_tile"):
        assert item in after
