"""One tensor whose parts take turns: which part an iteration uses is a remainder."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def loaded_one_ahead(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    parts = nl.ndarray((128, 2, columns), dtype=x.dtype, buffer=nl.sbuf)
    tiles = rows // 128
    nisa.dma_copy(dst=parts[:, 0, :], src=x[0:128, :])
    for i in range(tiles):
        if i + 1 < tiles:
            nisa.dma_copy(dst=parts[:, (i + 1) % 2, :], src=x[(i + 1) * 128 : (i + 2) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=parts[:, i % 2, :])
    return out


@nki.jit
def first_one_not_loaded(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    parts = nl.ndarray((128, 2, columns), dtype=x.dtype, buffer=nl.sbuf)
    tiles = rows // 128
    for i in range(tiles):
        if i + 1 < tiles:
            nisa.dma_copy(dst=parts[:, (i + 1) % 2, :], src=x[(i + 1) * 128 : (i + 2) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=parts[:, i % 2, :])  # expect: NKI701
    return out


@nki.jit
def last_one_not_loaded(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and rows >= 256 and columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    parts = nl.ndarray((128, 2, columns), dtype=x.dtype, buffer=nl.sbuf)
    tiles = rows // 128
    nisa.dma_copy(dst=parts[:, 0, :], src=x[0:128, :])
    for i in range(tiles):
        if i + 2 < tiles:
            nisa.dma_copy(dst=parts[:, (i + 1) % 2, :], src=x[(i + 1) * 128 : (i + 2) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=parts[:, i % 2, :])  # expect: NKI701 rows >= 384
    return out


@nki.jit
def two_ahead_of_three(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and rows >= 256 and columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    parts = nl.ndarray((128, 3, columns), dtype=x.dtype, buffer=nl.sbuf)
    tiles = rows // 128
    for k in range(2):
        nisa.dma_copy(dst=parts[:, k, :], src=x[k * 128 : (k + 1) * 128, :])
    for i in range(tiles):
        if i + 2 < tiles:
            nisa.dma_copy(dst=parts[:, (i + 2) % 3, :], src=x[(i + 2) * 128 : (i + 3) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=parts[:, i % 3, :])
    return out


@nki.jit
def one_ahead_of_three_from_none(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and rows >= 384 and columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    parts = nl.ndarray((128, 3, columns), dtype=x.dtype, buffer=nl.sbuf)
    tiles = rows // 128
    for i in range(tiles):
        nisa.dma_copy(dst=parts[:, i % 3, :], src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=parts[:, (i + 1) % 3, :])  # expect: NKI701
    return out


@nki.jit
def more_turns_than_tiles(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    ring = [nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf) for _ in range(3)]
    for i in range(rows // 128):
        tile = ring[i % 4]  # expect: NKI301 rows <= 511
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
    return out
