"""Iterations that are taken apart into quotient and remainder, as where heads are packed side by side."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def packed(x, group: int):
    """Each group of columns stands below one another in one."""
    rows, columns = x.shape
    assert 1 <= group <= columns and columns % group == 0 and rows * group <= 128
    tile = nl.ndarray((rows * group, columns // group), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(columns):
        column, part = divmod(i, group)
        nisa.dma_copy(dst=tile[nl.ds(part * rows, rows), column : column + 1], src=x[:, i : i + 1])
    out = nl.ndarray((rows * group, columns // group), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def packed_by_positions(x, group: int):
    """The same, by positions in row-major order."""
    rows, heads, size = x.shape
    assert 1 <= group <= heads and heads % group == 0 and rows * group <= 128
    width = heads // group * size
    tile = nl.ndarray((rows * group, width), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(heads):
        place = i % group * rows * width + i // group * size
        nisa.dma_copy(dst=tile.ap(pattern=[[width, rows], [1, size]], offset=place), src=x[:, i, :])
    out = nl.ndarray((rows * group, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def packed_but_for_the_last(x, group: int):
    rows, columns = x.shape
    assert 1 <= group <= columns and columns % group == 0 and rows * group <= 128
    tile = nl.ndarray((rows * group, columns // group), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(columns - 1):
        column, part = divmod(i, group)
        nisa.dma_copy(dst=tile[nl.ds(part * rows, rows), column : column + 1], src=x[:, i : i + 1])
    out = nl.ndarray((rows * group, columns // group), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)  # expect: NKI701
    return out


@nki.jit
def packed_in_part(x, group: int):
    """The last column is whole only where the groups come out even."""
    rows, columns = x.shape
    assert 1 <= group <= columns and rows * group <= 128
    count = (columns + group - 1) // group
    tile = nl.ndarray((rows * group, count), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(columns):
        column, part = divmod(i, group)
        nisa.dma_copy(dst=tile[nl.ds(part * rows, rows), column : column + 1], src=x[:, i : i + 1])
    out = nl.ndarray((rows * group, count), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)  # expect-warning: NKI701 group + (columns - 1) // group * group <= columns
    return out
