"""Tensors kept in lists: a position past the last item is out of bounds."""

import math

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def as_many_as_there_are(x):
    M, N = x.shape
    assert N <= 512
    output = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = []
    for i in range(math.ceil(M / 128)):
        tile = nl.ndarray((128, N), dtype=nl.float32, buffer=nl.sbuf)
        count = min(128, M - i * 128)
        nisa.dma_copy(dst=tile[0:count, :], src=x[i * 128 : i * 128 + count, :])
        tiles.append(tile)
    for i in range(math.ceil(M / 128)):
        count = min(128, M - i * 128)
        nisa.dma_copy(dst=output[i * 128 : i * 128 + count, :], src=tiles[i][0:count, :])
    return output


@nki.jit
def one_more_where_tiles_are_whole(x):
    M, N = x.shape
    assert N <= 512
    output = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = []
    for i in range(math.ceil(M / 128)):
        tile = nl.ndarray((128, N), dtype=nl.float32, buffer=nl.sbuf)
        count = min(128, M - i * 128)
        nisa.dma_copy(dst=tile[0:count, :], src=x[i * 128 : i * 128 + count, :])
        tiles.append(tile)
    for i in range(M // 128 + 1):
        count = min(128, M - i * 128)
        nisa.dma_copy(dst=output[i * 128 : i * 128 + count, :], src=tiles[i][0:count, :])  # expect-warning: NKI301 M % 128 != 0
    return output


@nki.jit
def three_of_two(x):
    assert x.shape == (384, 512)
    output = nl.ndarray((384, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    ring = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    for i in range(3):
        held = ring[i]  # expect: NKI301
        nisa.dma_copy(dst=held, src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=held)
    return output


def tiles_of(total, step):
    """Start and size of each tile, counted up by a step that the caller gives."""
    found = []
    start = 0
    while start < total:
        found.append((start, min(step, total - start)))
        start += step
    return found


@nki.jit
def tiles_counted_by_while(x, step=128):
    M, N = x.shape
    output = nl.ndarray((M, N), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in tiles_of(M, step):
        tile = nl.ndarray((step, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[:size], src=x[start : start + size])
        nisa.dma_copy(dst=output[start : start + size], src=tile[:size])
    return output


@nki.jit
def rank_by_the_sizes_asked_for(q, k):
    heads, D, S = q.shape
    assert k.shape[0] == heads and k.shape[1] == D and k.shape[2] == S
    assert D <= 128
    output = nl.ndarray((heads, D, S), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in range(heads):
        tile = nl.ndarray((D, S), dtype=k.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=k[h])
        nisa.dma_copy(dst=output[h], src=tile)
    return output
