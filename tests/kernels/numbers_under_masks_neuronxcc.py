"""A number that chooses one element of a dimension stays inside where the mask of the access lets it through."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def next_block_under_a_mask(x):
    blocks, rows, columns = x.shape
    assert rows == 128
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(blocks):
        tile = nl.zeros((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        tile[...] = nl.load(x[i + 1], mask=i + 1 < blocks)
        nl.store(output[i], tile)
    return output


@nki.jit
def next_block_under_a_mask_too_wide(x):
    blocks, rows, columns = x.shape
    assert rows == 128
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(blocks):
        tile = nl.zeros((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        tile[...] = nl.load(x[i + 1], mask=i < blocks)  # expect: NKI301
        nl.store(output[i], tile)
    return output


@nki.jit
def part_of_the_next_block_under_a_mask(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        tile = nl.load(x[i])
        nl.store(output[i, 0:128, 0:512], tile)
        nl.store(output[i + 1, 0:128, 0:512], tile, mask=i > 3)
    return output


@nki.jit
def next_block_that_nobody_loads(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        following = x[i + 1]
        nl.store(output[i], nl.load(following if i < 3 else x[i]))
    return output


@nki.jit
def next_block_without_a_mask(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        nl.store(output[i], nl.load(x[i + 1]))  # expect: NKI301
    return output
