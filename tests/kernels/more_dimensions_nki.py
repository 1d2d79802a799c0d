"""Tensors have as many dimensions as a kernel's own assertions leave, which may be more than its subscripts use."""

import nki
import nki.isa as nisa
import nki.language as nl


def move(dst, src):
    tile = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=src)
    nisa.dma_copy(dst=dst, src=tile)


@nki.jit
def starred_sizes(x):
    *lead, rows, columns = x.shape
    assert len(lead) == 2 and rows <= 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(lead[0]):
        for h in range(lead[1]):
            move(out[b, h], x[b, h])
    return out


@nki.jit
def tail_of_a_shape(x):
    assert x.shape[2:] == (64,) and x.shape[1] <= 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(x.shape[0]):
        move(out[b], x[b])
    return out


@nki.jit
def fewer_heads_of_keys(q, k):
    batch, heads, rows, columns = q.shape
    assert k.shape[0] == batch and k.shape[2:] == (rows, columns)
    assert rows <= 128 and heads % k.shape[1] == 0
    out = nl.ndarray(k.shape, dtype=k.dtype, buffer=nl.shared_hbm)
    for b in range(batch):
        for h in range(k.shape[1]):
            move(out[b, h], k[b, h])
    return out


@nki.jit
def length_of_a_tail(cache):
    block, tail = cache.shape[0], cache.shape[1:]
    assert len(tail) == 3 and block <= 128
    out = nl.ndarray(cache.shape, dtype=cache.dtype, buffer=nl.shared_hbm)
    for i in range(tail[0]):
        for j in range(tail[1]):
            move(out[:, i, j], cache[:, i, j])
    return out


@nki.jit
def rows_beyond_the_partitions(x):
    *lead, rows, columns = x.shape
    assert len(lead) == 2
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(lead[0]):
        for h in range(lead[1]):
            tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101 x.shape[2] <= 128
            nisa.dma_copy(dst=tile, src=x[b, h])
            nisa.dma_copy(dst=out[b, h], src=tile)
    return out


@nki.jit
def one_head_too_many(x):
    assert x.shape[2:] == (128, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(x.shape[0]):
        for h in range(x.shape[1]):
            move(out[b, h], x[b, h + 1])  # expect: NKI301
    return out


@nki.jit
def two_ranks_will_do(x):
    *lead, rows, columns = x.shape
    assert len(lead) in (2, 3) and rows == 128 and columns == 64
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = x
    for _ in lead:
        tile = tile[0]
    move(out, tile)
    return out


@nki.jit
def neither_of_two(x):
    assert x.shape[1:] == (128,) and x.shape[2:] == (64,)  # expect: NKI807
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    move(out, x)
    return out
