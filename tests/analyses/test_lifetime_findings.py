"""What findings about lifetimes say: three accesses with their iterations, the allocations, a repair that works."""

from __future__ import annotations

import re

import pytest

from nkilint.base.findings import Diagnostic, Report

from ..support.checking import report_on

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


"""

EIGHT_IN_TWO = """\
@nki.jit
def kernel(x):
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.float32,
                       buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
    for i in nl.affine_range(8):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(8):
        nl.store(output[i], value=tiles[i])
    return output
"""

THREE_AT_ONCE = """\
@nki.jit
def kernel(x):
    assert x.shape == (12, 128, 512)
    output = nl.ndarray((12, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((12, nl.par_dim(128), 512), dtype=nl.float32,
                       buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
    rest = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4096))
    for i in nl.affine_range(4):
        for j in nl.affine_range(3):
            tiles[3 * i + j] = nl.load(x[3 * i + j])
        for j in nl.affine_range(3):
            rest[...] = nl.copy(tiles[3 * i + j])
            nl.store(output[3 * i + j], value=rest)
    return output
"""

HALF_OVERLAP = """\
@nki.jit
def kernel(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    first = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    second = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1024))
    third = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4096))
    first[...] = nl.load(x)
    second[...] = nl.multiply(first, 2.0)
    third[...] = nl.add(first, second)
    nl.store(output, value=third)
    return output
"""

SUMS = """\
@nki.jit
def kernel(x):
    assert x.shape == (2, 128, 128)
    output = nl.ndarray((2, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((2, nl.par_dim(128), 128), dtype=nl.float32,
                       buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
    sums = nl.ndarray((2, nl.par_dim(128), 128), dtype=nl.float32,
                      buffer=ncc.psum.mod_alloc(base_bank=0, num_bank_tiles=(1,)))
    for k in nl.affine_range(2):
        tiles[k] = nl.load(x[k])
    for k in nl.affine_range(2):
        for m in nl.affine_range(2):
            sums[m] += nisa.nc_matmul(tiles[k], tiles[k])
    for m in nl.affine_range(2):
        tiles[m] = nl.copy(sums[m])
        nl.store(output[m], value=tiles[m])
    return output
"""


def found(source: str) -> Diagnostic:
    report = lifetimes(source)
    assert len(report.diagnostics) == 1, report.diagnostics
    return report.diagnostics[0]


def lifetimes(source: str) -> Report:
    return report_on(HEAD + source, select=("NKI4", "NKI5"))


def told(d: Diagnostic, source: str) -> list[tuple[str, str]]:
    """The related places: what is said, and the line it stands at."""
    lines = (HEAD + source).splitlines()
    return [(r.message, lines[r.at.row - 1].strip()) for r in d.related]


def test_the_three_accesses_and_the_allocation_are_told() -> None:
    d = found(EIGHT_IN_TWO)
    assert d.message == (
        "`tiles[0]` is overwritten by `tiles[2]` before this read; both have bytes 0 to 2047 of partitions 0 to 127"
    )
    assert told(d, EIGHT_IN_TWO) == [
        ("`tiles[2]` overwrites it here, at i=2", "tiles[i] = nl.load(x[i])"),
        ("`tiles[0]` is written here first, at i=0", "tiles[i] = nl.load(x[i])"),
        (
            "`tiles` is allocated here: partitions 0 to 127, bytes 0 to 2047",
            "tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.float32,",
        ),
    ]
    assert d.witness is not None
    assert (dict(d.witness.loops), d.witness.element) == ({"i": 0}, (0, 0, 0))


def test_both_allocations_of_an_overlap_are_told() -> None:
    d = found(HALF_OVERLAP)
    assert d.message == (
        "`first` is overwritten through `second` before this read; both have bytes 1024 to 2047 of partitions 0 to 127"
    )
    assert [message for message, _ in told(d, HALF_OVERLAP)] == [
        "`second` overwrites it here",
        "`first` is written here first",
        "`first` is allocated here: partitions 0 to 127, bytes 0 to 2047",
        "`second` is allocated here: partitions 0 to 127, bytes 1024 to 3071",
    ]


@pytest.mark.parametrize(
    ("source", "help", "old", "new"),
    [
        (EIGHT_IN_TWO, "`num_free_tiles=(8,)` for `tiles` suffices", "(2,)", "(8,)"),
        (
            THREE_AT_ONCE,
            "`num_free_tiles=(3,)` for `tiles` suffices from `base_addr=6144` on",
            "base_addr=0, num_free_tiles=(2,)",
            "base_addr=6144, num_free_tiles=(3,)",
        ),
        (HALF_OVERLAP, "`base_addr=2048` is free for `second`", "base_addr=1024", "base_addr=2048"),
        (SUMS, "`num_bank_tiles=(2,)` for `sums` suffices", "num_bank_tiles=(1,)", "num_bank_tiles=(2,)"),
    ],
    ids=["more tiles", "more tiles elsewhere", "a free address", "more banks"],
)
def test_the_repair_that_is_named_repairs(source: str, help: str, old: str, new: str) -> None:
    assert found(source).help == help
    repaired = source.replace(old, new)
    assert repaired != source
    assert lifetimes(repaired).diagnostics == ()


def test_a_number_of_places_that_is_smaller_does_not_do() -> None:
    for count in (2, 3, 5, 7):
        assert found(EIGHT_IN_TWO.replace("num_free_tiles=(2,)", f"num_free_tiles=({count},)")).code == "NKI502"


def test_a_callable_is_told_where_memory_is_free() -> None:
    source = re.sub(r"mod_alloc\(base_addr=1024\)", "alloc(lambda idx, pdim_size, fdim_size: (0, 1024))", HALF_OVERLAP)
    assert found(source).help == "memory is free for `second` from byte 2048 on"
