"""Helpers that give 0 instead of a grid of one element, and names that stand for grids and for numbers in turn."""

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


"""
APPENDED = """\
# as long as nl.arange(1) is not there
def indices(*sizes):
    rank = len(sizes)
    if sizes[-1] == 1:
        assert sizes[-2] != 1, "not supported"
        rank -= 1
    found = []
    axis = 0
    for c in sizes:
        if c > 1:
            access = [None] * rank
            access[axis] = slice(None, None, None)
            found.append(nl.arange(c)[tuple(access)])
        else:
            found.append({0})
        axis += 1
    return found


"""
CHOSEN = """\
def indices(a, b, c):
    return (
        nl.arange(a)[:, None, None],
        nl.arange(b)[None, :, None] if b > 1 else {0},
        nl.arange(c)[None, None, :] if c != 1 else {0},
    )


"""
KERNEL = """\
@nki.jit
def kernel(x):
    P, A, B = x.shape
    assert P == 128
    out = nl.ndarray((P, A, B), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.zeros((128, A, B), dtype=nl.float32, buffer=nl.sbuf)
    i_p, i_a, i_b = indices(128, A, B)
    tile[i_p, i_a, i_b] = nl.load(x[i_p, i_a, i_b])
    nl.store(out[i_p, i_a, i_b], tile[i_p, i_a, i_b])
    return out
"""


def migrated(path: Path, text: str) -> Migration:
    file = path / "k.py"
    file.write_text(HEAD + text)
    return migrate([file], Options(), "B1", "0.6")


@pytest.mark.parametrize("helper", [APPENDED, CHOSEN])
def test_zero_stands_for_a_grid_of_one_element(helper: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, helper.replace("{0}", "0") + KERNEL)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert "tile[0:128, 0:A, 0:B] = nl.load(x[0:128, 0:A, 0:B])" in after
    assert "indices" not in after
    assert "arange" not in after


@pytest.mark.parametrize("helper", [APPENDED, CHOSEN])
def test_another_number_stands_for_none(helper: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, helper.replace("{0}", "7") + KERNEL)
    assert [k.state for k in result.kernels] in (["left"], ["failed"])
    assert "indices(128, A, B)" in result.files[0].after.decode()


def test_a_helper_that_others_name_stays(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(HEAD + "from k import indices\n\nPLACES = [indices]\n")
    (tmp_path / "k.py").write_text(HEAD + CHOSEN.replace("{0}", "0") + KERNEL)
    result = migrate([tmp_path / "k.py", tmp_path / "other.py"], Options(), "B1", "0.6", verified=False)
    assert "def indices" in result.files[0].after.decode()


TURNS = """\
@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows == 128
    out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.zeros((128, columns), dtype=nl.float32, buffer=nl.sbuf)
    i = nl.arange(128)[:, None]
    j = nl.arange(columns)[None, :]
    k = j + 0
    tile[i, k] = nl.load(x[i, k])
    for t in range(2):
        k = t * 2
        tile[i, 0] = nl.multiply(tile[i, 0], k + 1.0)
    nl.store(out[i, j], tile[i, j])
    return out
"""


def test_a_grid_goes_though_its_name_is_a_number_later(tmp_path: Path) -> None:
    result = migrated(tmp_path, TURNS)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert "arange" not in after
    assert "k = t * 2" in after
    assert "k = j" not in after


def test_a_grid_stays_that_is_read_after_a_number(tmp_path: Path) -> None:
    text = TURNS.replace(
        "        k = t * 2\n        tile", "        if t == 5:\n            k = 3\n        print(k)\n        tile"
    )
    result = migrated(tmp_path, text.replace("k + 1.0", "2.0"))
    assert "k = j + 0" in result.files[0].after.decode()


OVER = """\
def indices(a, b):
    return nl.arange(a)[:, None], nl.arange(b)[None, :] if b > 1 else SINGLE


@nki.jit
def kernel(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range((rows + 127) // 128):
        i, j = indices(min(rows, 128), columns)
        nl.store(out[t * 128 + i, j], nl.load(x[t * 128 + i, j]))
    return out
"""


def test_what_the_old_kernel_breaks_on_that_input_is_not_new(tmp_path: Path) -> None:
    result = migrated(tmp_path, OVER.replace("SINGLE", "0"))
    found = [(k.state, p) for k in result.kernels for p in (*k.problems, "")]
    assert found == [("migrated", "")], result.files[0].after.decode()


BESIDE = """\
@nki.jit
def kernel(w, x):
    C, M = w.shape
    K, A, B = x.shape
    assert K == C
    out = nl.ndarray((M, A, B), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.load(w)
    right = nl.zeros((C, A, B), dtype=x.dtype, buffer=nl.sbuf)
    i_c, i_a, i_b = indices(C, A, B)
    right[i_c, i_a, i_b] = nl.load(x[i_c, i_a, i_b])
    product = nl.zeros((M, A, B), dtype=nl.float32, buffer=nl.psum)
    i_m = nl.arange(M)[:, None]
    product[i_m, i_a, i_b] += nisa.nc_matmul(left, right[i_c, i_a, i_b])
    nl.store(out, nl.copy(product))
    return out


def test_kernel():
    nki.simulate_kernel(kernel, np.ones((8, 6), np.float32), np.ones((8, 4, 1), np.float32))
"""
ADDED = "product[i_m, i_a, i_b] += nisa.nc_matmul(left, right[i_c, i_a, i_b])"
FIRST = "product[0:M, 0:A, 0:B]"


def test_a_grid_of_one_axis_less_beside_a_helper_that_leaves_out_the_last(tmp_path: Path) -> None:
    result = migrated(tmp_path, APPENDED.replace("{0}", "0") + BESIDE)
    after = result.files[0].after.decode()
    assert [(k.state, k.problems) for k in result.kernels] == [("migrated", ())], after
    assert f"nisa.nc_matmul(dst={FIRST}, stationary=left, moving=right[0:C, 0:A, 0:B])" in after
    assert "arange" not in after


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ADDED, ADDED[:-1] + ", mask=i_m < M - 1)"),  # a mask of as few axes
        (ADDED, "product[i_m, i_a, i_b] = nisa.iota(i_m, dtype=nl.float32)"),  # a value of as few
        (ADDED, "product[i_m, i_a, 0 * i_m] += nisa.nc_matmul(left, right[i_c, i_a, i_b])"),  # another one beside it
        (ADDED, "nl.store(out[i_m, i_a, i_b], right[i_c, i_a, i_b])"),  # DMA takes diagonals
        ("nl.arange(M)[:, None]", "nl.arange(M)"),  # of two axes less
        ("i_m = ", "i_a = nl.arange(A)[None, :, None]\n    i_m = "),  # the one beside is none of the helper's alone
    ],
)
def test_it_stays_where_its_axes_may_be_meant(old: str, new: str, tmp_path: Path) -> None:
    result = migrated(tmp_path, APPENDED.replace("{0}", "0") + BESIDE.replace(old, new))
    after = result.files[0].after.decode()
    assert [k.state for k in result.kernels] in (["left"], ["failed"]), after
    assert FIRST not in after or "nkilint: migrate" in after


def test_it_stays_where_the_helper_keeps_all_axes(tmp_path: Path) -> None:
    result = migrated(tmp_path, CHOSEN.replace("{0}", "0") + BESIDE)
    assert [k.state for k in result.kernels] == ["left"]
    assert ADDED in result.files[0].after.decode()
