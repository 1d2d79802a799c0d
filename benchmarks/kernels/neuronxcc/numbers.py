"""Indices in tiles, powers of two, and tails of two axes."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

CASES = {
    "every_second_row": [((256, 64),)],
    "chosen_by_low_bits": [((64, 96), ("int32", 128, 1))],
    "rows_in_halves": [((128, 64),)],
    "sums_and_differences": [((128, 32), 5)],
    "halves_of_halves": [((128, 64), 6)],
    "halved": [((200, 700),), ((64, 40),)],
}


@nki.jit
def every_second_row(x):
    """The odd rows, by numbers that are counted out."""
    assert x.shape == (256, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i_p = nl.arange(128)[:, None]
    i_f = nl.arange(64)[None, :]
    rows = nisa.iota(2 * i_p + 1, dtype=nl.int32)
    nl.store(output[i_p, i_f], value=nl.load(x[rows[i_p, 0], i_f]))
    return output


@nki.jit
def chosen_by_low_bits(table, positions):
    """Rows of a table at the low bits of numbers."""
    assert table.shape == (64, 96) and positions.shape == (128, 1)
    output = nl.ndarray((128, 96), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p = nl.arange(128)[:, None]
    i_f = nl.arange(96)[None, :]
    chosen = nl.load(positions[0:128, 0:1])
    low = nisa.tensor_scalar(chosen, op0=nl.bitwise_and, operand0=63, dtype=nl.int32)
    nl.store(output[i_p, i_f], value=nl.load(table[low[i_p, 0], i_f]))
    return output


@nki.jit
def rows_in_halves(x):
    """The lower half of the rows in front of the upper one, written to places that a tile holds."""
    assert x.shape == (128, 64)
    output = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    i_p = nl.arange(64)[:, None]
    i_f = nl.arange(64)[None, :]
    rows = nisa.iota(i_p + 64, dtype=nl.int32)
    nl.store(output[i_p, i_f], value=nl.load(x[rows[i_p, 0], i_f]))
    return output


@nki.jit
def sums_and_differences(x, depth: int):
    """The sums of the halves of a power of two of columns, and behind them their differences."""
    assert x.shape == (128, 2**depth) and depth >= 1 and depth <= 9
    half = 2 ** (depth - 1)
    output = nl.ndarray((128, 2**depth), dtype=x.dtype, buffer=nl.shared_hbm)
    left = nl.load(x[0:128, nl.ds(0, half)])
    right = nl.load(x[0:128, nl.ds(half, half)])
    nl.store(output[0:128, nl.ds(0, half)], value=nl.add(left, right))
    nl.store(output[0:128, nl.ds(half, half)], value=nl.subtract(left, right))
    return output


@nki.jit
def halves_of_halves(x, depth: int):
    """The first half of a power of two of columns, and then the first half of that, put behind one another."""
    columns = 1 << depth
    assert x.shape == (128, columns) and depth >= 2 and depth <= 10
    output = nl.ndarray((128, (columns >> 1) + (columns >> 2)), dtype=x.dtype, buffer=nl.shared_hbm)
    half = 1 << (depth - 1)
    quarter = 1 << (depth - 2)
    nl.store(output[0:128, 0:half], value=nl.load(x[0:128, 0:half]))
    nl.store(output[0:128, half : half + quarter], value=nl.load(x[0:128, 0:quarter]))
    return output


@nki.jit
def halved(x):
    """Half of each value of a matrix of any size."""
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    for i in nl.affine_range(math.ceil(rows / 128)):
        for j in nl.affine_range(math.ceil(columns / 512)):
            inside = (i * 128 + p < rows) & (j * 512 + f < columns)
            tile = nl.load(x[i * 128 + p, j * 512 + f], mask=inside)
            nl.store(output[i * 128 + p, j * 512 + f], value=nl.multiply(tile, 0.5, mask=inside), mask=inside)
    return output
