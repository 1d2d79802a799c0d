"""Loops over what generators and `itertools` give: places of tiles, pairs of numbers, and blocks of several tiles."""

import itertools

import nki
import nki.isa as nisa
import nki.language as nl

CASES = {
    "each_tile": [((300, 64),), ((128, 64),)],
    "squares_of_tiles": [((200, 40), (200, 40))],
    "tiles_walked": [((300, 64), (300, 1))],
    "each_pair": [((3, 4, 128, 64),)],
    "squares_of_pairs": [((256, 384), (256, 384))],
    "sums_of_blocks": [((1024, 64),), ((512, 64),)],
    "products_of_blocks": [((1024, 128), (1024, 512))],
    "weighted_sums_of_blocks": [((512, 64), (512, 1))],
}


def tiles(n, size=128):
    """Where each tile begins, and how long it is."""
    for start in range(0, n, size):
        yield start, min(size, n - start)


def walked(n, size=128):
    """The same, counted on."""
    start = 0
    while start < n:
        yield start, min(size, n - start)
        start += size


@nki.jit
def each_tile(x):
    """A copy of any number of rows."""
    rows, columns = x.shape
    assert columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(rows):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:size, :], src=x[start : start + size, :])
        nisa.dma_copy(dst=output[start : start + size, :], src=tile[0:size, :])
    return output


@nki.jit
def squares_of_tiles(left, right):
    """Products of two matrices, element by element, in tiles of 64 rows."""
    rows, columns = left.shape
    assert right.shape == (rows, columns) and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=left.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(rows, 64):
        x = nl.ndarray((64, columns), dtype=left.dtype, buffer=nl.sbuf)
        y = nl.ndarray((64, columns), dtype=right.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=x[0:size, :], src=left[start : start + size, :])
        nisa.dma_copy(dst=y[0:size, :], src=right[start : start + size, :])
        nisa.tensor_tensor(dst=x[0:size, :], data1=x[0:size, :], data2=y[0:size, :], op=nl.multiply)
        nisa.dma_copy(dst=output[start : start + size, :], src=x[0:size, :])
    return output


@nki.jit
def tiles_walked(x, factors):
    """Each row times a factor of its own, for any number of rows."""
    rows, columns = x.shape
    assert factors.shape == (rows, 1) and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in walked(rows):
        tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        factor = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:size, :], src=x[start : start + size, :])
        nisa.dma_copy(dst=factor[0:size, :], src=factors[start : start + size, :])
        nisa.tensor_scalar(dst=tile[0:size, :], data=tile[0:size, :], op0=nl.multiply, operand0=factor[0:size, :])
        nisa.dma_copy(dst=output[start : start + size, :], src=tile[0:size, :])
    return output


@nki.jit
def each_pair(x):
    """A copy, plane by plane of two dimensions."""
    outer, inner, rows, columns = x.shape
    assert rows == 128 and columns <= 2048
    output = nl.ndarray((outer, inner, 128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for r, s in itertools.product(range(outer), range(inner)):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[r, s])
        nisa.dma_copy(dst=output[r, s], src=tile)
    return output


@nki.jit
def squares_of_pairs(left, right):
    """Differences of two matrices, in squares of 128."""
    rows, columns = left.shape
    assert right.shape == (rows, columns) and rows % 128 == 0 and columns == 384
    output = nl.ndarray((rows, columns), dtype=left.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        x = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf)
        y = nl.ndarray((128, 128), dtype=right.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=x, src=left[nl.ds(i * 128, 128), nl.ds(j * 128, 128)])
        nisa.dma_copy(dst=y, src=right[nl.ds(i * 128, 128), nl.ds(j * 128, 128)])
        nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.subtract)
        nisa.dma_copy(dst=output[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=x)
    return output


@nki.jit
def sums_of_blocks(x):
    """The sum of all tiles of rows, in blocks of four."""
    depth, columns = x.shape
    assert depth % 512 == 0 and columns <= 512
    output = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(depth // 512):
        for k in range(4):
            tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds((block * 4 + k) * 128, 128), :])
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def products_of_blocks(left_transposed, right):
    """A product whose contraction goes through blocks of four tiles."""
    depth, rows = left_transposed.shape
    assert right.shape == (depth, 512) and rows == 128 and depth % 512 == 0
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for block in range(depth // 512):
        for k in range(4):
            stationary = nl.ndarray((128, 128), dtype=left_transposed.dtype, buffer=nl.sbuf)
            moving = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=stationary, src=left_transposed[nl.ds(block * 512 + k * 128, 128), :])
            nisa.dma_copy(dst=moving, src=right[nl.ds(block * 512 + k * 128, 128), :])
            nisa.nc_matmul(dst=total, stationary=stationary, moving=moving)
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def weighted_sums_of_blocks(x, weights):
    """The same sum, each row of it with a weight of its own."""
    depth, columns = x.shape
    assert weights.shape == (depth, 1) and depth % 256 == 0 and columns <= 512
    output = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(depth // 256):
        for k in range(2):
            tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
            weight = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds((block * 2 + k) * 128, 128), :])
            nisa.dma_copy(dst=weight, src=weights[nl.ds((block * 2 + k) * 128, 128), :])
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=weight)
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output
