"""Indices and bounds (NKI301-306), in `neuronxcc.nki`. Each marked line is reported; the comment says the repair."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def rounded_up(x):
    """The last tile reaches beyond the matrix unless the rows fill it: the contract says `% 128 == 0`."""
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    for i in nl.affine_range(math.ceil(rows / 128)):
        tile = nl.load(x[i * 128 + p, f])  # expect: NKI301
        # `mask=i * 128 + p < rows`, here and in the store
        nl.store(output[i * 128 + p, f], value=nl.exp(tile), mask=i * 128 + p < rows)
    return output


@nki.jit
def flat_grid(x):
    """An index grid needs an axis for the partitions and one for the elements in them."""
    assert x.shape == (128, 512)
    output = nl.ndarray((64, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    i = nl.arange(64)
    nl.store(output, value=nl.exp(tile[i, 0]))  # expect: NKI302
    # `i = nl.arange(64)[:, None]`
    return output


@nki.jit
def grid_and_slice(x):
    """A subscript is made of grids or of slices."""
    assert x.shape == (128, 512)
    output = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    i = nl.arange(64)[:, None]
    nl.store(output, value=nl.exp(tile[i, 0:512]))  # expect: NKI303
    # `tile[0:64, 0:512]`, or a second grid `nl.arange(512)[None, :]`
    return output


@nki.jit
def mask_with_and(x):
    """`and` looks at the truth of the first mask, and there is none: only the second one counts."""
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    for i in nl.affine_range(math.ceil(rows / 128)):
        for j in nl.affine_range(math.ceil(columns / 512)):
            row, column = i * 128 + p, j * 512 + f
            inside = (row < rows) & (column < columns)
            tile = nl.load(x[row, column], mask=inside)
            nl.store(output[row, column], value=tile, mask=row < rows and column < columns)  # expect: NKI304
            # `mask=inside`
    return output


@nki.jit
def marked_grid(x):
    """A grid is a formula for addresses, without elements of its own."""
    assert x.shape == (128, 8)
    output = nl.ndarray((128, 8), dtype=nl.uint32, buffer=nl.shared_hbm)
    positions = nl.arange(8)[None, :]
    positions[0, 5] = 1024  # expect: NKI305
    # `positions = nisa.iota(nl.arange(8)[None, :], dtype=nl.uint32)` makes a tile of it.
    nl.store(output, value=nisa.iota(positions, dtype=nl.uint32).broadcast_to((128, 8)))
    return output


@nki.jit
def gathered_columns(x, order):
    """A DMA takes positions from a tile for rows, not for columns."""
    assert x.shape == (64, 512) and order.shape == (1, 64)
    output = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    positions = nl.load(order, dtype=nl.int32)
    p = nl.arange(64)[:, None]
    f = nl.arange(64)[None, :]
    picked = nl.load(x[p, positions[0, f]])  # expect: NKI306
    # Keep the matrix the other way round, so that rows are gathered.
    nl.store(output, value=picked)
    return output
