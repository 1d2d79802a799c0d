"""Kernels of several functions: helpers, objects that hold sizes, and sizes that callers hand over."""

from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl

CASES = {
    "first_columns": [((128, 512), 100), ((128, 512), 1)],
    "in_tiles_of": [((256, 64), 64), ((300, 64), 100)],
    "piece": [((128, 512), 100, 50)],
    "repeated": [((128, 64), 3), ((64, 8), 1)],
    "tiled_copy": [((256, 512),)],
    "shifted_rows": [((200, 64), (1, 64))],
    "gram": [((128, 256),)],
    "sums_of_squares": [((256, 64),)],
}


@dataclass
class Tiling:
    """Rows and columns of a tile."""

    rows: int
    columns: int


def loaded(source, start, rows, columns):
    """Some rows of an HBM tensor in SBUF."""
    tile = nl.ndarray((rows, columns), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[start : start + rows, 0:columns])
    return tile


def stored(target, tile, start, rows, columns):
    """A tile written to some rows of an HBM tensor."""
    nisa.dma_copy(dst=target[start : start + rows, 0:columns], src=tile)


def turned(tile, dtype):
    """A square tile turned over."""
    other = nl.ndarray((128, 128), dtype=dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=other, data=tile)
    result = nl.ndarray((128, 128), dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=other)
    return result


@nki.jit
def first_columns(x, count: int):
    """As many columns as the caller wants."""
    assert x.shape == (128, 512)
    assert count >= 1 and count <= 512
    output = nl.ndarray((128, count), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, count), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, 0:count])
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.maximum, operand0=0.0)
    nisa.dma_copy(dst=output, src=tile[:, 0:count])
    return output


@nki.jit
def in_tiles_of(x, size: int):
    """A copy in tiles of as many rows as the caller wants."""
    rows, columns = x.shape
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // size):
        tile = loaded(x, i * size, size, columns)
        stored(output, tile, i * size, size, columns)
    return output


@nki.jit
def piece(x, start: int, size: int):
    """Some columns, from one on."""
    assert x.shape == (128, 512)
    assert start >= 0 and size >= 1 and start + size <= 512
    output = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, nl.ds(start, size)])
    nisa.dma_copy(dst=output[:, nl.ds(0, size)], src=tile)
    return output


@nki.jit
def repeated(x, times: int):
    """The columns again and again."""
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512 and times >= 1 and times <= 4
    output = nl.ndarray((rows, times * columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, 0, rows, columns)
    for t in range(times):
        nisa.dma_copy(dst=output[:, nl.ds(t * columns, columns)], src=tile)
    return output


@nki.jit
def tiled_copy(x):
    """A copy in tiles whose sizes an object holds."""
    tiling = Tiling(128, 256)
    rows, columns = x.shape
    assert rows % 128 == 0 and columns % 256 == 0
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // tiling.rows):
        for j in range(columns // tiling.columns):
            tile = nl.ndarray((tiling.rows, tiling.columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), nl.ds(j * 256, 256)])
            nisa.dma_copy(dst=output[nl.ds(i * 128, 128), nl.ds(j * 256, 256)], src=tile)
    return output


@nki.jit
def shifted_rows(x, shift):
    """Each row with the same row added, for any number of rows."""
    rows, columns = x.shape
    assert columns <= 512 and shift.shape == (1, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start in range(0, rows, 128):
        size = min(128, rows - start)
        tile = loaded(x, start, size, columns)
        other = nl.ndarray((size, columns), dtype=x.dtype, buffer=nl.sbuf)
        for p in range(size):
            nisa.dma_copy(dst=other[p : p + 1, :], src=shift)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
        stored(output, tile, start, size, columns)
    return output


@nki.jit
def gram(x):
    """The products of the rows among each other, over two squares of columns."""
    assert x.shape == (128, 256)
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = loaded(x, 0, 128, 256)
    total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for k in range(2):
        square = turned(tile[:, k * 128 : (k + 1) * 128], x.dtype)
        nisa.nc_matmul(dst=total, stationary=square, moving=square)
    result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total)
    stored(output, result, 0, 128, 128)
    return output


@nki.jit
def sums_of_squares(x):
    """The sum of the squares of each row, in one instruction for each tile."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 2048
    output = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = loaded(x, i * 128, 128, columns)
        squares = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation_reduce(dst=squares, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total)
        stored(output, total, i * 128, 128, 1)
    return output
