"""What a tile may measure (NKI101-109), in `neuronxcc.nki`. Each marked line is reported; a comment says the repair."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def whole_vector(x):
    """A vector has as many partitions as elements: fine up to 128 of them."""
    (size,) = x.shape
    output = nl.ndarray((size, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    column = x.reshape((size, 1))
    tile = nl.load(column)  # expect: NKI101
    # Loop over pieces of 128 elements, or put them into the free dimension.
    nl.store(output, value=nl.exp(tile))
    return output


@nki.jit
def wide_statistics(x):
    """Mean and variance of rows of 1024 elements in one instruction, which takes 512."""
    assert x.shape == (128, 1024)
    output = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    stats = nisa.bn_stats(tile)  # expect: NKI102
    # One `bn_stats` for each 512 columns, then one `bn_aggr` over all of them.
    nl.store(output, value=nisa.bn_aggr(stats))
    return output


@nki.jit
def wide_matmul(weights, x):
    """A product with 1024 columns at once; the tensor engine takes 512."""
    assert weights.shape == (128, 128) and x.shape == (128, 1024)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    product = nisa.nc_matmul(nl.load(weights), nl.load(x))  # expect: NKI103
    # Two products of 512 columns each.
    nl.store(output, value=product[0:128, 0:512])
    return output


@nki.jit
def large_accumulator(weights, x):
    """An accumulator of 1024 float32 needs two PSUM banks; a tile has to fit into one."""
    assert weights.shape == (128, 128) and x.shape == (128, 1024)
    output = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 1024), dtype=nl.float32, buffer=nl.psum)  # expect: NKI104
    # Two accumulators of 512 columns.
    stationary = nl.load(weights)
    for n in nl.affine_range(2):
        total[0:128, nl.ds(n * 512, 512)] += nisa.nc_matmul(stationary, nl.load(x[0:128, nl.ds(n * 512, 512)]))
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def transposed_cube(x):
    """A transposition takes two dimensions."""
    assert x.shape == (64, 32, 2)
    output = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    cube = nl.load(x)
    flipped = nl.transpose(cube)  # expect: NKI105
    # Transpose the planes `cube[:, :, 0]` and `cube[:, :, 1]` one by one.
    nl.store(output, value=flipped)
    return output


@nki.jit
def middle_rows(x):
    """An engine reaches 32 partitions from partition 0, 32, 64 or 96 on, not from 16."""
    assert x.shape == (128, 512)
    output = nl.ndarray((32, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    rows = nl.exp(tile[16:48, 0:512])  # expect: NKI106
    # Load the rows that are needed, `x[16:48]`, into a tile of their own.
    nl.store(output, value=rows)
    return output


@nki.jit
def partitions_in_second_place(x):
    """Operations take tiles whose first dimension is the partition dimension."""
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    blocks = nl.ndarray((4, nl.par_dim(128), 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        blocks[i] = nl.load(x[i])
    shifted = nl.add(blocks, 1.0)  # expect: NKI107
    # Add block by block: `nl.add(blocks[i], 1.0)`.
    for i in nl.affine_range(4):
        nl.store(output[i], value=shifted[i])
    return output


@nki.jit
def every_other_row(x):
    """Partitions are accessed one after the other, without gaps."""
    assert x.shape == (128, 512)
    output = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    p = nl.arange(64)[:, None]
    f = nl.arange(512)[None, :]
    rows = nl.exp(tile[2 * p, f])  # expect: NKI108
    # Load every other row: `nl.load(x[2 * p, f])`; a DMA may skip rows of HBM.
    nl.store(output, value=rows)
    return output


@nki.jit
def largest_of_four(x):
    """`max8` looks for eight values, so it needs at least eight columns."""
    assert x.shape == (128, 4)
    output = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    best = nisa.max8(src=nl.load(x))  # expect: NKI109
    # Pad the rows to eight columns, or use `nl.max` for the largest alone.
    nl.store(output, value=best)
    return output
