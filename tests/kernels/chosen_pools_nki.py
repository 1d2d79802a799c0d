"""Lists that branches fill, from which loops take back what they put there."""

from enum import Enum

import nki
import nki.isa as nisa
import nki.language as nl


class Scaling(Enum):
    NONE = 0
    WHOLE = 1
    ROWS = 2


class Pool:
    def __init__(self):
        self.tiles = []
        self.columns = 0

    def push(self, tile, columns):
        self.tiles.append(tile)
        self.columns = self.columns + columns

    def pop(self):
        tile = self.tiles[-1]
        self.tiles.pop()
        self.columns = self.columns - tile.shape[1]


def rows(pool, x, out):
    for i in range(x.shape[0] // 128):
        t = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        pool.push(t, x.shape[1])
        nisa.dma_copy(dst=t, src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=t)
        pool.pop()


@nki.jit
def by_flag(x, wide: bool):
    assert x.shape[0] % 128 == 0
    pool = Pool()
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    pool.push(nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf), 512)
    if wide:
        pool.push(nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf), 256)
    rows(pool, x, out)
    reveal(len(pool.tiles))  # revealed: (2 if wide else 1)
    reveal(pool.columns)  # revealed: (768 if wide else 512)
    return out


@nki.jit
def by_member(x, scaling: Scaling):
    assert x.shape[0] % 128 == 0
    pool = Pool()
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if scaling == Scaling.WHOLE:
        pool.push(nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf), 64)
    if scaling != Scaling.NONE:
        pool.push(nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf), 256)
    for i in range(x.shape[0] // 128):
        t = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        if scaling == Scaling.ROWS:
            pool.push(nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.sbuf), 32)
        nisa.dma_copy(dst=t, src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=t)
        if scaling == Scaling.ROWS:
            pool.pop()
    if scaling == Scaling.ROWS:
        reveal(len(pool.tiles))  # revealed: 1
    if scaling == Scaling.WHOLE:
        reveal(len(pool.tiles))  # revealed: 2
        reveal(pool.tiles[0].shape[1])  # revealed: 64
    if scaling == Scaling.NONE:
        reveal(len(pool.tiles))  # revealed: 0
    return out


@nki.jit
def left_in(x, wide: bool):  # expect: NKI003
    assert x.shape[0] % 128 == 0
    pool = Pool()
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if wide:
        pool.push(nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf), 256)
    for i in range(x.shape[0] // 128):
        t = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
        pool.push(t, x.shape[1])
        nisa.dma_copy(dst=t, src=x[i * 128 : i * 128 + 128, :])
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=t)
        if not wide:
            pool.pop()
    reveal(len(pool.tiles))  # revealed: unknown: what a list or dict holds changes from one iteration of the loop over `i` to the next
    return out
