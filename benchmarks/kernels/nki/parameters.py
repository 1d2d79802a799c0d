"""Kernels whose parameters decide: a flag, a tensor that may be left out, an exponent; and places that numpy computes."""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

CASES = {
    "perhaps_doubled": [((128, 64), True), ((128, 64), False)],
    "perhaps_shifted": [((128, 64), (128, 64)), ((128, 64), None)],
    "folded": [((128, 16), 4), ((128, 1), 0)],
    "in_pieces": [((128, 512),)],
    "perhaps_in_halves": [((128, 512), True), ((128, 512), False)],
    "perhaps_summed": [((128, 256), True), ((128, 256), False)],
    "halves_of_halves": [((128, 64), 6)],
}


@nki.jit
def perhaps_doubled(x, doubled=False):
    """Twice the input where the caller asks for it."""
    rows, columns = x.shape
    assert rows == 128 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if doubled:
        other = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=other, data=tile, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=output, src=other)
    else:
        nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def perhaps_shifted(x, shift=None):
    """The input with another of its shape added, if there is one."""
    rows, columns = x.shape
    assert rows == 128 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if shift != None:
        assert shift.shape == x.shape
        other = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=other, src=shift)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def folded(x, depth: int):
    """The sum of 2**depth columns, folded in halves, in the first of them."""
    columns = 1 << depth
    assert x.shape == (128, columns) and depth <= 10
    output = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for d in range(depth):
        half = columns >> (d + 1)
        nisa.tensor_tensor(
            dst=tile[:, 0:half], data1=tile[:, 0:half], data2=tile[:, half : 2 * half], op=nl.add
        )
    nisa.dma_copy(dst=output, src=tile[:, 0:1])
    return output


@nki.jit
def in_pieces(x):
    """Copies pieces of several sizes, whose places numpy computes."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    cuts = np.cumsum(np.array([0, 128, 128, 256]))
    for k in range(3):
        size = cuts[k + 1] - cuts[k]
        tile = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, cuts[k] : cuts[k + 1]])
        nisa.dma_copy(dst=output[:, cuts[k] : cuts[k + 1]], src=tile)
    return output


@nki.jit
def perhaps_in_halves(x, halves=False):
    """A copy, in one piece or in two."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if halves:
        for h in range(2):
            half = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=half[0:128, 0:256], src=x[0:128, h * 256 : h * 256 + 256])
            nisa.dma_copy(dst=output[0:128, h * 256 : h * 256 + 256], src=half[0:128, 0:256])
    else:
        nisa.dma_copy(dst=output, src=x)
    return output


@nki.jit
def perhaps_summed(x, summed=False):
    """The products of columns among each other where the caller asks for them, and the first columns where not."""
    assert x.shape == (128, 256)
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if summed:
        sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=sums, stationary=tile[:, 0:128], moving=tile[:, 128:256])
        copied = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=copied, src=sums)
        nisa.dma_copy(dst=output, src=copied)
    else:
        nisa.dma_copy(dst=output, src=tile[:, 0:128])
    return output


@nki.jit
def halves_of_halves(x, depth: int):
    """The first half of a power of two of columns, and then the first half of that, put behind one another."""
    columns = 1 << depth
    assert x.shape == (128, columns) and depth >= 2 and depth <= 10
    output = nl.ndarray((128, (columns >> 1) + (columns >> 2)), dtype=x.dtype, buffer=nl.shared_hbm)
    half = 1 << (depth - 1)
    quarter = 1 << (depth - 2)
    nisa.dma_copy(dst=output[:, 0:half], src=x[:, 0:half])
    nisa.dma_copy(dst=output[:, half : half + quarter], src=x[:, 0:quarter])
    return output
