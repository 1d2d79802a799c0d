"""Dicts that loops of symbolic length fill with tiles, by iteration, by place, and by both."""

import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[R, C], R % 128 == 0, C <= 1024
@nki.jit
def by_number(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    loaded = {}
    for i in range(R // 128):
        tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        loaded[i] = tile
    for i in range(R // 128):
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=loaded[i])
    return out


# nkilint: x: float32[R, C], R >= 1, 1 <= C, C <= 1024
@nki.jit
def by_place(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    loaded = {}
    for start in range(0, R, 128):
        size = min(128, R - start)
        loaded[start] = nl.ndarray((size, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=loaded[start], src=x[start : start + size, :])
    for start, tile in loaded.items():
        nisa.dma_copy(dst=out[start : start + tile.shape[0], :], src=tile)
    return out


# nkilint: x: float32[R, C], R % 128 == 0, C % 512 == 0
@nki.jit
def by_both(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = {}
    for i in range(R // 128):
        for j in range(C // 512):
            tiles[i, j] = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tiles[i, j], src=x[i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512])
    for j in range(C // 512):
        for i in range(R // 128):
            nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512], src=tiles[i, j])
    return out


# nkilint: x: float32[R, C], R % 128 == 0, C <= 1024
@nki.jit
def made_first(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = {i: nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf) for i in range(R // 128)}
    for i in range(R // 128):
        nisa.dma_copy(dst=tiles[i], src=x[i * 128 : (i + 1) * 128, :])
    for i, tile in enumerate(tiles.values()):
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tile)
    return out


# nkilint: x: float32[R, C], R % 128 == 0, C <= 1024
@nki.jit
def in_the_wrong_place(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = {i: nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf) for i in range(R // 128)}
    for i in range(R // 128):
        nisa.dma_copy(dst=tiles[0], src=x[i * 128 : (i + 1) * 128, :])  # expect: NKI708 R <= 128
    for i in range(R // 128):
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=tiles[i])
    return out


# nkilint: x: float32[R, C], R % 128 == 0, C % 512 == 0, R >= 256
@nki.jit
def with_a_part_left_out(x):
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = {}
    for i in range(R // 128):
        for j in range(C // 512):
            tiles[i, j] = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tiles[i, j][0:64, :], src=x[i * 128 : i * 128 + 64, j * 512 : (j + 1) * 512])
    for (i, j), tile in tiles.items():
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, j * 512 : (j + 1) * 512], src=tile)  # expect: NKI701
    return out


# nkilint: x: float32[R, C], R % 128 == 0, C <= 1024
@nki.jit
def under_one_key(x):  # expect: NKI003
    R, C = x.shape
    out = nl.ndarray((R, C), dtype=x.dtype, buffer=nl.shared_hbm)
    loaded = {}
    for i in range(R // 128):
        tile = nl.ndarray((128, C), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        loaded[i % 2] = tile
    for i in range(R // 128):
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, :], src=loaded[i % 2])
    return out
