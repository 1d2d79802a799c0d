"""Elementwise kernels: shorter last tiles, whole tiles, two cores, a column of factors."""

import nki
import nki.isa as nisa
import nki.language as nl

CASES = {
    "add": [((200, 300), (200, 300)), ((128, 64), (128, 64)), ((1, 1), (1, 1))],
    "scaled_gelu": [((256, 96),)],
    "gated": [((256, 64), (256, 64))],
    "scaled_rows": [((256, 80), (256, 1)), ((128, 16), (128, 1))],
    "negate_half[2]": [((256, 64),)],
    "clipped_tail": [((300, 40),), ((100, 40),)],
}


@nki.jit
def add(left, right):
    """Sums of two matrices with any number of rows."""
    assert left.shape == right.shape
    rows, columns = left.shape
    assert columns <= 2048
    output = nl.ndarray((rows, columns), dtype=left.dtype, buffer=nl.shared_hbm)
    for start in range(0, rows, 128):
        size = min(128, rows - start)
        x = nl.ndarray((128, columns), dtype=left.dtype, buffer=nl.sbuf)
        y = nl.ndarray((128, columns), dtype=left.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=x[0:size, :], src=left[start : start + size, :])
        nisa.dma_copy(dst=y[0:size, :], src=right[start : start + size, :])
        nisa.tensor_tensor(dst=x[0:size, :], data1=x[0:size, :], data2=y[0:size, :], op=nl.add)
        nisa.dma_copy(dst=output[start : start + size, :], src=x[0:size, :])
    return output


@nki.jit
def scaled_gelu(x):
    """An activation of whole tiles of rows."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.activation(dst=tile, op=nl.gelu, data=tile, scale=0.5)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def gated(values, gates):
    """Values times a logistic function of the gates."""
    rows, columns = values.shape
    assert values.shape == gates.shape and rows % 128 == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=values.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        x = nl.ndarray((128, columns), dtype=values.dtype, buffer=nl.sbuf)
        y = nl.ndarray((128, columns), dtype=gates.dtype, buffer=nl.sbuf)
        z = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=x, src=values[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=y, src=gates[i * 128 : (i + 1) * 128, :])
        nisa.activation(dst=z, op=nl.sigmoid, data=y)
        nisa.tensor_tensor(dst=x, data1=x, data2=z, op=nl.multiply)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=x)
    return output


@nki.jit
def scaled_rows(x, factors):
    """Each row times a factor of its own."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 2048
    assert factors.shape == (rows, 1)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        factor = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=factor, src=factors[i * 128 : (i + 1) * 128, :])
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=factor)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def negate_half(x):
    """Each of two cores changes the sign of its half of the rows."""
    assert x.shape == (256, 64)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    start = nl.program_id(0) * 128
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[start : start + 128, :])
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=-1.0)
    nisa.dma_copy(dst=output[start : start + 128, :], src=tile)
    return output


@nki.jit
def clipped_tail(x):
    """Values up to one, for any number of rows, counted in tiles."""
    rows, columns = x.shape
    assert columns <= 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((rows + 127) // 128):
        first = i * 128
        last = min(first + 128, rows)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0 : last - first, :], src=x[first:last, :])
        nisa.tensor_scalar(dst=tile[0 : last - first, :], data=tile[0 : last - first, :], op0=nl.minimum, operand0=1.0)
        nisa.dma_copy(dst=output[first:last, :], src=tile[0 : last - first, :])
    return output
