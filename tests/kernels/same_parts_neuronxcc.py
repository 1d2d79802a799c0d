"""Loops with as many iterations as an input has parts, each of which reads the same one (NKI709)."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def positions_of_the_first_tokens(x, positions):
    rows, columns = x.shape
    assert positions.shape == (rows, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(columns)[None, :]
    for i in nl.affine_range(math.ceil(rows / 128)):
        inside = i * 128 + p < rows
        tile = nl.load(x[i * 128 + p, f], mask=inside)
        added = nl.load(positions[p, f], mask=inside)  # expect-warning: NKI709 rows <= 128
        nl.store(output[i * 128 + p, f], value=nl.add(tile, added, mask=inside), mask=inside)
    return output


@nki.jit
def contraction_without_a_step(left, right):
    depth, rows = left.shape
    assert right.shape == (depth, 512) and rows == 128 and depth % 128 == 0
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(depth // 128):
        stationary = nl.load(left[0:128, 0:128])  # expect-warning: NKI709 depth == 128
        moving = nl.load(right[nl.ds(k * 128, 128), 0:512])
        total += nisa.nc_matmul(stationary, moving)
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def values_of_the_first_head(q, v):
    heads, rows, depth = q.shape
    assert v.shape == (heads, rows, depth) and rows == 128
    output = nl.ndarray((heads, 128, depth), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in nl.affine_range(heads):
        first, second = nl.load(q[h]), nl.load(v[0])  # expect-warning: NKI709 heads == 1
        nl.store(output[h], value=nl.add(first, second))
    return output


@nki.jit
def values_of_shared_heads(q, v, group):
    """Several heads share one of `v`, all of which are read."""
    heads, rows, depth = q.shape
    assert v.shape == (heads // group, rows, depth) and rows == 128 and heads % group == 0
    output = nl.ndarray((heads, 128, depth), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in nl.affine_range(heads // group):
        second = nl.load(v[h])
        for g in nl.affine_range(group):
            nl.store(output[h * group + g], value=nl.add(nl.load(q[h * group + g]), second))
    return output


@nki.jit
def half_of_the_weights(x, weights):
    """As many tiles as `x` has, and twice as many of weights, of which half are for another kernel."""
    rows, columns = x.shape
    assert rows % 128 == 0 and weights.shape == (2 * rows, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), :])
        nl.store(output[nl.ds(i * 128, 128), :], value=nl.add(tile, nl.load(weights[nl.ds(i * 128, 128), :])))
    return output


@nki.jit
def blocks_that_move_by_a_tile(x):
    depth, columns = x.shape
    assert depth % 256 == 0 and columns == 512
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for block in nl.sequential_range(depth // 256):
        for k in nl.sequential_range(2):
            tile = nl.load(x[nl.ds((block + k) * 128, 128), :])  # expect-warning: NKI709 depth == 256
            total[...] = nl.add(total, tile)
    nl.store(output, value=total)
    return output


@nki.jit
def blocks_of_tiles(x):
    depth, columns = x.shape
    assert depth % 256 == 0 and columns == 512
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for block in nl.sequential_range(depth // 256):
        for k in nl.sequential_range(2):
            total[...] = nl.add(total, nl.load(x[nl.ds((2 * block + k) * 128, 128), :]))
    nl.store(output, value=total)
    return output


@nki.jit
def rows_of_windows(x):
    """Three rows for each row of the result; the last two rows are no window's first."""
    rows, columns = x.shape
    assert columns == 512 and rows >= 3
    output = nl.ndarray((rows - 2, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for row in nl.affine_range(rows - 2):
        total = nl.zeros((1, 512), dtype=nl.float32, buffer=nl.sbuf)
        for k in nl.sequential_range(3):
            total[...] = nl.add(total, nl.load(x[nl.ds(row + k, 1), :]))
        nl.store(output[nl.ds(row, 1), :], value=total)
    return output


@nki.jit
def panel_of_a_square(x):
    """The loop goes along the rows; that there are as many columns does not make it one along these."""
    rows, columns = x.shape
    assert rows == columns and rows % 128 == 0
    output = nl.ndarray((rows, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        nl.store(output[nl.ds(i * 128, 128), :], value=nl.load(x[nl.ds(i * 128, 128), 0:128]))
    return output
