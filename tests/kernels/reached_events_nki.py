"""Counterexamples that come to what they show: by loops, branches, dtypes and assertions."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, rows, columns):
    tile = nl.ndarray((rows, columns), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


@nki.jit
def lost_in_two_loops(x):
    b, m, n = x.shape
    assert n == 64
    assert m % 128 == 0
    out = nl.ndarray((b, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(b):
        acc = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=acc, value=0.0)
        for j in range(m // 128):
            nisa.tensor_copy(dst=acc, src=loaded(x[i, 128 * j : 128 * j + 128, :], 128, 64))  # expect-warning: NKI708 m == 128
        nisa.dma_copy(dst=out[i], src=acc)
    return out


@nki.jit
def kept_in_two_loops(x):
    b, m, n = x.shape
    assert n == 64
    assert m % 128 == 0
    out = nl.ndarray((b, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(b):
        acc = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=acc, value=0.0)
        for j in range(m // 128):
            nisa.tensor_tensor(dst=acc, data1=acc, data2=loaded(x[i, 128 * j : 128 * j + 128, :], 128, 64), op=nl.add)
        nisa.dma_copy(dst=out[i], src=acc)
    return out


@nki.jit
def third_iteration(x):
    n = x.shape[1]
    assert x.shape[0] == 128
    assert n % 64 == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // 64):
        if i == 2:
            nisa.dma_copy(dst=out[:, 64 * i : 64 * i + 64], src=x[:, 64 * i + n : 64 * i + n + 64])  # expect: NKI301
        else:
            nisa.dma_copy(dst=out[:, 64 * i : 64 * i + 64], src=x[:, 64 * i : 64 * i + 64])
    return out


@nki.jit
def only_long_ones(x):
    n = x.shape[1]
    assert x.shape[0] == 128
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    if n > 2048:
        nisa.dma_copy(dst=out[:, 0:2048], src=x[:, 0:2048])
    else:
        nisa.dma_copy(dst=out, src=x)
    return out  # expect-warning: NKI703 x.shape[1] <= 2048


@nki.jit
def long_ones_in_two(x):
    n = x.shape[1]
    assert x.shape[0] == 128
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    if n > 2048:
        nisa.dma_copy(dst=out[:, 0:2048], src=x[:, 0:2048])
        nisa.dma_copy(dst=out[:, 2048:n], src=x[:, 2048:n])
    else:
        nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def half_precision_only(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.float16:
        nisa.dma_copy(dst=out, src=loaded(x[0:64, :], 64, 64))  # expect: NKI204
    else:
        nisa.dma_copy(dst=out, src=loaded(x, 128, 64))
    return out


@nki.jit
def half_precision_too(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.float16:
        nisa.dma_copy(dst=out[0:64, :], src=loaded(x[0:64, :], 64, 64))
        nisa.dma_copy(dst=out[64:128, :], src=loaded(x[64:128, :], 64, 64))
    else:
        nisa.dma_copy(dst=out, src=loaded(x, 128, 64))
    return out


@nki.jit
def after_the_first_block(x):
    """From the second block on, rows of the block before are read."""
    m = x.shape[0]
    assert x.shape[1] == 64
    assert m % 128 == 0
    out = nl.ndarray((m, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(m // 128):
        first = 128 * i - 1 if i > 0 else 0
        nisa.dma_copy(dst=out[128 * i : 128 * i + 128, :], src=x[first + 1 : first + 129, :])  # expect-warning: NKI301 x.shape[0] >= 129
    return out


@nki.jit
def after_the_first_block_good(x):
    m = x.shape[0]
    assert x.shape[1] == 64
    assert m % 128 == 0
    out = nl.ndarray((m, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(m // 128):
        first = 128 * i - 1 if i > 0 else -1
        nisa.dma_copy(dst=out[128 * i : 128 * i + 128, :], src=x[first + 1 : first + 129, :])
    return out


@nki.jit
def product_of_sizes(x):
    a, b = x.shape
    assert a * b == 8192
    out = nl.ndarray((a, b), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((a, b), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 a <= 128
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def odd_ones(x):
    n = x.shape[1]
    assert x.shape[0] == 128
    assert n % 2 == 1
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // 2):
        nisa.dma_copy(dst=out[:, 2 * i : 2 * i + 2], src=x[:, 2 * i : 2 * i + 2])
    return out  # expect: NKI703


@nki.jit
def odd_ones_good(x):
    n = x.shape[1]
    assert x.shape[0] == 128
    assert n % 2 == 1
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // 2):
        nisa.dma_copy(dst=out[:, 2 * i : 2 * i + 2], src=x[:, 2 * i : 2 * i + 2])
    nisa.dma_copy(dst=out[:, n - 1 : n], src=x[:, n - 1 : n])
    return out


@nki.jit
def stale_window(x):
    """What the loop keeps from the iteration before is read before anything was kept."""
    m = x.shape[0]
    assert x.shape[1] == 64
    assert m % 128 == 0
    assert m >= 256
    out = nl.ndarray((m, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    last = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(m // 128):
        t = loaded(x[128 * i : 128 * i + 128, :], 128, 64)
        nisa.tensor_tensor(dst=t, data1=t, data2=last, op=nl.add)  # expect: NKI701
        nisa.tensor_copy(dst=last, src=t)
        nisa.dma_copy(dst=out[128 * i : 128 * i + 128, :], src=t)
    return out
