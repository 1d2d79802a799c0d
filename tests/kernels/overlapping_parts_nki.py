"""Parts of a tensor that are written over one another: what they cover together has no gaps."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def statistics_in_their_places(x):
    rows, columns = x.shape
    assert rows <= 128 and columns % 512 == 0 and columns <= 8192
    out = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    parts = columns // 512
    found = nl.ndarray((rows, 6 * parts), dtype=nl.float32, buffer=nl.sbuf)
    for c in range(parts):
        nisa.bn_stats(dst=found[:, c * 6 : (c + 1) * 6], data=tile[:, c * 512 : (c + 1) * 512])
    both = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst=both, data=found)
    nisa.dma_copy(dst=out, src=both)
    return out


@nki.jit
def statistics_too_close_together(x):
    rows, columns = x.shape
    assert rows <= 128 and columns % 512 == 0 and columns <= 8192
    out = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    parts = columns // 512
    found = nl.ndarray((rows, 6 * parts), dtype=nl.float32, buffer=nl.sbuf)
    for c in range(parts):
        nisa.bn_stats(dst=found[:, c * 5 : c * 5 + 6], data=tile[:, c * 512 : (c + 1) * 512])
    both = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.bn_aggr(dst=both, data=found)  # expect: NKI701 columns == 512
    nisa.dma_copy(dst=out, src=both)
    return out


@nki.jit
def windows_that_overlap(x):
    rows, columns = x.shape
    assert rows <= 128 and columns % 96 == 32 and 96 <= columns <= 8192
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for c in range(columns // 96):
        tile = nl.ndarray((rows, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, c * 96 : c * 96 + 128])
        nisa.dma_copy(dst=out[:, c * 96 : c * 96 + 128], src=tile)
    return out


@nki.jit
def windows_that_leave_gaps(x):
    rows, columns = x.shape
    assert rows <= 128 and columns % 96 == 0 and columns <= 8192
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for c in range(columns // 96):
        tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, c * 96 : c * 96 + 64])
        nisa.dma_copy(dst=out[:, c * 96 : c * 96 + 64], src=tile)
    return out  # expect: NKI703
