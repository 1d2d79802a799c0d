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
def folded(x, depth):
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
