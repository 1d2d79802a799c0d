"""Loops over pairs of ranges that stay at one part of an input, or move by less (NKI709)."""

import itertools

import nki
import nki.isa as nisa
import nki.language as nl


def moved(out, x, row, column):
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[nl.ds(row * 128, 128), nl.ds(column * 128, 128)])
    nisa.dma_copy(dst=out[nl.ds(row * 128, 128), nl.ds(column * 128, 128)], src=tile)


@nki.jit
def rows_left_out(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0:128, nl.ds(j * 128, 128)])  # expect-warning: NKI709 rows == 128
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=tile)
    return out


@nki.jit
def columns_left_out(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), 0:128])  # expect: NKI709
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=tile)
    return out


@nki.jit
def by_single_rows(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i, 128), nl.ds(j * 128, 128)])  # expect-warning: NKI709 rows == 128
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=tile)
    return out


@nki.jit
def by_single_columns(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), nl.ds(j, 128)])  # expect: NKI709
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=tile)
    return out


@nki.jit
def quotient_and_rest(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for place in range(rows // 128 * 3):
        i, j = place // 3, place % 3
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i, 128), nl.ds(j * 128, 128)])  # expect-warning: NKI709 rows == 128
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=tile)
    return out


@nki.jit
def all_pairs(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        moved(out, x, i, j)
    return out


@nki.jit
def row_for_all(x, bias):
    """One of the ranges is none of the row's."""
    rows, columns = x.shape
    assert bias.shape == (128, columns) and rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        row = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), nl.ds(j * 128, 128)])
        nisa.dma_copy(dst=row, src=bias[:, nl.ds(j * 128, 128)])
        nisa.tensor_tensor(dst=tile, data1=tile, data2=row, op=nl.add)
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=tile)
    return out


@nki.jit
def rows_of_the_first_column(x):
    """Only the pairs with the first of the others read."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    for i, j in itertools.product(range(rows // 128), range(3)):
        if j == 0:
            nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), 0:128])
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=tile)
    return out


@nki.jit
def table_of_something_else(x, table):
    """The rows of `table` have nothing to do with those of `x`."""
    rows, columns = x.shape
    assert table.shape[0] >= 128 and table.shape[1] == 384 and rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        other = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), nl.ds(j * 128, 128)])
        nisa.dma_copy(dst=other, src=table[0:128, nl.ds(j * 128, 128)])
        nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=tile)
    return out


@nki.jit
def table_of_a_fixed_size(x, table):
    """A fixed number of columns stays while those of another input go by."""
    rows, columns = x.shape
    assert table.shape == (rows, 384) and rows % 128 == 0 and columns == 384
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, j in itertools.product(range(rows // 128), range(3)):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        other = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), nl.ds(j * 128, 128)])
        nisa.dma_copy(dst=other, src=table[nl.ds(i * 128, 128), 0:128])
        nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128), nl.ds(j * 128, 128)], src=tile)
    return out
