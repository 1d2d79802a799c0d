"""Tiles kept in lists: loops that pick them by position are followed iteration by iteration."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def blocks_of_unrolled_tiles(x, tiles=4):
    rows, columns = x.shape
    assert rows % (tiles * 128) == 0 and columns == 64
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    loaded = []
    for block in range(rows // (tiles * 128)):
        parts = []
        for t in range(tiles):
            tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds((block * tiles + t) * 128, 128), :])
            parts.append(tile)
        loaded.append(parts)
    for block in range(rows // (tiles * 128)):
        for t in range(tiles):
            reveal(loaded[block][t])  # revealed: x.dtype[128, 64] @ sbuf
            nisa.dma_copy(dst=output[nl.ds((block * tiles + t) * 128, 128), :], src=loaded[block][t])
    return output
