"""Sizes that a flag or a dtype chooses, where the same flag or dtype is asked again."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def asked_again(x, flag):
    R, N = x.shape
    assert R <= 128
    w = N
    if flag:
        w = N + 1
    out = nl.ndarray((R, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((R, N), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if not flag:
        nisa.dma_copy(dst=out[:, 0:w], src=t[:, 0:w])
    else:
        nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def asked_the_other_way(x, flag):
    R, N = x.shape
    assert R <= 128
    w = N
    if flag:
        w = N + 1
    out = nl.ndarray((R, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((R, N), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if flag:
        nisa.dma_copy(dst=out[:, 0:w], src=t[:, 0:w])  # expect: NKI301  # expect: NKI301
    else:
        nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def one_dtype_excludes_another(x):
    R, N = x.shape
    assert R <= 128
    if x.dtype == nl.float32:
        w = N
    elif x.dtype == nl.bfloat16:
        w = N + 1
    else:
        w = N
    out = nl.ndarray((R, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((R, N), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if x.dtype == nl.float32:
        nisa.dma_copy(dst=out[:, 0:w], src=t[:, 0:w])
    else:
        nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def a_dtype_that_may_be_the_other(x):
    R, N = x.shape
    assert R <= 128
    w = N
    if x.dtype == nl.bfloat16:
        w = N + 1
    out = nl.ndarray((R, N), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((R, N), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    if x.dtype != nl.float32:
        nisa.dma_copy(dst=out[:, 0:w], src=t[:, 0:w])  # expect-warning: NKI301 not x.dtype == bfloat16
    else:
        nisa.dma_copy(dst=out, src=t)
    return out


# nkilint: x: float32[R, 64], R % 64 == 0, R > 0
@nki.jit
def blocks_by_flag(x, wide, deep):
    R, _ = x.shape
    rows = 128 if wide and deep else 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(R // 64):
        t = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[nl.ds(r * 64, 64), :])
        if not wide:
            nisa.dma_copy(dst=out[nl.ds(r * 64, rows), :], src=t)
        else:
            nisa.dma_copy(dst=out[nl.ds(r * 64, 64), :], src=t)
    return out
