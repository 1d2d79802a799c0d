"""Loops of a fixed number of iterations, as many as an input of a fixed size has parts, that read the same one (NKI709)."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, begin, count=128):
    tile = nl.ndarray((128, source.shape[1]), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:count], src=source[begin : begin + count, :])
    return tile


@nki.jit
def first_tile_summed(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for i in range(4):
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0:128, :])  # expect: NKI709
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def first_of_many_tiles_summed(x):
    assert x.shape == (4096, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for i in range(32):
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[128:256, :])  # expect: NKI709
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def first_tile_everywhere(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(4):
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0:128, :])  # expect: NKI709
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def first_tile_of_each_block(x):
    rows, columns = x.shape
    assert rows % 512 == 0 and columns == 64
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(rows // 512):
        for k in range(4):
            tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds(block * 512, 128), :])  # expect: NKI709
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def first_columns_of_each_plane(x):
    planes, rows, columns = x.shape
    assert rows == 128 and columns == 256
    output = nl.ndarray((planes, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for b in range(planes):
        total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(dst=total, value=0.0)
        for k in range(4):
            tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[b, :, 0:64])  # expect: NKI709
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.maximum)
        nisa.dma_copy(dst=output[b], src=total)
    return output


@nki.jit
def products_with_the_first_tile(x, weights):
    assert x.shape == (128, 512) and weights.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    held = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=held, src=x)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    for k in range(4):
        tile = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=weights[0:128, :])  # expect: NKI709
        nisa.nc_matmul(dst=total, stationary=held[:, k * 128 : (k + 1) * 128], moving=tile)
    result = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def another_input_goes_on(x, weights):
    """The weights may be a table."""
    assert x.shape == (512, 64) and weights.shape == (512, 1)
    output = nl.ndarray((512, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(4):
        tile, factor = loaded(x, i * 128), loaded(weights, 0)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=factor)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def a_tile_on_chip_goes_on(x, table):
    """What is read before goes by in parts."""
    assert x.shape == (128, 256) and table.shape == (512, 64)
    output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    held = loaded(x, 0)
    for i in range(4):
        row = loaded(table, 0)
        part = held[:, i * 64 : (i + 1) * 64]
        nisa.tensor_tensor(dst=row, data1=row, data2=part, op=nl.add)
        nisa.dma_copy(dst=output[:, i * 64 : (i + 1) * 64], src=row)
    return output


@nki.jit
def fewer_iterations_than_parts(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((384, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(3):
        tile = loaded(x, 0)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def one_plane_of_a_few(x):
    """The planes of an input are chosen one by one."""
    assert x.shape == (4, 128, 64)
    output = nl.ndarray((4, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(4):
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0])
        nisa.dma_copy(dst=output[i], src=tile)
    return output


@nki.jit
def state_of_the_first_iteration(x):
    """Only the first iteration reads, which tells nothing of the others."""
    assert x.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(4):
        if i == 0:
            nisa.dma_copy(dst=total, src=x[0:128, :])
        nisa.tensor_scalar(dst=total, data=total, op0=nl.multiply, operand0=2.0)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=total)
    return output


@nki.jit
def first_tile_and_then_the_others(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    first = loaded(x, 0)
    for i in range(4):
        tile = loaded(x, i * 128)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=first, op=nl.subtract)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def all_of_a_smaller_one(x):
    """Each iteration reads all there is."""
    assert x.shape == (128, 64)
    output = nl.ndarray((512, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(4):
        tile = loaded(x, 0)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def some_columns_twice_that_do_not_divide_all(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 50), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 50), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for _ in range(2):
        tile = nl.ndarray((128, 50), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0:128, 0:50])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=out, src=total)
    return out
