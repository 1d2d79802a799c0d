"""A tile that an operation made under a mask, assigned to elements or added to them in place, changes what the mask
leaves; the linter and runs agree on which elements hold something after that."""

from __future__ import annotations

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np
import pytest

import reference_sim

from ..support.checking import report_on

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

@nki.jit
def kernel(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    tile = {start}
    {statement}
    nl.store(output, value=tile)
    return output
"""
X = np.random.default_rng(0).random((128, 512), dtype=np.float32)
MASKS = {"p < 64": np.arange(128)[:, None] < 64, "f < p": np.arange(512)[None, :] < np.arange(128)[:, None]}
ZEROS, EMPTY = "nl.zeros((128, 512), dtype=x.dtype)", "nl.ndarray((128, 512), dtype=x.dtype)"


def run(source: str) -> tuple[np.ndarray, list[str]]:
    space = {"__name__": "kernels"}
    exec(compile(source, "<masked>", "exec"), space)
    seen = reference_sim.observe(space["kernel"], [X.copy()], target="trn2")
    assert seen.stopped is None
    return seen.results, [f.code for f in seen.findings]


def codes_of(source: str) -> list[str]:
    return [d.code for d in report_on(source).findings]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(
    "statement",
    [
        "tile[...] = nl.load(x[p, f], mask={mask})",
        "tile += nl.load(x[p, f], mask={mask})",
        "tile[...] += nl.load(x[p, f], mask={mask})",
        "part = nl.load(x[p, f], mask={mask}); tile += part",
    ],
)
def test_elements_that_the_mask_leaves_out_stay(statement: str, mask: str) -> None:
    source = HEAD.format(start=ZEROS, statement=statement.format(mask=mask))
    results, found = run(source)
    assert found == codes_of(source) == []
    assert np.array_equal(results, np.where(MASKS[mask], X, 0))


@pytest.mark.parametrize(
    ("start", "statement"),
    [
        (ZEROS, "tile[...] = tile + nl.load(x[p, f], mask=p < 64)"),
        (ZEROS, "tile += nl.exp(nl.load(x[p, f], mask=p < 64))"),
        (EMPTY, "tile[...] = nl.load(x[p, f], mask=p < 64)"),
    ],
)
def test_a_whole_operation_on_such_a_tile_is_undefined_outside(start: str, statement: str) -> None:
    source = HEAD.format(start=start, statement=statement)
    assert run(source)[1] == codes_of(source) == ["NKI701"]


@nki.jit
def products(left, right, wanted):  # type: ignore[no-untyped-def]
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(4):
        stationary, moving = nl.load(left[nl.ds(k * 128, 128), :]), nl.load(right[nl.ds(k * 128, 128), :])
        total += nisa.nc_matmul(stationary, moving, mask=(k < wanted))
    nl.store(output, value=nl.copy(total))
    return output


@pytest.mark.parametrize("wanted", [1, 3, 4])
def test_a_sum_of_products_leaves_out_those_whose_mask_does_not_hold(wanted: int) -> None:
    generator = np.random.default_rng(0)
    left, right = generator.random((512, 128), np.float32), generator.random((512, 512), np.float32)
    seen = reference_sim.observe(products, [left, right, wanted], target="trn2")
    assert seen.findings == ()
    assert np.allclose(seen.results, left[: wanted * 128].T @ right[: wanted * 128], rtol=1e-4)


def overlapping(restored: str) -> list[str]:
    """What is found where a tile is written over through another one, and then written anew under a mask."""

    @nki.jit
    def kernel(x):  # type: ignore[no-untyped-def]
        output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
        p, f = nl.mgrid[0:128, 0:512]
        first = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        second = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        first[...] = nl.load(x)
        whole = f >= 0
        lower, upper = f < p, f >= p
        masks = {"": [lower], "lower": [lower], "both": [lower, upper], "whole": [whole]}[restored]
        second[p, f] = nl.load(x[p, f], mask=lower)
        for mask in masks if restored else []:
            first[p, f] = nl.load(x[p, f], mask=mask)
        nl.store(output[p, f], value=first[p, f], mask=lower)
        return output

    seen = reference_sim.observe(kernel, [X.copy()], target="trn2")
    assert seen.stopped is None
    return [f.code for f in seen.findings if f.code.startswith("NKI5")]


@pytest.mark.parametrize(("restored", "found"), [("", ["NKI501"]), ("lower", []), ("both", []), ("whole", [])])
def test_tiles_that_share_bytes_are_followed_under_masks_that_leave_no_box(restored: str, found: list[str]) -> None:
    assert overlapping(restored) == found
