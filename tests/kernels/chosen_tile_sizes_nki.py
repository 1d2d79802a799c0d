"""Tiles of a size that a caller chooses, and loops that stay at one of them or move by less (NKI709)."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, begin, count):
    tile = nl.ndarray((count, source.shape[1]), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[begin : begin + count, :])
    return tile


@nki.jit
def same_tile(x, size: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // size):
        tile = nl.ndarray((size, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[0:size, :])  # expect-warning: NKI709 rows <= size
        nisa.dma_copy(dst=output[i * size : (i + 1) * size, :], src=tile)
    return output


@nki.jit
def same_columns(x, size: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 512 and columns % size == 0 and rows <= 128
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(columns // size):
        tile = nl.ndarray((rows, size), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(0, size)])  # expect-warning: NKI709 columns <= size
        nisa.dma_copy(dst=output[:, nl.ds(i * size, size)], src=tile)
    return output


@nki.jit
def scales_of_the_first_tile(x, scale, size: int):
    rows, columns = x.shape
    assert scale.shape == (rows, 1)
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // size):
        tile = loaded(x, i * size, size)
        factor = nl.ndarray((size, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=factor, src=scale[0:size, :])  # expect-warning: NKI709 rows // size == 1
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=factor)
        nisa.dma_copy(dst=output[i * size : (i + 1) * size, :], src=tile)
    return output


@nki.jit
def by_rows(x, size: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // size):
        tile = nl.ndarray((size, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i, size), :])  # expect-warning: NKI709 rows < size + rows // size
        nisa.dma_copy(dst=output[i * size : (i + 1) * size, :], src=tile)
    return output


@nki.jit
def by_columns(x, size: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 512 and columns % size == 0 and rows <= 128
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(columns // size):
        tile = nl.ndarray((rows, size), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(i, size)])  # expect-warning: NKI709 columns < size + columns // size
        nisa.dma_copy(dst=output[:, nl.ds(i * size, size)], src=tile)
    return output


@nki.jit
def tile_by_tile(x, size: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // size):
        tile = loaded(x, i * size, size)
        nisa.dma_copy(dst=output[i * size : (i + 1) * size, :], src=tile)
    return output


@nki.jit
def all_of_a_smaller_one(x, row, size: int):
    rows, columns = x.shape
    assert row.shape == (size, columns)
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // size):
        tile, other = loaded(x, i * size, size), loaded(row, 0, size)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
        nisa.dma_copy(dst=output[i * size : (i + 1) * size, :], src=tile)
    return output


@nki.jit
def first_tile_of_something_else(x, table, size: int):
    """The rows of `table` have nothing to do with those of `x`."""
    rows, columns = x.shape
    assert table.shape[0] >= size and table.shape[1] == columns
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // size):
        tile, other = loaded(x, i * size, size), loaded(table, 0, size)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=other, op=nl.add)
        nisa.dma_copy(dst=output[i * size : (i + 1) * size, :], src=tile)
    return output


@nki.jit
def as_many_copies_as_wanted(x, size: int, copies: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 128 and rows >= size and copies >= 1 and columns <= 2048
    output = nl.ndarray((copies * size, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(copies):
        tile = loaded(x, 0, size)
        nisa.dma_copy(dst=output[i * size : (i + 1) * size, :], src=tile)
    return output


@nki.jit
def windows_of_a_size(x, size: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 64 and columns >= size and rows <= 128
    output = nl.ndarray((rows, columns - size + 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(columns - size + 1):
        tile = nl.ndarray((rows, size), dtype=x.dtype, buffer=nl.sbuf)
        part = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(i, size)])
        nisa.tensor_reduce(dst=part, op=nl.add, data=tile, axis=1)
        nisa.dma_copy(dst=output[:, i : i + 1], src=part)
    return output
