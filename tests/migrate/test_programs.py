"""Kernels that are launched on more programs than there are cores."""

from __future__ import annotations

from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.migrate.outcomes import migrate

OLD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


def rows_of(x):
    i = nl.program_id(axis=0)
    return nl.load(x[nl.ds(128 * i, 128), :])


@nki.jit
def doubled(x, both=True):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    more = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm) if both else None
    assert nl.program_ndim() == 1, f"{nl.program_ndim()} dimensions"
    i = nl.program_id(0)
    assert x.shape[0] == 128 * nl.num_programs(0), f"not for {nl.num_programs(0)} programs"
    tile = rows_of(x)
    nl.store(out[nl.ds(128 * i, 128), :], nl.add(tile, tile))
    if both:
        nl.store(more[nl.ds(128 * i, 128), :], tile)
    if both:
        return out, more
    return out


@nki.jit
def copied(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.program_id(0)
    nl.store(out[nl.ds(128 * i, 128), :], nl.load(x[nl.ds(128 * i, 128), :]))
    return out


doubled[4](np.ones((512, 256), np.float32))
doubled[3](np.ones((384, 256), np.float32), both=False)
copied[3](np.ones((384, 256), np.float32))
"""
NEW = """\
import nki
import nki.language as nl
import numpy as np


def rows_of(x, program_0=0):
    i = program_0
    return nl.load(x[nl.ds(128 * i, 128), :])


@nki.jit
def doubled(x, both=True, grid=(1,)):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    more = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm) if both else None
    for i in nl.affine_range(grid[0]):
        assert len(grid) == 1, f"{len(grid)} dimensions"
        assert x.shape[0] == 128 * grid[0], f"not for {grid[0]} programs"
        tile = rows_of(x, program_0=i)
        nl.store(out[nl.ds(128 * i, 128), :], nl.add(tile, tile))
        if both:
            nl.store(more[nl.ds(128 * i, 128), :], tile)
    if both:
        return out, more
    return out


@nki.jit
def copied(x, grid=(1,)):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(grid[0]):
        nl.store(out[nl.ds(128 * i, 128), :], nl.load(x[nl.ds(128 * i, 128), :]))
    return out


doubled(np.ones((512, 256), np.float32), grid=(4,))
doubled(np.ones((384, 256), np.float32), both=False, grid=(3,))
copied(np.ones((384, 256), np.float32), grid=(3,))
"""


def test_helpers_get_the_program_and_what_is_returned_may_hang_on_a_condition(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(OLD)
    result = migrate([file], Options(), "B1", "0.6")
    assert result.files[0].after.decode() == NEW
    assert [(k.kernel, k.state, k.problems) for k in result.kernels] == [
        ("copied", "migrated", ()),
        ("doubled", "migrated", ()),
    ]


def test_a_helper_that_others_call_too_leaves_the_kernel(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        OLD.replace(
            "    nl.store(out[nl.ds(128 * i, 128), :], nl.load(x[nl.ds(128 * i, 128), :]))\n",
            "    nl.store(out[nl.ds(128 * i, 128), :], rows_of(x))\n",
        )
    )
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    left = [n.text for n in result.files[0].notes if n.letter == "P"]
    assert left == [
        "it is launched with 4 programs, and `nki` has 2 at most: loop over the rest",
        "it is launched with 3 programs, and `nki` has 2 at most: loop over the rest",
    ]


HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def doubled(x, scale=None):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    {}
    i = nl.program_id(0)
    {}
    nl.store(out[nl.ds(128 * i, 128), :], {})
    return out


"""
PLAIN = HEAD.format("rows = x.shape[0]", "t = nl.load(x[nl.ds(128 * i, 128), :])", "nl.add(t, t)")
LEFT = "it is launched with 4 programs, and `nki` has 2 at most: loop over the rest"


def written(folder: Path, text: str, verified: bool = False) -> str:
    file = folder / "k.py"
    file.write_text(text)
    result = migrate([file], Options(), "B1", "0.6", verified=verified)
    assert [k.state for k in result.kernels] == ["migrated" if verified else "unverified"]
    return result.files[0].after.decode()


@pytest.mark.parametrize(
    ("launch", "then"),
    [
        ("doubled[x.shape[0] // 128](x)", "doubled(x, grid=(x.shape[0] // 128,))"),
        ("doubled[nl.spmd_dim(n, nl.nc(2))](x)", "doubled(x, grid=(n * 2,))"),
        ("nki.simulate_kernel(doubled[n], x)", "nki.simulate(doubled)(x, grid=n if isinstance(n, tuple) else (n,))"),
        ("nki.baremetal(doubled)[n](x)", "doubled(x, grid=n if isinstance(n, tuple) else (n,))"),
        ("run(x)", "run(x, grid=(rows // 128,))"),
    ],
)
def test_grids_that_the_host_computes_are_loops(tmp_path: Path, launch: str, then: str) -> None:
    host = "def host(x, n):\n    rows, _ = x.shape\n    run = doubled[rows // 128]\n"
    new = written(tmp_path, PLAIN + host + f"    return run(x), {launch}\n")
    assert "    for i in nl.affine_range(grid[0]):\n" in new
    assert new.endswith(f"    run = doubled\n    return run(x, grid=(rows // 128,)), {then}\n")


def test_a_kernel_that_keeps_its_name_in_other_hands_is_followed(tmp_path: Path) -> None:
    host = "doubled = nki.jit(doubled, mode='simulation')\ndoubled[4](np.ones((512, 64), np.float32))\n"
    assert written(tmp_path, PLAIN + host).endswith("doubled(np.ones((512, 64), np.float32), grid=(4,))\n")


def test_sizes_of_grids_are_told_from_grids(tmp_path: Path) -> None:
    host = """\
def tupled(x):
    grid = (x.shape[0] // 128,)
    return doubled[grid](x)


@pytest.mark.parametrize("n, other", [[2, None], [5, None]])
def test_doubled(n, other):
    x = np.ones((128 * n, 64), np.float32)
    return doubled[n](x)


def given(x, grid):
    return doubled[grid](x)
"""
    new = written(tmp_path, "import pytest\n" + PLAIN + host)
    assert "doubled(x, grid=grid)" in new
    assert "doubled(x, grid=(n,))" in new
    assert "doubled(x, grid=grid if isinstance(grid, tuple) else (grid,))" in new


def test_a_grid_that_is_computed_for_a_kernel_that_is_no_loop_is_told(tmp_path: Path) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        HEAD.format("rows = x.shape[0]", "x = x[i:rows]", "nl.load(x[0:128, :])")
        + "def host(x, n):\n    return doubled[n](x)\n"
    )
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    assert [n.text for n in result.files[0].notes if n.letter == "P"] == [
        "it may be launched with more programs than the 2 that `nki` has: loop over the rest"
    ]


@pytest.mark.parametrize(
    "host",
    [
        "many = doubled\nrun = {'d': doubled}\ndoubled[4](np.ones((512, 64), np.float32))\nrun['d'][2](0)\n",
        "def host(x, n):\n    return [f[n](x) for f in [doubled]]\n\n\ndoubled[4](np.ones((512, 64), np.float32))\n",
        "run = doubled[4]\nrun = doubled[3]\nrun(np.ones((384, 64), np.float32))\n"
        "doubled[4](np.ones((512, 64), np.float32))\n",
        "def host(x, n):\n    run = doubled[n]\n    n = 2\n    return run(x)\n\n\n"
        "doubled[4](np.ones((512, 64), np.float32))\n",
        "grid = (4,)\ndoubled[*grid](np.ones((512, 64), np.float32))\n",
    ],
)
def test_launches_that_cannot_be_followed_leave_the_kernel(tmp_path: Path, host: str) -> None:
    file = tmp_path / "k.py"
    file.write_text(PLAIN + host)
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    assert LEFT in [n.text for n in result.files[0].notes if n.letter == "P"]
    assert "grid=" not in result.files[0].after.decode()


@pytest.mark.parametrize(
    ("before", "after", "value", "inside"),
    [
        (
            "acc = nl.zeros((128, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)",
            "acc += nl.load(x[nl.ds(128 * i, 128), :])",
            "acc",
            "        acc = nl.zeros((128, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)\n",
        ),
        (
            "nisa.dma_copy(dst=out[0:128, :], src=x[0:128, :])",
            "t = nl.load(x[nl.ds(128 * i, 128), :])",
            "t",
            "        nisa.dma_copy(dst=out[0:128, :], src=x[0:128, :])\n",
        ),
        ("tiles = []", "tiles.append(nl.load(x[nl.ds(128 * i, 128), :]))", "tiles[0]", "        tiles = []\n"),
        (
            "scale = scale or 2.0",
            "n = scale",
            "nl.multiply(nl.load(x[nl.ds(128 * i, 128), :]), n)",
            "    scale = scale or 2.0\n    for i",
        ),
        (
            "acc = nl.zeros((128, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)",
            "add_to(acc, x, i)",
            "acc",
            "        acc = nl.zeros((128, x.shape[1]), dtype=nl.float32, buffer=nl.sbuf)\n",
        ),
    ],
)
def test_each_program_begins_with_what_the_first_one_did(
    tmp_path: Path, before: str, after: str, value: str, inside: str
) -> None:
    text = HEAD.format(before, after, value).replace(
        "@nki.jit", "def add_to(acc, x, i):\n    acc[...] += nl.load(x[nl.ds(128 * i, 128), :])\n\n\n@nki.jit"
    )
    assert inside in written(tmp_path, text + "doubled[4](np.ones((512, 64), np.float32))\n", verified=True)


@pytest.mark.parametrize(
    "after",
    [
        "x = x[i:x.shape[0]]; t = nl.load(x[0:128, :])",
        "scale = (scale or 0) + 1; t = nl.load(x[nl.ds(128 * i, 128), :])",
        "scale = scale or i; t = nl.load(x[nl.ds(128 * i, 128), :])",
    ],
)
def test_arguments_that_programs_change_leave_the_kernel(tmp_path: Path, after: str) -> None:
    file = tmp_path / "k.py"
    file.write_text(
        HEAD.format("rows = x.shape[0]", after.replace("; ", "\n    "), "t")
        + "doubled[4](np.ones((512, 64), np.float32))\n"
    )
    result = migrate([file], Options(), "B1", "0.6", verified=False)
    assert LEFT in [n.text for n in result.files[0].notes if n.letter == "P"]
