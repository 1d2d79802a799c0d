"""Inputs that are read in part (NKI709): the tail of a contraction or a reduction, and parts that nobody needs."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def tail_of_a_contraction(left, right):
    depth, rows = left.shape
    assert right.shape == (depth, 512) and rows == 128
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(depth // 128):
        stationary = nl.load(left[nl.ds(k * 128, 128), 0:128])  # expect-warning: NKI709 depth % 128 == 0
        moving = nl.load(right[nl.ds(k * 128, 128), 0:512])
        total += nisa.nc_matmul(stationary, moving)
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def whole_contraction(left, right):
    depth, rows = left.shape
    assert right.shape == (depth, 512) and rows == 128
    assert depth % 128 == 0
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(depth // 128):
        stationary = nl.load(left[nl.ds(k * 128, 128), 0:128])
        moving = nl.load(right[nl.ds(k * 128, 128), 0:512])
        total += nisa.nc_matmul(stationary, moving)
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def masked_reduction(x):
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    p, j = nl.mgrid[0:128, 0:512]
    for i in nl.sequential_range(math.ceil(rows / 128)):
        tile = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        tile[p, j] = nl.load(x[i * 128 + p, j], mask=i * 128 + p < rows)
        total[...] = nl.add(total, tile)
    nl.store(output, value=total)
    return output


@nki.jit
def first_rows_only(x):
    rows, columns = x.shape
    assert rows >= 128 and columns == 512
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x[0:128, 0:512]))
    return output


@nki.jit
def every_other_row(x):
    rows, columns = x.shape
    assert rows == 256 and columns == 512
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    p, j = nl.mgrid[0:128, 0:512]
    nl.store(output[p, j], value=nl.load(x[2 * p, j]))
    return output


@nki.jit
def output_says_it(x):
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.load(x[nl.ds(i * 128, 128), 0:512]))
    return output  # expect-warning: NKI703 rows % 128 == 0
