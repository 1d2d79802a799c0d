"""Elementwise kernels: masks for tails, whole tiles, a launch grid, a broadcast operand."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

CASES = {
    "add": [((200, 700), (200, 700)), ((128, 512), (128, 512)), ((1, 1), (1, 1))],
    "scaled_sigmoid": [((256, 300),), ((128, 64),)],
    "gated": [((256, 64), (256, 64)), ((128, 64), (128, 64))],
    "bias_relu": [((256, 96), (1, 96)), ((128, 33), (1, 33))],
    "subtract_rows[2]": [((256, 64), (256, 64))],
    "clipped_tail": [((100, 40), 3.0), ((300, 40), 1.0)],
}


@nki.jit
def add(left, right):
    """Sums of two matrices of any size."""
    assert left.shape == right.shape
    rows, columns = left.shape
    output = nl.ndarray((rows, columns), dtype=left.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(512)[None, :]
    for i in nl.affine_range(math.ceil(rows / 128)):
        for j in nl.affine_range(math.ceil(columns / 512)):
            inside = (i * 128 + p < rows) & (j * 512 + f < columns)
            x = nl.load(left[i * 128 + p, j * 512 + f], mask=inside)
            y = nl.load(right[i * 128 + p, j * 512 + f], mask=inside)
            nl.store(output[i * 128 + p, j * 512 + f], value=nl.add(x, y), mask=inside)
    return output


@nki.jit
def scaled_sigmoid(x):
    """A logistic function of whole tiles of rows."""
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 1024
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[i * 128 : (i + 1) * 128, 0:columns])
        curve = nisa.activation(nl.sigmoid, tile, scale=1.702)
        nl.store(output[i * 128 : (i + 1) * 128, 0:columns], value=nl.multiply(tile, curve))
    return output


@nki.jit
def gated(values, gates):
    """Values times a gate."""
    rows, columns = values.shape
    assert values.shape == gates.shape
    assert rows % 128 == 0 and columns <= 512
    output = nl.ndarray((rows, columns), dtype=values.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        result = nl.ndarray((nl.par_dim(128), columns), dtype=nl.float32, buffer=nl.sbuf)
        x = nl.load(values[nl.ds(i * 128, 128), 0:columns])
        y = nl.load(gates[nl.ds(i * 128, 128), 0:columns])
        result[0:128, 0:columns] = nisa.tensor_tensor(x, y, op=nl.multiply)
        nl.store(output[nl.ds(i * 128, 128), 0:columns], value=result)
    return output


@nki.jit
def bias_relu(x, bias):
    """A bias for each column, then the positive part."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 2048
    assert bias.shape == (1, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    shift = nl.load(bias[0:1, 0:columns])
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:columns])
        moved = nl.add(tile, shift.broadcast_to((128, columns)))
        nl.store(output[nl.ds(i * 128, 128), 0:columns], value=nl.relu(moved))
    return output


@nki.jit
def subtract_rows(left, right):
    """Differences; each of two programs does its half of the rows."""
    assert left.shape == (256, 64) and right.shape == (256, 64)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((256, 64), dtype=left.dtype, buffer=nl.shared_hbm)
    start = nl.program_id(0) * 128
    x = nl.load(left[nl.ds(start, 128), 0:64])
    y = nl.load(right[nl.ds(start, 128), 0:64])
    nl.store(output[nl.ds(start, 128), 0:64], value=nl.subtract(x, y))
    return output


@nki.jit
def clipped_tail(x, limit):
    """Values up to a limit, for any number of rows."""
    rows, columns = x.shape
    assert columns <= 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:columns]
    for i in nl.affine_range((rows + 127) // 128):
        tile = nl.load(x[i * 128 + p, f], mask=(i * 128 + p < rows))
        small = nl.minimum(tile, limit, mask=(i * 128 + p < rows))
        nl.store(output[i * 128 + p, f], value=small, mask=(i * 128 + p < rows))
    return output
