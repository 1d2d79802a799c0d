"""Loops from part to part of an input that leave out the first or the last of them."""

import nki
import nki.isa as nisa
import nki.language as nl


def add_part(total, source, begin):
    tile = nl.ndarray(total.shape, dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[begin : begin + 128, :])
    nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)


@nki.jit
def without_the_last(a):
    K, M = a.shape
    assert K % 128 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for k in range(K // 128 - 1):
        tile = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=a[k * 128 : (k + 1) * 128, :])  # expect: NKI709
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=out, src=total)
    return out


@nki.jit
def without_the_first(a):
    assert a.shape == (1024, 512)
    out = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for k in range(1, 8):
        tile = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=a[k * 128 : (k + 1) * 128, :])  # expect: NKI709
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=out, src=total)
    return out


@nki.jit
def begun_with_the_first(a):
    K, M = a.shape
    assert K % 128 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=total, src=a[0:128, :])
    for k in range(1, K // 128):
        add_part(total, a, k * 128)
    nisa.dma_copy(dst=out, src=total)
    return out


@nki.jit
def neighbours(a):
    K, M = a.shape
    assert K % 128 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for k in range(K // 128 - 1):
        add_part(total, a, k * 128)
        add_part(total, a, (k + 1) * 128)
    nisa.dma_copy(dst=out, src=total)
    return out


@nki.jit
def blocks_without_the_last(a):
    K, M = a.shape
    assert K % 512 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(K // 512 - 1):
        for k in range(4):
            tile = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=a[nl.ds((block * 4 + k) * 128, 128), :])  # expect: NKI709
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=out, src=total)
    return out


@nki.jit
def blocks_and_then_the_last(a):
    K, M = a.shape
    assert K % 512 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for block in range(K // 512 - 1):
        for k in range(4):
            add_part(total, a, (block * 4 + k) * 128)
    for k in range(4):
        add_part(total, a, K - 512 + k * 128)
    nisa.dma_copy(dst=out, src=total)
    return out
