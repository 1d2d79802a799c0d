"""What a loop around that is evaluated iteration by iteration repeats, or begins anew."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def sums_of_two_passes(a, b):
    k_size, m = a.shape
    assert m == 32 and b.shape == (k_size, 64) and k_size % 32 == 0 and k_size >= 64
    out = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    ps = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.psum)
    o = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.sbuf)
    ta = nl.ndarray((32, 32), dtype=a.dtype, buffer=nl.sbuf)
    tb = nl.ndarray((32, 64), dtype=b.dtype, buffer=nl.sbuf)
    for g in range(2):
        for k in range(k_size // 32):
            nisa.dma_copy(dst=ta, src=a[k * 32 : k * 32 + 32, :])
            row = (k_size // 32 - 1 - k if g else k) * 32
            nisa.dma_copy(dst=tb, src=b[row : row + 32, :])
            nisa.nc_matmul(dst=ps, stationary=ta, moving=tb, accumulate=k > 0)  # expect: NKI506
    nisa.tensor_copy(dst=o, src=ps)
    nisa.dma_copy(dst=out[0:32, :], src=o)
    return out


@nki.jit
def one_sum_of_two_passes(a, b):
    k_size, m = a.shape
    assert m == 32 and b.shape == (k_size, 64) and k_size % 32 == 0 and k_size >= 64
    out = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    ps = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.psum)
    o = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.sbuf)
    ta = nl.ndarray((32, 32), dtype=a.dtype, buffer=nl.sbuf)
    tb = nl.ndarray((32, 64), dtype=b.dtype, buffer=nl.sbuf)
    for g in range(2):
        for k in range(k_size // 32):
            nisa.dma_copy(dst=ta, src=a[k * 32 : k * 32 + 32, :])
            row = (k_size // 32 - 1 - k if g else k) * 32
            nisa.dma_copy(dst=tb, src=b[row : row + 32, :])
            nisa.nc_matmul(dst=ps, stationary=ta, moving=tb, accumulate=g + k > 0)
    nisa.tensor_copy(dst=o, src=ps)
    nisa.dma_copy(dst=out[0:32, :], src=o)
    return out


@nki.jit
def sums_that_are_read(a, b):
    k_size, m = a.shape
    assert m == 32 and b.shape == (k_size, 64) and k_size % 32 == 0 and k_size >= 64
    out = nl.ndarray((2, 32, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    ps = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.psum)
    o = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.sbuf)
    ta = nl.ndarray((32, 32), dtype=a.dtype, buffer=nl.sbuf)
    tb = nl.ndarray((32, 64), dtype=b.dtype, buffer=nl.sbuf)
    for g in range(2):
        for k in range(k_size // 32):
            nisa.dma_copy(dst=ta, src=a[k * 32 : k * 32 + 32, :])
            row = (k_size // 32 - 1 - k if g else k) * 32
            nisa.dma_copy(dst=tb, src=b[row : row + 32, :])
            nisa.nc_matmul(dst=ps, stationary=ta, moving=tb, accumulate=k > 0)
        nisa.tensor_copy(dst=o, src=ps)
        nisa.dma_copy(dst=out[g], src=o)
    return out


@nki.jit
def the_same_each_time(x):
    m, n = x.shape
    assert m <= 32 and n <= 512
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    o = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    for g in range(2):
        t = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
        for k in range(n):
            nisa.dma_copy(dst=t[:, k : k + 1], src=x[:, k : k + 1])
        nisa.tensor_copy(dst=o, src=t)
        nisa.dma_copy(dst=out, src=o)
    return out


@nki.jit
def another_each_time(x):
    m, n = x.shape
    assert m <= 32 and 2 <= n <= 256
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    o = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    for g in range(2):
        t = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
        for k in range(n):
            at = n - 1 - k if g else k
            nisa.dma_copy(dst=t[:, k : k + 1], src=x[:, at : at + 1])
        nisa.tensor_copy(dst=o, src=t)
        nisa.dma_copy(dst=out, src=o)  # expect: NKI708
    return out


@nki.jit
def begins_twice(a, b):  # expect: NKI003
    k_size, m = a.shape
    assert m == 32 and b.shape == (k_size, 64) and k_size % 32 == 0 and k_size >= 64
    out = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    ps = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.psum)
    o = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.sbuf)
    ta = nl.ndarray((32, 32), dtype=a.dtype, buffer=nl.sbuf)
    tb = nl.ndarray((32, 64), dtype=b.dtype, buffer=nl.sbuf)
    for k in range(k_size // 32):
        nisa.dma_copy(dst=ta, src=a[k * 32 : k * 32 + 32, :])
        nisa.dma_copy(dst=tb, src=b[k * 32 : k * 32 + 32, :])
        if k < 2:
            nisa.nc_matmul(dst=ps, stationary=ta, moving=tb, accumulate=False)
        else:
            nisa.nc_matmul(dst=ps, stationary=ta, moving=tb, accumulate=True)
    nisa.tensor_copy(dst=o, src=ps)
    nisa.dma_copy(dst=out[0:32, :], src=o)
    return out


@nki.jit
def begins_once(a, b):
    k_size, m = a.shape
    assert m == 32 and b.shape == (k_size, 64) and k_size % 32 == 0 and k_size >= 64
    out = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    ps = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.psum)
    o = nl.ndarray((32, 64), dtype=nl.float32, buffer=nl.sbuf)
    ta = nl.ndarray((32, 32), dtype=a.dtype, buffer=nl.sbuf)
    tb = nl.ndarray((32, 64), dtype=b.dtype, buffer=nl.sbuf)
    for k in range(k_size // 32):
        nisa.dma_copy(dst=ta, src=a[k * 32 : k * 32 + 32, :])
        nisa.dma_copy(dst=tb, src=b[k * 32 : k * 32 + 32, :])
        if k == 0:
            nisa.nc_matmul(dst=ps, stationary=ta, moving=tb, accumulate=False)
        else:
            nisa.nc_matmul(dst=ps, stationary=ta, moving=tb, accumulate=True)
    nisa.tensor_copy(dst=o, src=ps)
    nisa.dma_copy(dst=out[0:32, :], src=o)
    return out
