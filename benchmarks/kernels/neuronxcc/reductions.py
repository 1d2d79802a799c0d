"""Reductions along the free dimension, across partitions, and over tiles that are summed up."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

CASES = {
    "row_sums": [((200, 48),), ((128, 512),)],
    "row_maxima": [((256, 96),)],
    "column_sums": [((384, 200),), ((128, 512),)],
    "total_of_tiles": [((128, 1024),), ((128, 512),)],
    "largest_of_rows": [((256, 40),)],
}


@nki.jit
def row_sums(x):
    """The sum of each row, for any number of rows."""
    rows, columns = x.shape
    assert columns <= 2048
    output = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(columns)[None, :]
    c = nl.arange(1)[None, :]
    for i in nl.affine_range(math.ceil(rows / 128)):
        tile = nl.load(x[i * 128 + p, f], mask=(i * 128 + p < rows))
        total = nl.sum(tile, axis=1, keepdims=True, mask=(i * 128 + p < rows))
        nl.store(output[i * 128 + p, c], value=total, mask=(i * 128 + p < rows))
    return output


@nki.jit
def row_maxima(x):
    """The largest value of each row, in one instruction."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 4096
    output = nl.ndarray((rows, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[i * 128 : (i + 1) * 128, 0:columns])
        largest = nisa.tensor_reduce(nl.max, tile, axis=(1,), keepdims=True)
        nl.store(output[i * 128 : (i + 1) * 128, 0:1], value=largest)
    return output


@nki.jit
def column_sums(x):
    """The sum of each column, as a product with ones that accumulates in PSUM."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    output = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    ones = nl.ones((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    total = nl.zeros((1, columns), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:columns])
        total += nisa.nc_matmul(ones, tile)
    nl.store(output[0:1, 0:columns], value=nl.copy(total))
    return output


@nki.jit
def total_of_tiles(x):
    """Row sums of a wide matrix, tile by tile."""
    rows, columns = x.shape
    assert rows == 128 and columns % 256 == 0
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((nl.par_dim(128), 1), dtype=nl.float32, buffer=nl.sbuf)
    for j in nl.sequential_range(columns // 256):
        tile = nl.load(x[0:128, nl.ds(j * 256, 256)])
        total[0:128, 0:1] = nl.add(total[0:128, 0:1], nl.sum(tile, axis=1, keepdims=True))
    nl.store(output[0:128, 0:1], value=total)
    return output


@nki.jit
def largest_of_rows(x):
    """The eight largest values of each row, in order."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns >= 8 and columns <= 2048
    output = nl.ndarray((rows, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:columns])
        nl.store(output[nl.ds(i * 128, 128), 0:8], value=nisa.max8(src=tile))
    return output
