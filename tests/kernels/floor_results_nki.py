"""Inputs of which results of a smaller size leave out the end: pooling and sums of blocks by whole parts alone, and windows
that go as far as there is room for one (NKI709)."""

import nki
import nki.isa as nisa
import nki.language as nl


def new(columns):
    return nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)


def reduced(dst, source, op, columns):
    part, result = new(columns), new(1)
    nisa.dma_copy(dst=part, src=source)
    nisa.tensor_reduce(dst=result, op=op, data=part, axis=1)
    nisa.dma_copy(dst=dst, src=result)


# nkilint: x: float32[128, M]
@nki.jit
def pooled_by_two(x):
    columns = x.shape[1]
    out = nl.ndarray((128, columns // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(columns // 2):
        reduced(out[0:128, i : i + 1], x[0:128, 2 * i : 2 * i + 2], nl.maximum, 2)
    return out


# nkilint: x: float32[128, M], M >= 2
@nki.jit
def pooled_at_once(x):
    pairs = x.shape[1] // 2
    out = nl.ndarray((128, pairs), dtype=x.dtype, buffer=nl.shared_hbm)
    left, right = new(pairs), new(pairs)
    nisa.dma_copy(dst=left, src=x[0:128, 0 : pairs * 2 : 2])
    nisa.dma_copy(dst=right, src=x[0:128, 1 : pairs * 2 : 2])
    nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.maximum)
    nisa.dma_copy(dst=out, src=left)
    return out


# nkilint: x: float32[128, M]
@nki.jit
def sums_of_blocks(x):
    blocks = x.shape[1] // 64
    out = nl.ndarray((128, blocks), dtype=x.dtype, buffer=nl.shared_hbm)
    sums = new(blocks)
    for i in range(blocks):
        part = new(64)
        nisa.dma_copy(dst=part, src=x[0:128, 64 * i : 64 * i + 64])
        nisa.tensor_reduce(dst=sums[0:128, i : i + 1], op=nl.add, data=part, axis=1)
    nisa.dma_copy(dst=out, src=sums)
    return out


# nkilint: x: float32[128, M]
@nki.jit
def sum_of_all(x):
    total = new(1)
    nisa.memset(dst=total, value=0.0)
    for i in range(x.shape[1] // 64):
        part, result = new(64), new(1)
        nisa.dma_copy(dst=part, src=x[0:128, 64 * i : 64 * i + 64])  # expect: NKI709 M % 64 == 0
        nisa.tensor_reduce(dst=result, op=nl.add, data=part, axis=1)
        nisa.tensor_tensor(dst=total, data1=total, data2=result, op=nl.add)
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[128, M]
@nki.jit
def sums_of_blocks_that_are_summed(x):
    blocks = x.shape[1] // 64
    sums, total = new(blocks), new(1)
    for i in range(blocks):
        part = new(64)
        nisa.dma_copy(dst=part, src=x[0:128, 64 * i : 64 * i + 64])  # expect: NKI709 M % 64 == 0
        nisa.tensor_reduce(dst=sums[0:128, i : i + 1], op=nl.add, data=part, axis=1)
    nisa.tensor_reduce(dst=total, op=nl.add, data=sums, axis=1)
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[R, 64]
@nki.jit
def tiles_in_a_result_of_tiles(x):
    tiles = x.shape[0] // 128
    out = nl.ndarray((tiles, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(tiles):
        nisa.dma_copy(dst=out[i], src=x[i * 128 : i * 128 + 128, 0:64])  # expect: NKI709 R % 128 == 0
    return out


# nkilint: x: float32[128, M], M % 64 == 0
@nki.jit
def blocks_that_move_by_one(x):
    blocks = x.shape[1] // 64
    out = nl.ndarray((128, blocks), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(blocks):
        part, result = new(64), new(1)
        nisa.dma_copy(dst=part, src=x[0:128, i : i + 64])  # expect: NKI709 M <= 64
        nisa.tensor_reduce(dst=result, op=nl.add, data=part, axis=1)
        nisa.dma_copy(dst=out[0:128, i : i + 1], src=result)
    return out


# nkilint: x: float32[128, 8]
@nki.jit
def windows_of_three(x):
    out = nl.ndarray((128, 3), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(3):
        reduced(out[0:128, i : i + 1], x[0:128, 2 * i : 2 * i + 3], nl.maximum, 3)
    return out


# nkilint: x: float32[128, 9]
@nki.jit
def windows_that_stop_early(x):
    out = nl.ndarray((128, 3), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(3):
        part, result = new(3), new(1)
        nisa.dma_copy(dst=part, src=x[0:128, 2 * i : 2 * i + 3])  # expect: NKI709
        nisa.tensor_reduce(dst=result, op=nl.maximum, data=part, axis=1)
        nisa.dma_copy(dst=out[0:128, i : i + 1], src=result)
    return out


# nkilint: x: float32[128, 16]
@nki.jit
def windows_of_windows(x):
    out = nl.ndarray((128, 2, 2), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(2):
        for j in range(2):
            reduced(out[0:128, i, j : j + 1], x[0:128, 8 * i + 2 * j : 8 * i + 2 * j + 5], nl.maximum, 5)
    return out


# nkilint: x: float32[128, M]
@nki.jit
def windows_of_any_size(x):
    columns = x.shape[1]
    assert columns >= 3
    count = (columns - 3) // 2 + 1
    out = nl.ndarray((128, count), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(count):
        reduced(out[0:128, i : i + 1], x[0:128, 2 * i : 2 * i + 3], nl.maximum, 3)
    return out
