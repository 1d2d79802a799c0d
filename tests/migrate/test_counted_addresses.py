"""Addresses that a loop counts on: Beta 1 traced its body once, so all iterations have those of the first one."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import Migration, migrate

KERNEL = """\
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl


@nki.jit
def kernel(x):
    n, f = x.shape
    out = nl.ndarray((n, f), dtype=x.dtype, buffer=nl.shared_hbm)
    at = 0
    for t in nl.{0}(n // 128):  # tiles
        # one after the other
        a = nl.ndarray((nl.par_dim(128), f), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=at))
        a[...] = nl.load(x[nl.ds(t * 128, 128), :])
{1}
        nl.store(out[nl.ds(t * 128, 128), :], a)
    return out
"""
TILE = "b = nl.ndarray((nl.par_dim(128), f), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr={}))"
COPIED = ("b[...] = nl.multiply(a, 2.0)", "a[...] = nl.copy(b)")
INSIDE = (TILE.format("at"), "at += f * 4", *COPIED)


def migrated(path: Path, loop: str, *lines: str) -> Migration:
    file = path / "k.py"
    file.write_text(KERNEL.format(loop, "\n".join(f"        {line}" for line in lines)))
    return migrate([file], Options(), "B1", "0.6")


@pytest.mark.parametrize(
    ("loop", "lines", "begins"),
    [
        ("affine_range", ("at += f * 4", TILE.format("at"), "at = at + f * 4", *COPIED), 1),
        ("sequential_range", ("at += 1024", "b_at = at", "at += 1024", TILE.format("b_at"), *COPIED), 1),
        ("affine_range", ("at += 1024", "assert at < 65536"), 1),
        ("affine_range", ("at += f * 4", "for s in nl.sequential_range(2):", *(f"    {line}" for line in INSIDE)), 2),
        ("affine_range", ("at += f * 4", "for s in nl.static_range(2):", *(f"    {line}" for line in INSIDE)), 1),
    ],
    ids=["two tiles", "by another name", "asserted", "nested", "unrolled inside"],
)
def test_they_begin_anew(loop: str, lines: tuple[str, ...], begins: int, tmp_path: Path) -> None:
    result = migrated(tmp_path, loop, *lines)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert f"at_begin = at\n    for t in nl.{loop}(n // 128):  # tiles\n        at = at_begin\n        # one" in after
    assert after.count(" = at_begin") == begins
    again = migrate([_written(tmp_path, after)], Options(), "B1", "0.6", verified=False)
    assert again.files[0].after.decode() == after


@pytest.mark.parametrize(
    "lines",
    [
        ("at += 1024", "a[...] = nl.multiply(a, at)"),
        ("at += 1024", "width = at", "a[...] = nl.multiply(a, width)"),
        ("at += 1024", "if at > 2048:", "    a[...] = nl.multiply(a, 2.0)"),
    ],
    ids=["computed with", "by another name", "asked for"],
)
def test_what_is_read_for_more_is_left(lines: tuple[str, ...], tmp_path: Path) -> None:
    result = migrated(tmp_path, "affine_range", *lines)
    assert [k.state for k in result.kernels] == ["left"]
    assert "at_begin" not in result.files[0].after.decode()


def test_loops_that_were_unrolled_count_on(tmp_path: Path) -> None:
    result = migrated(tmp_path, "static_range", "at += f * 4")
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
    assert "at_begin" not in result.files[0].after.decode()


def _written(path: Path, text: str) -> Path:
    file = path / "again.py"
    file.write_text(text)
    return file
