"""Transposed tiles: in PSUM, from where they are copied once; and results that nothing reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_small_forms import body, kernel, migrated

PSUM = "p = nl.ndarray((nl.par_dim(64), 128), dtype={}, buffer=nl.psum)\n"


@pytest.mark.parametrize(
    ("copied", "after"),
    [
        ("nl.copy(nisa.nc_transpose(t))", ["b = nl.copy(b_psum)"]),
        ("nl.copy(nisa.nc_transpose(t), dtype=nl.float32)", ["b = nl.copy(b_psum, dtype=nl.float32)"]),
        ("nisa.tensor_copy(src=nisa.nc_transpose(t))", ["nisa.tensor_copy(dst=b, src=b_psum)"]),
        ("nl.exp(nisa.nc_transpose(t))", ["b = nl.exp(nl.copy(b_psum))"]),
        ("nisa.nc_transpose(t)", ["b = nl.copy(b_psum)"]),
    ],
)
def test_they_are_copied_once(copied: str, after: list[str], tmp_path: Path) -> None:
    store = "nl.store(out, nl.copy(nl.matmul(b, b, transpose_x=True))[:, 0:64])\n"
    result = migrated(tmp_path, kernel(f"assert x.shape == (128, 64)\nt = nl.load(x)\nb = {copied}\n{store}"), True)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
    assert [line for line in body(result).splitlines() if "copy" in line and "b_psum" in line] == after


@pytest.mark.parametrize(("kind", "direct"), [("x.dtype", True), ("nl.float32", False)])
def test_they_are_written_where_they_go(kind: str, direct: bool, tmp_path: Path) -> None:
    text = f"assert x.shape == (128, 64)\nt = nl.load(x)\n{PSUM.format(kind)}p[:, :] = nisa.nc_transpose(t)\n"
    result = migrated(tmp_path, kernel(f"{text}q = nl.copy(p)\nnl.store(out, nisa.nc_transpose(q))\n"), True)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
    assert ("nisa.nc_transpose(dst=p[:, :], data=t)" in body(result)) == direct


def test_a_result_that_nothing_reads_is_not_named_once_more(tmp_path: Path) -> None:
    text = (
        "assert x.shape == (128, 64)\nt = nl.load(x)\ns = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)\n"
        "nisa.activation_reduce(nl.square, t, reduce_op=nl.add, reduce_res=s)\n"
        "nl.store(out, s.broadcast_to((128, 64)))\n"
    )
    result = migrated(tmp_path, kernel(text), True)
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())]
    assert "activation_reduce_tile" not in [line.strip() for line in body(result).splitlines()]
