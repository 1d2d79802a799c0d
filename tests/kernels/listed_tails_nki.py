"""Kernels over tiles and what is left behind the last whole one, as a helper lists them."""

import nki
import nki.isa as nisa
import nki.language as nl


def plan_of(n, size):
    plan = [(i * size, size) for i in range(n // size)]
    if n % size:
        plan.append((n // size * size, n % size))
    return plan


@nki.jit
def matmul(a, b):
    K, M = a.shape
    K2, N = b.shape
    assert K2 == K
    assert M <= 128
    assert N <= 512
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
    for i, (start, rows) in enumerate(plan_of(K, 128)):
        at = nl.ndarray((128, M), dtype=a.dtype, buffer=nl.sbuf)
        bt = nl.ndarray((128, N), dtype=b.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=at[0:rows, :], src=a[start:start + rows, :])
        nisa.dma_copy(dst=bt[0:rows, :], src=b[start:start + rows, :])
        nisa.nc_matmul(dst=total, stationary=at[0:rows, :], moving=bt[0:rows, :], accumulate=i > 0)
    s = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=s, src=total)
    nisa.dma_copy(dst=out, src=s)
    return out


@nki.jit
def matmul_start(a, b):
    K, M = a.shape
    K2, N = b.shape
    assert K2 == K
    assert M <= 128
    assert N <= 512
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
    for start, rows in plan_of(K, 128):
        at = nl.ndarray((128, M), dtype=a.dtype, buffer=nl.sbuf)
        bt = nl.ndarray((128, N), dtype=b.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=at[0:rows, :], src=a[start:start + rows, :])
        nisa.dma_copy(dst=bt[0:rows, :], src=b[start:start + rows, :])
        nisa.nc_matmul(dst=total, stationary=at[0:rows, :], moving=bt[0:rows, :], accumulate=start > 0)
    s = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=s, src=total)
    nisa.dma_copy(dst=out, src=s)
    return out


@nki.jit
def matmul_wrong(a, b):
    K, M = a.shape
    K2, N = b.shape
    assert K2 == K
    assert M <= 128
    assert N <= 512
    out = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.ndarray((M, N), dtype=nl.float32, buffer=nl.psum)
    for start, rows in plan_of(K, 128):
        at = nl.ndarray((128, M), dtype=a.dtype, buffer=nl.sbuf)
        bt = nl.ndarray((128, N), dtype=b.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=at[0:rows, :], src=a[start:start + rows, :])
        nisa.dma_copy(dst=bt[0:rows, :], src=b[start:start + rows, :])
        nisa.nc_matmul(dst=total, stationary=at[0:rows, :], moving=bt[0:rows, :], accumulate=start > 128)  # expect: NKI506 K <= 255 and (K <= 127 or K % 128 == 0 or K >= 256)
    s = nl.ndarray((M, N), dtype=a.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=s, src=total)
    nisa.dma_copy(dst=out, src=s)
    return out


@nki.jit
def buffers(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
    for start, rows in plan_of(M, 128):
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def stored_late(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
    for start, rows in plan_of(M, 128):
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])  # expect: NKI708 M <= 255
    for start, rows in plan_of(M, 128):
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def kept(x):
    M, N = x.shape
    assert N <= 64
    assert M <= 4096
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    for start, rows in plan_of(M, 128):
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        tiles.append(t)
    for (start, rows), t in zip(plan_of(M, 128), tiles):
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def two_axes(x):
    M, N = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, rows in plan_of(M, 128):
        for left, width in plan_of(N, 512):
            t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t[0:rows, 0:width], src=x[start:start + rows, left:left + width])
            nisa.dma_copy(dst=out[start:start + rows, left:left + width], src=t[0:rows, 0:width])
    return out


@nki.jit
def two_axes_wrong(x):
    M, N = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, rows in plan_of(M, 128):
        for left, width in plan_of(N, 512):
            t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t[0:rows, 0:width], src=x[start:start + rows, left:left + width])
            nisa.dma_copy(dst=out[start:start + rows, left:left + rows], src=t[0:rows, 0:width])  # expect: NKI204
    return out  # expect: NKI703
