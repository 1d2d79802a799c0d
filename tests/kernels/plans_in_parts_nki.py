"""Plans of tiles, made by loops of symbolic length, of which loops take parts: steps, backwards, first and rest, chains."""

from itertools import chain, islice

import nki
import nki.isa as nisa
import nki.language as nl


def tiles(total, size):
    plan = []
    for start in range(0, total, size):
        plan.append((start, min(size, total - start)))
    return plan


def copy_rows(out, x, start, size):
    tile = nl.ndarray((size, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[start : start + size, :])
    nisa.dma_copy(dst=out[start : start + size, :], src=tile)


# nkilint: x: float32[R, C], 1 <= C, C <= 1024
@nki.jit
def even_and_odd(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    plan = tiles(x.shape[0], 128)
    for start, size in plan[::2]:
        copy_rows(out, x, start, size)
    for start, size in plan[1::2]:
        copy_rows(out, x, start, size)
    return out


# nkilint: x: float32[R, C], 1 <= C, C <= 1024
@nki.jit
def even_alone(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    plan = tiles(x.shape[0], 128)
    for start, size in plan[::2]:
        copy_rows(out, x, start, size)
    return out  # expect: NKI703 R <= 128


# nkilint: x: float32[R, C], 1 <= C, C <= 1024
@nki.jit
def last_one_first(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(x.shape[0], 128)[::-1]:
        copy_rows(out, x, start, size)
    return out


# nkilint: x: float32[R, C], 1 <= R, 1 <= C, C <= 1024
@nki.jit
def first_and_rest(x):
    R, C = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    plan = tiles(R, 128)
    tile = nl.ndarray((max(size for _, size in plan), C), dtype=x.dtype, buffer=nl.sbuf)
    (start, rows), *rest = plan
    nisa.dma_copy(dst=tile[0:rows, :], src=x[start : start + rows, :])
    nisa.dma_copy(dst=out[start : start + rows, :], src=tile[0:rows, :])
    for start, rows in rest:
        nisa.dma_copy(dst=tile[0:rows, :], src=x[start : start + rows, :])
        nisa.dma_copy(dst=out[start : start + rows, :], src=tile[0:rows, :])
    return out


# nkilint: x: float32[R, C], 1 <= R, 1 <= C, C <= 1024
@nki.jit
def as_large_as_the_last(x):
    R, C = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    plan = tiles(R, 128)
    tile = nl.ndarray((min(size for _, size in plan), C), dtype=x.dtype, buffer=nl.sbuf)
    for start, rows in plan:
        nisa.dma_copy(dst=tile[0:rows, :], src=x[start : start + rows, :])  # expect: NKI301 R % 128 == 0 or R <= 128
        nisa.dma_copy(dst=out[start : start + rows, :], src=tile[0:rows, :])
    return out


# nkilint: x: float32[R, C], 1 <= C, C <= 1024
@nki.jit
def whole_ones_and_the_tail(x):
    R, C = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    whole = [(i * 128, 128) for i in range(R // 128)]
    tail = [(R // 128 * 128, R % 128)] if R % 128 else []
    for start, size in chain(whole, tail):
        copy_rows(out, x, start, size)
    return out


# nkilint: x: float32[R, C], 129 <= R, 1 <= C, C <= 1024
@nki.jit
def without_the_first(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in islice(tiles(x.shape[0], 128), 1, None):
        copy_rows(out, x, start, size)
    return out  # expect: NKI703
