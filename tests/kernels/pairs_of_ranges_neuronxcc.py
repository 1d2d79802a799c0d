"""Loops over pairs of ranges that stay at one part of an input, or move by less (NKI709), in Beta 1."""

import itertools

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def rows_left_out(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        tile = nl.load(x[0:128, nl.ds(j * 128, 128)])  # expect-warning: NKI709 rows == 128
        nl.store(out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], value=tile)
    return out


@nki.jit
def first_plane_of_each_row(x):
    outer, inner, rows, columns = x.shape
    assert rows == 128 and columns <= 2048
    out = nl.ndarray((outer, inner, 128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for r, s in itertools.product(range(outer), range(inner)):
        nl.store(out[r, s], value=nl.load(x[r, 0]))  # expect-warning: NKI709 inner == 1
    return out


@nki.jit
def by_single_rows(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        tile = nl.load(x[nl.ds(i, 128), nl.ds(j * 128, 128)])  # expect-warning: NKI709 rows == 128
        nl.store(out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], value=tile)
    return out


@nki.jit
def all_pairs(x):
    outer, inner, rows, columns = x.shape
    assert rows == 128 and columns <= 2048
    out = nl.ndarray((outer, inner, 128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for r, s in itertools.product(range(outer), range(inner)):
        nl.store(out[r, s], value=nl.load(x[r, s]))
    return out
