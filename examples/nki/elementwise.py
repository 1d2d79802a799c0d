"""Elementwise kernels: every operation writes to its `dst`, and the last tile is a shorter slice."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def add(left, right):
    """Adds two matrices of any number of rows, up to 2048 columns wide."""
    assert left.shape == right.shape
    rows, columns = left.shape
    assert columns <= 2048
    output = nl.ndarray((rows, columns), dtype=left.dtype, buffer=nl.shared_hbm)
    for start in range(0, rows, nl.tile_size.pmax):
        size = min(nl.tile_size.pmax, rows - start)
        x = nl.ndarray((nl.tile_size.pmax, columns), dtype=left.dtype, buffer=nl.sbuf)
        y = nl.ndarray((nl.tile_size.pmax, columns), dtype=left.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=x[0:size, :], src=left[start : start + size, :])
        nisa.dma_copy(dst=y[0:size, :], src=right[start : start + size, :])
        nisa.tensor_tensor(dst=x[0:size, :], data1=x[0:size, :], data2=y[0:size, :], op=nl.add)
        nisa.dma_copy(dst=output[start : start + size, :], src=x[0:size, :])
    return output


@nki.jit
def scaled_gelu(x, factor=0.5):
    """Applies gelu to scaled values; rows have to come in whole tiles."""
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.activation(dst=tile, op=nl.gelu, data=tile, scale=factor)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output
