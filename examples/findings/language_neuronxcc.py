"""Control flow and Python around the operations (NKI801-811), in `neuronxcc.nki`. Each marked line is reported."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np

TILE = 128
ZEROS = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI805
# Operations make sense inside a kernel only: make the tile there.


@nki.jit
def even_shares(x):
    """With fewer than 512 columns there is no piece, and the width of a piece is a division by zero."""
    rows, columns = x.shape
    assert rows == 128 and columns <= 4096
    pieces = columns // 512
    width = columns // pieces  # expect: NKI806
    # `assert columns >= 512` says what the kernel needs.
    output = nl.ndarray((rows, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x[0:128, 0:width]))
    return output


@nki.jit
def whole_tiles(x):
    """Asserts what it needs of its input."""
    rows, columns = x.shape
    assert rows % TILE == 0
    assert columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // TILE):
        nl.store(output[nl.ds(i * TILE, TILE), 0:512], value=nl.load(x[nl.ds(i * TILE, TILE), 0:512]))
    return output


def run():
    """Calls the kernel with 200 rows, which its assertion rejects."""
    return whole_tiles(np.zeros((200, 512), dtype=np.float32))  # expect: NKI807


@nki.jit
def misspelt_constant(x):
    """A name that nothing defines: Python finds out when the line runs."""
    rows, columns = x.shape
    assert rows % TILE == 0
    assert columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // TIEL):  # expect: NKI808
        nl.store(output[nl.ds(i * TILE, TILE), 0:512], value=nl.load(x[nl.ds(i * TILE, TILE), 0:512]))
    return output


def scaled(tile, factor):
    """A helper with two parameters."""
    return nl.multiply(tile, factor)


@nki.jit
def forgotten_argument(x):
    """Helpers are called by the rules of Python."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=scaled(nl.load(x)))  # expect: NKI809
    # `scaled(nl.load(x), 0.5)`
    return output


@nki.jit
def compared_with_itself(left, right):
    """The assertion compares a shape with itself; `right` may have any."""
    assert left.shape == left.shape  # expect: NKI810
    # `left.shape == right.shape`
    assert left.shape == (128, 512) and right.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=left.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.add(nl.load(left), nl.load(right)))
    return output


@nki.jit
def fractional_count(x):
    """`/` gives a float, and a loop takes a whole number of iterations."""
    rows, columns = x.shape
    assert rows % TILE == 0
    assert columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows / TILE):  # expect: NKI811
        # `rows // TILE`
        nl.store(output[nl.ds(i * TILE, TILE), 0:512], value=nl.load(x[nl.ds(i * TILE, TILE), 0:512]))
    return output


@nki.jit
def branch_on_a_tile(x):
    """What a tile holds is known when the kernel runs, and Python branches while it is traced."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(output, value=tile)
    if nl.max(tile[0:1, 0:512], axis=[1]) > 1.0:  # expect: NKI801
        # `nl.store(output, value=nl.where(tile > 1.0, 1.0, tile))`
        nl.store(output, value=nl.multiply(tile, 0.5))
    return output


@nki.jit
def branch_on_a_grid(x):
    """A grid is all its positions at once; whether it is below 256 has no single answer."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    nl.store(output, value=nl.zeros((128, 512), dtype=x.dtype))
    if j < 256:  # expect: NKI802
        # `nl.store(output[i, j], value=nl.load(x[i, j], mask=j < 256), mask=j < 256)`
        nl.store(output[i, j], value=nl.load(x[i, j]))
    return output


@nki.trace
def halved(tile):
    """A kernel that others call."""
    return nl.multiply(tile, 0.5)


@nki.jit
def grid_within_a_kernel(x):
    """Grids are for the host: programs do not launch programs."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=halved[2, 2](nl.load(x)))  # expect: NKI804
    # `halved(nl.load(x))`
    return output
