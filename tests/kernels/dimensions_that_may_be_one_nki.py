"""Dimensions that become one (NKI215), with others between them that may have one element: what lies on either side of
these has to follow one another too."""

import nki
import nki.isa as nisa
import nki.language as nl


def stored(view):
    output = nl.ndarray(view.shape, dtype=view.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=view)
    return output


@nki.jit
def every_other_block(x):
    B, M, N = x.shape
    assert B % 2 == 0
    flat = x[0:B:2].reshape((B // 2 * M * N,))  # expect: NKI215 B <= 2 or M == 1  # expect: NKI215 M >= 2 or B <= 2 or N == 1
    return stored(flat)


@nki.jit
def every_other_block_by_flattening(x):
    blocks, rows, columns = x.shape
    assert blocks % 2 == 0 and columns == 64
    half = x[0:blocks:2]
    return stored(half.flatten_dims(0, 2))  # expect: NKI215 blocks <= 2 or rows == 1  # expect: NKI215 rows >= 2 or blocks <= 2


@nki.jit
def first_blocks(x):
    blocks, rows, columns = x.shape
    assert blocks >= 2
    return stored(x[0 : blocks // 2].flatten_dims(0, 2))


@nki.jit
def one_row_of_each_block(x):
    blocks, rows, columns = x.shape
    return stored(x[:, 0:1, :].flatten_dims(0, 2))  # expect: NKI215 rows == 1 or blocks == 1 or columns == 1


@nki.jit
def every_other_block_of_two_rows(x):
    blocks, rows, columns = x.shape
    assert blocks % 2 == 0 and rows == 2
    return stored(x[0:blocks:2].flatten_dims(0, 2))  # expect: NKI215 blocks == 2


@nki.jit
def only_what_follows_is_made_one(x):
    blocks, rows, columns = x.shape
    assert blocks % 2 == 0
    return stored(x[0:blocks:2].flatten_dims(1, 2))
