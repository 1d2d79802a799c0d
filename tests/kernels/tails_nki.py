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


@nki.jit
def one_trip_too_many(x):
    rows, columns = x.shape
    assert columns <= 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128 + 1):
        first = i * 128
        last = min(first + 128, rows)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0 : last - first, :], src=x[first:last, :])
        nisa.dma_copy(dst=output[first:last, :], src=tile[0 : last - first, :])
    return output


@nki.jit
def two_trips_too_many(x):
    rows, columns = x.shape
    assert columns <= 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128 + 2):
        first = i * 128
        last = min(first + 128, rows)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0 : last - first, :], src=x[first:last, :])  # expect: NKI301
        nisa.dma_copy(dst=output[first:last, :], src=tile[0 : last - first, :])
    return output


@nki.jit
def all_but_a_few(x, pad: int):  # expect: NKI003
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    part = tile[:, :-pad]
    nisa.dma_copy(dst=part, src=x[:, :-pad])
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def all_but_some(x, pad: int):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512 and 1 <= pad < columns
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=tile[:, :-pad], src=x[:, :-pad])
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def guarded(x):
    rows, columns = x.shape
    assert columns <= 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128 + 2):
        count = min(128, rows - i * 128)
        if count > 0:
            tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile[0:count, :], src=x[nl.ds(i * 128, count), :])
            nisa.dma_copy(dst=output[nl.ds(i * 128, count), :], src=tile[0:count, :])
    return output
