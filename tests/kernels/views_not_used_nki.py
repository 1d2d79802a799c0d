"""Views of one element of a dimension, and access patterns, have to be inside where they are made, used or not."""

import nki
import nki.isa as nisa
import nki.language as nl


def copied(x):
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output


@nki.jit
def next_block_before_it_is_asked_for(x):
    blocks, rows, columns = x.shape
    assert rows == 128 and columns <= 512
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0])
    for i in range(blocks):
        nl.store(output[i], tile)
        following = x[i + 1]  # expect: NKI301
        if i + 1 < blocks:
            tile = nl.load(following)  # expect: NKI210
    return output


@nki.jit
def next_block_where_there_is_one(x):
    blocks, rows, columns = x.shape
    assert rows == 128 and columns <= 512
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(blocks):
        if i + 1 < blocks:
            following = x[i + 1]
            nl.store(output[i], nl.load(following))
        else:
            nl.store(output[i], nl.load(x[i]))
    return output


@nki.jit
def second_of_perhaps_one(x):
    output = copied(x)
    second = output.select(0, 1)  # expect: NKI301 x.shape[0] >= 2
    second.expand_dim(1)
    return output


@nki.jit
def column_of_a_tile(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    tile.select(1, 64)  # expect: NKI301
    tile[:, 63]
    nl.store(output, tile)
    return output


@nki.jit
def partition_after_the_last(x):
    assert x.shape == (64, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    tile[64]  # expect: NKI301
    tile[63]
    nl.store(output, tile)
    return output


@nki.jit
def pattern_after_the_last_row(x):
    rows, columns = x.shape
    output = copied(x)
    output.ap([[columns, 1], [1, columns]], offset=rows * columns)  # expect: NKI301
    output.ap([[columns, 1], [1, columns]], offset=(rows - 1) * columns)
    output.ap([[columns, 0], [1, columns]], offset=rows * columns)
    return output


@nki.jit
def slices_are_judged_where_they_are_used(x):
    blocks, rows, columns = x.shape
    output = copied(x)
    for i in range(blocks):
        two = output[i : i + 2]
        if i + 2 <= blocks:
            nisa.dma_copy(dst=two, src=x[i : i + 2])
    return output
