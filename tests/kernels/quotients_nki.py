"""Conditions on quotients, told without them."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def every_other_column(x):
    rows, columns = x.shape
    assert rows <= 32 and columns <= 4096
    out = nl.ndarray((rows, columns // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    result = nl.ndarray((rows, columns // 2), dtype=x.dtype, buffer=nl.sbuf)
    odd = tile.ap([[columns, rows], [2, columns // 2]], offset=1)
    nisa.tensor_copy(dst=result, src=odd)  # of one column it takes nothing
    nisa.dma_copy(dst=out, src=result)
    return out


@nki.jit
def one_row(x):
    rows, columns = x.shape
    assert rows == 32 and columns <= 4096
    out = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    first = 1 // columns
    result = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=tile[first : first + 1, 0:columns])  # expect: NKI106 columns >= 2
    nisa.dma_copy(dst=out, src=result)
    return out
