"""Loops that read as many parts of an input as it has, and move by less than a part (NKI709)."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def by_rows_for_tiles(x):
    """x: [N, 512]"""
    N, C = x.shape
    assert N % 128 == 0 and C == 512
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for i in range(N // 128):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i, 128), :])  # expect-warning: NKI709 N == 128
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def by_columns_with_a_rest(x):
    """x: [P, N]"""
    P, N = x.shape
    assert P <= 128
    total = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for j in range((N + 511) // 512):
        w = min(512, N - j * 512)
        tile = nl.ndarray((P, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[:, 0:w], src=x[:, nl.ds(j, w)])  # expect-warning: NKI709 N <= 512
        part = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=part, op=nl.add, data=tile[:, 0:w], axis=1)
        nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)
    output = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def by_tiles_for_blocks(x):
    """x: [N, 512]"""
    N, C = x.shape
    assert N % 512 == 0 and C == 512
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(N // 512):
        for i in range(4):
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds((block + i) * 128, 128), :])  # expect-warning: NKI709 N == 512
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def blocks_in_another_order(x):
    """x: [N, 512]"""
    N, C = x.shape
    assert N % 512 == 0 and C == 512
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(N // 512):
        for i in range(4):
            tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds((block + i * (N // 512)) * 128, 128), :])
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def windows_with_strides(x):
    """x: [P, N]"""
    P, N = x.shape
    assert P <= 128 and N >= 8
    steps = (N - 8) // 4 + 1
    output = nl.ndarray((P, steps), dtype=nl.float32, buffer=nl.shared_hbm)
    for j in range(steps):
        tile = nl.ndarray((P, 8), dtype=nl.float32, buffer=nl.sbuf)
        part = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(j * 4, 8)])
        nisa.tensor_reduce(dst=part, op=nl.add, data=tile, axis=1)
        nisa.dma_copy(dst=output[:, j : j + 1], src=part)
    return output


@nki.jit
def first_rows_of_a_cache(x, used):
    """x: [N, 512]"""
    N, C = x.shape
    assert C == 512 and 1 <= used and used * 128 <= N
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for i in range(used):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 64, 128), :])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=total)
    return output
