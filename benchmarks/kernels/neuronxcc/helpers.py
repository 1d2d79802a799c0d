"""Kernels of several functions: helpers, objects that hold sizes, sizes that callers hand over, places from numpy."""

from dataclasses import dataclass

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np

CASES = {
    "first_columns": [((128, 512), 100), ((128, 512), 1)],
    "in_tiles_of": [((256, 64), 64), ((300, 64), 100)],
    "piece": [((128, 512), 100, 50)],
    "repeated": [((128, 64), 3), ((64, 8), 1)],
    "tiled_copy": [((256, 512),)],
    "shifted_rows": [((256, 64), (1, 64))],
    "in_pieces": [((128, 512),)],
    "cut_columns": [((128, 600),)],
}


@dataclass
class Tiling:
    """Rows and columns of a tile."""

    rows: int
    columns: int


def loaded(source, start, rows, columns):
    """Some rows of an HBM tensor in SBUF."""
    return nl.load(source[nl.ds(start, rows), 0:columns])


def stored(target, tile, start, rows, columns):
    """A tile written to some rows of an HBM tensor."""
    nl.store(target[nl.ds(start, rows), 0:columns], value=tile)


@nki.jit
def first_columns(x, count: int):
    """As many columns as the caller wants."""
    assert x.shape == (128, 512)
    assert count >= 1 and count <= 512
    output = nl.ndarray((128, count), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:count])
    nl.store(output[0:128, 0:count], value=nl.relu(tile))
    return output


@nki.jit
def in_tiles_of(x, size: int):
    """A copy in tiles of as many rows as the caller wants."""
    rows, columns = x.shape
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // size):
        tile = loaded(x, i * size, size, columns)
        stored(output, tile, i * size, size, columns)
    return output


@nki.jit
def piece(x, start: int, size: int):
    """Some columns, from one on."""
    assert x.shape == (128, 512)
    assert start >= 0 and size >= 1 and start + size <= 512
    output = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output[0:128, 0:size], value=nl.load(x[0:128, nl.ds(start, size)]))
    return output


@nki.jit
def repeated(x, times: int):
    """The columns again and again."""
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512 and times >= 1 and times <= 4
    output = nl.ndarray((rows, times * columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, 0, rows, columns)
    for t in nl.affine_range(times):
        nl.store(output[0:rows, nl.ds(t * columns, columns)], value=tile)
    return output


@nki.jit
def tiled_copy(x):
    """A copy in tiles whose sizes an object holds."""
    tiling = Tiling(128, 256)
    rows, columns = x.shape
    assert rows % 128 == 0 and columns % 256 == 0
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // tiling.rows):
        for j in nl.affine_range(columns // tiling.columns):
            tile = nl.load(x[nl.ds(i * 128, tiling.rows), nl.ds(j * 256, tiling.columns)])
            nl.store(output[nl.ds(i * 128, tiling.rows), nl.ds(j * 256, tiling.columns)], value=tile)
    return output


@nki.jit
def shifted_rows(x, shift):
    """Each row with the same row added."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512 and shift.shape == (1, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    other = loaded(shift, 0, 1, columns)
    for i in nl.affine_range(rows // 128):
        tile = loaded(x, i * 128, 128, columns)
        moved = nl.add(tile, other.broadcast_to((128, columns)))
        stored(output, moved, i * 128, 128, columns)
    return output


@nki.jit
def in_pieces(x):
    """Copies pieces of several sizes, whose places numpy computes."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    cuts = np.cumsum(np.array([0, 128, 128, 256]))
    for k in range(3):
        size = cuts[k + 1] - cuts[k]
        tile = nl.load(x[0:128, nl.ds(cuts[k], size)])
        nl.store(output[0:128, nl.ds(cuts[k], size)], value=tile)
    return output


@nki.jit
def cut_columns(x):
    """The columns that numpy's numbers begin, five times as many for each."""
    assert x.shape == (128, 600)
    output = nl.ndarray((128, 600), dtype=x.dtype, buffer=nl.shared_hbm)
    starts = np.arange(0, 600, 120)
    for k in nl.static_range(5):
        nl.store(output[0:128, nl.ds(starts[k], 120)], value=nl.load(x[0:128, nl.ds(starts[k], 120)]))
    return output
