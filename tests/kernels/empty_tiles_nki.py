"""A tile whose size may be 0: where it has no elements, none of them is read before it is written."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def written_where_there_is_any(x):
    rows, columns = x.shape
    assert rows <= 128
    windows = (columns - 3) // 2 + 1
    out = nl.ndarray((rows, windows), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, windows), dtype=x.dtype, buffer=nl.sbuf)
    if windows > 0:
        nisa.memset(dst=tile, value=0)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def carried_where_there_is_any(x):
    rows, columns = x.shape
    assert rows <= 128
    out = nl.ndarray((rows, columns - 3), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns - 3), dtype=x.dtype, buffer=nl.sbuf)
    if columns > 3:
        nisa.dma_copy(dst=tile, src=x[:, 3:columns])
    doubled = nl.add(tile, tile)
    nisa.dma_copy(dst=out, src=doubled)
    return out


@nki.jit
def one_is_not_written(x):
    rows, columns = x.shape
    assert rows <= 128
    out = nl.ndarray((rows, columns - 3), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns - 3), dtype=x.dtype, buffer=nl.sbuf)
    if columns > 4:
        nisa.memset(dst=tile, value=0)
    nisa.dma_copy(dst=out, src=tile)  # expect: NKI701 columns >= 5
    return out
