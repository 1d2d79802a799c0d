"""Loops over what generators and `itertools` give: places of tiles, pairs of numbers, and blocks of several tiles."""

import itertools

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

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
        tile = nl.load(x[nl.ds(start, size), 0:columns])
        nl.store(output[nl.ds(start, size), 0:columns], value=tile)
    return output


@nki.jit
def squares_of_tiles(left, right):
    """Products of two matrices, element by element, in tiles of 64 rows."""
    rows, columns = left.shape
    assert right.shape == (rows, columns) and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=left.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(rows, 64):
        x = nl.load(left[start : start + size, 0:columns])
        y = nl.load(right[start : start + size, 0:columns])
        nl.store(output[start : start + size, 0:columns], value=nl.multiply(x, y))
    return output


@nki.jit
def tiles_walked(x, factors):
    """Each row times a factor of its own, for any number of rows."""
    rows, columns = x.shape
    assert factors.shape == (rows, 1) and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in walked(rows):
        tile = nl.load(x[nl.ds(start, size), 0:columns])
        factor = nl.load(factors[nl.ds(start, size), 0:1])
        nl.store(output[nl.ds(start, size), 0:columns], value=nl.multiply(tile, factor))
    return output


@nki.jit
def each_pair(x):
    """A copy, plane by plane of two dimensions."""
    outer, inner, rows, columns = x.shape
    assert rows == 128 and columns <= 2048
    output = nl.ndarray((outer, inner, 128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for r, s in itertools.product(range(outer), range(inner)):
        nl.store(output[r, s], value=nl.load(x[r, s]))
    return output


@nki.jit
def squares_of_pairs(left, right):
    """Differences of two matrices, in squares of 128."""
    rows, columns = left.shape
    assert right.shape == (rows, columns) and rows % 128 == 0 and columns == 384
    output = nl.ndarray((rows, columns), dtype=left.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        x = nl.load(left[nl.ds(i * 128, 128), nl.ds(j * 128, 128)])
        y = nl.load(right[nl.ds(i * 128, 128), nl.ds(j * 128, 128)])
        nl.store(output[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], value=nl.subtract(x, y))
    return output


@nki.jit
def sums_of_blocks(x):
    """The sum of all tiles of rows, in blocks of four."""
    depth, columns = x.shape
    assert depth % 512 == 0 and columns <= 512
    output = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((nl.par_dim(128), columns), dtype=nl.float32, buffer=nl.sbuf)
    for block in nl.sequential_range(depth // 512):
        for k in nl.sequential_range(4):
            tile = nl.load(x[nl.ds((block * 4 + k) * 128, 128), 0:columns])
            total[0:128, 0:columns] = nl.add(total[0:128, 0:columns], tile)
    nl.store(output[0:128, 0:columns], value=total)
    return output


@nki.jit
def products_of_blocks(left_transposed, right):
    """A product whose contraction goes through blocks of four tiles."""
    depth, rows = left_transposed.shape
    assert right.shape == (depth, 512) and rows == 128 and depth % 512 == 0
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for block in nl.affine_range(depth // 512):
        for k in nl.affine_range(4):
            stationary = nl.load(left_transposed[nl.ds(block * 512 + k * 128, 128), 0:128])
            moving = nl.load(right[nl.ds(block * 512 + k * 128, 128), 0:512])
            total += nisa.nc_matmul(stationary, moving)
    nl.store(output[0:128, 0:512], value=nl.copy(total))
    return output


@nki.jit
def weighted_sums_of_blocks(x, weights):
    """The same sum, each row of it with a weight of its own."""
    depth, columns = x.shape
    assert weights.shape == (depth, 1) and depth % 256 == 0 and columns <= 512
    output = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((nl.par_dim(128), columns), dtype=nl.float32, buffer=nl.sbuf)
    for block in nl.sequential_range(depth // 256):
        for k in nl.sequential_range(2):
            tile = nl.load(x[nl.ds((block * 2 + k) * 128, 128), 0:columns])
            weight = nl.load(weights[nl.ds((block * 2 + k) * 128, 128), 0:1])
            total[0:128, 0:columns] = nl.add(total[0:128, 0:columns], nl.multiply(tile, weight))
    nl.store(output[0:128, 0:columns], value=total)
    return output
