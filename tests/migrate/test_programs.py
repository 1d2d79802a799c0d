"""Kernels that are launched on more programs than there are cores."""

from __future__ import annotations

from pathlib import Path

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
