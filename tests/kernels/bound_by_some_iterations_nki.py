"""Names that only some iterations of a loop bind: what stands behind them after the loop, or in later iterations."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def size_of_the_first(x):  # expect: NKI003
    """`w` is 1, however many iterations there are."""
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 128):
        if i < 1:
            w = i + 1
    t = nl.ndarray((128 * w, 512), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI808 x.shape[0] >= 128
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def tile_of_every_second(x):  # expect: NKI003
    """The last tile that was made is written, also where the last iteration makes none."""
    assert x.shape[1] == 512
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 128):
        if i % 2 == 1:
            t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[i * 128 : (i + 1) * 128, 0:512])
    nisa.dma_copy(dst=out, src=t)  # expect-warning: NKI808
    return out


@nki.jit
def row_of_the_second(x):  # expect: NKI003
    """`base` is 128, and not the start of the last part."""
    assert x.shape[1] == 512
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 128):
        if i == 1:
            base = i * 128
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[base : base + 128, 0:512])  # expect-warning: NKI808
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def row_of_the_last(x):
    assert x.shape[0] % 128 == 0
    assert x.shape[0] >= 128
    assert x.shape[1] == 512
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    n = x.shape[0] // 128
    for i in range(n):
        if i == n - 1:
            base = i * 128 + 1
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[base : base + 128, 0:512])  # expect: NKI301
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def for_some_sizes(x):
    assert x.shape[0] % 128 == 0
    assert x.shape[1] == 512
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 128):
        if x.shape[0] > 256:
            t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out, src=t)  # expect-warning: NKI808 x.shape[0] >= 257
    return out


@nki.jit
def begun_in_an_inner_loop(x):
    assert x.shape[0] % 256 == 0
    assert x.shape[1] == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 256):
        for j in range(2):
            if j == 0:
                w = 1.0
            t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.memset(dst=t, value=w)
            nisa.dma_copy(dst=out[(2 * i + j) * 128 : (2 * i + j + 1) * 128, 0:512], src=t)
    return out


@nki.jit
def begun_by_the_first_of_all(x):
    assert x.shape[0] % 256 == 0
    assert x.shape[1] == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 256):
        for j in range(x.shape[0] // 128):
            if i == 0:
                w = 1.0
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=t, value=w)
        nisa.dma_copy(dst=out[2 * i * 128 : (2 * i + 1) * 128, 0:512], src=t)
        nisa.dma_copy(dst=out[(2 * i + 1) * 128 : (2 * i + 2) * 128, 0:512], src=t)
    return out


@nki.jit
def bound_by_no_inner_loop(x):  # expect: NKI003
    """Where there are 256 rows, the inner loop binds nothing."""
    assert x.shape[0] % 128 == 0
    assert x.shape[0] >= 256
    assert x.shape[1] == 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 128):
        for j in range(x.shape[0] // 256):
            if j == 7:
                w = 1.0
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=t, value=w)
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128, 0:512], src=t)
    return out
