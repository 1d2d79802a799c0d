"""Reductions and normalisations."""

import nki
import nki.isa as nisa
import nki.language as nl

CASES = {
    "row_sums": [((200, 48),), ((128, 100),)],
    "row_maxima": [((256, 96),)],
    "column_sums": [((256, 200),), ((128, 64),)],
    "softmax": [((256, 64),), ((128, 100),)],
    "rms_norm": [((256, 64), (1, 64)), ((128, 32), (1, 32))],
    "layer_norm": [((256, 96),)],
    "largest_of_rows": [((256, 40),)],
}


@nki.jit
def row_sums(x):
    """The sum of each row, for any number of rows."""
    rows, columns = x.shape
    assert columns <= 2048
    output = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for start in range(0, rows, 128):
        size = min(128, rows - start)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:size, :], src=x[start : start + size, :])
        nisa.tensor_reduce(dst=total[0:size, :], op=nl.add, data=tile[0:size, :], axis=1)
        nisa.dma_copy(dst=output[start : start + size, :], src=total[0:size, :])
    return output


@nki.jit
def row_maxima(x):
    """The largest value of each row."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 2048
    output = nl.ndarray((rows, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        largest = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.tensor_reduce(dst=largest, op=nl.maximum, data=tile, axis=1)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=largest)
    return output


@nki.jit
def column_sums(x):
    """The sum of each column, as a product with ones."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    output = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    ones = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)
    total = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.psum)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.nc_matmul(dst=total, stationary=ones, moving=tile)
    result = nl.ndarray((1, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def softmax(scores):
    """Softmax of each row."""
    rows, columns = scores.shape
    assert rows % 128 == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=scores.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=scores[i * 128 : (i + 1) * 128, :])
        lowest = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=lowest, op=nl.maximum, data=tile, axis=1, negate=True)
        powers = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=powers, op=nl.exp, data=tile, bias=lowest)
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=total, op=nl.add, data=powers, axis=1)
        nisa.reciprocal(dst=total, data=total)
        result = nl.ndarray((128, columns), dtype=scores.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=result, data=powers, op0=nl.multiply, operand0=total)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=result)
    return output


@nki.jit
def rms_norm(x, weight):
    """Each row divided by its root mean square, columns scaled."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    assert weight.shape == (1, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    scale = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
    for p in range(128):
        nisa.dma_copy(dst=scale[p : p + 1, :], src=weight)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        squares = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=squares, data1=tile, data2=tile, op=nl.multiply)
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=total, op=nl.add, data=squares, axis=1)
        nisa.activation(dst=total, op=nl.rsqrt, data=total, scale=1.0 / columns)
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=total)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=scale, op=nl.multiply)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def layer_norm(x):
    """Each row with mean 0 and variance 1."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        stats = nl.ndarray((128, 6), dtype=nl.float32, buffer=nl.sbuf)
        nisa.bn_stats(dst=stats, data=tile)
        moments = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.sbuf)
        nisa.bn_aggr(dst=moments, data=stats)
        root = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=root, op=nl.rsqrt, data=moments[:, 1:2])
        nisa.tensor_scalar(
            dst=tile, data=tile, op0=nl.subtract, operand0=moments[:, 0:1], op1=nl.multiply, operand1=root
        )
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def largest_of_rows(x):
    """The eight largest values of each row."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns >= 8 and columns <= 2048
    output = nl.ndarray((rows, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        best = nl.ndarray((128, 8), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.max8(dst=best, src=tile)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=best)
    return output
