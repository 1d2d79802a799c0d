"""Assertions with a part that is not followed: what the other parts of a conjunction ask is known all the same,
and what is asked of its sizes is open where it may not hold."""

import math

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def root_behind_a_size(x):
    P, N = x.shape
    assert P == 128 and math.isqrt(N) ** 2 == N
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def root_before_a_size(x):
    P, N = x.shape
    assert math.isqrt(N) ** 2 == N and P <= 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def root_among_three(x):
    P, N = x.shape
    assert P % 128 == 0 and math.isqrt(N) ** 2 == N and N <= 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(P // 128):
        tile = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128])
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128], src=tile)
    return out


@nki.jit
def logarithm_in_brackets(x):
    P, N = x.shape
    assert P >= 1 and (math.log2(N) % 1 == 0 and P < 129)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def one_of_two(x):  # expect: NKI003
    P, N = x.shape
    assert P == 128 or math.isqrt(N) ** 2 == N
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def one_partition_too_many(x):
    P, N = x.shape
    assert P == 129 and math.isqrt(N) ** 2 == N
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def handled(x):
    P, N = x.shape
    try:
        assert P <= 128 and math.isqrt(N) ** 2 == N
    except AssertionError:
        pass
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101 P <= 128
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def against_another(x):
    P, N = x.shape
    assert P <= 128
    assert P > 128 and math.isqrt(N) ** 2 == N  # expect: NKI807
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def not_both(x):  # expect: NKI003
    P, N = x.shape
    assert not (P == 64 and math.isqrt(N) ** 2 == N)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def both_or_another(x):  # expect: NKI003
    P, N = x.shape
    assert (P <= 128 and math.isqrt(N) ** 2 == N) or P > 100
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


def check(condition, message=""):
    assert condition, message


def copied(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def part_that_a_helper_checks(x):  # expect: NKI003
    P, N = x.shape
    check(P <= 128 and math.isqrt(N) ** 2 == N, "no square")
    return copied(x)


@nki.jit
def part_under_a_name(x):  # expect: NKI003
    P, N = x.shape
    fits = math.isqrt(N) ** 2 == N and P <= 128
    assert fits
    return copied(x)


@nki.jit
def size_that_a_helper_checks(x):  # expect: NKI003
    P, N = x.shape
    check(math.isqrt(P) ** 2 == P, "no square")
    return copied(x)


@nki.jit
def parts_under_not(x):  # expect: NKI003
    P, N = x.shape
    assert not (P > 128 or math.isqrt(N) ** 2 != N)
    return copied(x)


@nki.jit
def other_size_that_a_helper_checks(x):  # expect: NKI003
    P, N = x.shape
    check(math.isqrt(N) ** 2 == N, "no square")
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101 P <= 128
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def one_of_two_that_a_helper_checks(x):  # expect: NKI003
    P, N = x.shape
    check(P <= 128 or math.isqrt(N) ** 2 == N, "no square")
    out = nl.ndarray((256, N), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((256, N), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.memset(dst=tile, value=0)
    nisa.dma_copy(dst=out, src=tile)
    return out
