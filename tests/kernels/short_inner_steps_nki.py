"""Loops inside others, and loops of a few iterations, that move by less than a part (NKI709)."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def by_rows_inside_a_block(x):
    rows, columns = x.shape
    assert rows % 512 == 0 and columns == 64
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(rows // 512):
        for k in range(4):
            tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds(block * 512 + k, 128), :])  # expect: NKI709
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def by_half_tiles_inside_a_block(x):
    rows, columns = x.shape
    assert rows % 1024 == 0 and columns == 64
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(rows // 1024):
        for k in range(8):
            tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds(block * 1024 + k * 64, 128), :])  # expect: NKI709
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def by_rows_in_a_few_iterations(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for k in range(4):
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k : k + 128, :])  # expect: NKI709
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def by_columns_in_a_few_iterations(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for k in range(2):
        tile = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(k, 256)])  # expect: NKI709
        nisa.dma_copy(dst=output[:, nl.ds(k * 256, 256)], src=tile)
    return output


@nki.jit
def by_half_tiles_in_a_few_iterations(x, weights):
    assert x.shape == (512, 128) and weights.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    for k in range(4):
        one = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
        other = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=one, src=x[k * 128 : (k + 1) * 128, :])
        nisa.dma_copy(dst=other, src=weights[k * 64 : k * 64 + 128, :])  # expect: NKI709
        nisa.nc_matmul(dst=total, stationary=one, moving=other)
    result = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def taps_of_each_tile(x):
    """Three windows for each tile of columns."""
    rows, columns = x.shape
    assert rows == 128 and columns >= 130
    tiles = (columns - 2) // 128
    output = nl.ndarray((128, tiles * 128), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(tiles):
        total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=total, value=0.0)
        for tap in range(3):
            tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[:, nl.ds(i * 128 + tap, 128)])
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
        nisa.dma_copy(dst=output[:, nl.ds(i * 128, 128)], src=total)
    return output


@nki.jit
def taps_of_one_tile(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for tap in range(3):
        tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(tap, 128)])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def places_of_any_distance(x):
    """Parts that a table places, one upon another."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(4):
        tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds((0, 64, 256, 300)[i], 128)])
        nisa.dma_copy(dst=output[:, nl.ds(i * 128, 128)], src=tile)
    return output


@nki.jit
def tiles_of_each_block(x):
    rows, columns = x.shape
    assert rows % 512 == 0 and columns == 64
    output = nl.ndarray((rows, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for block in range(rows // 512):
        for k in range(4):
            tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds(block * 512 + k * 128, 128), :])
            nisa.dma_copy(dst=output[nl.ds(block * 512 + k * 128, 128), :], src=tile)
    return output


@nki.jit
def windows_over_all(x):
    """Windows that overlap and come to the end."""
    assert x.shape == (128, 320)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(4):
        tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(i * 64, 128)])
        nisa.dma_copy(dst=output[:, nl.ds(i * 128, 128)], src=tile)
    return output
