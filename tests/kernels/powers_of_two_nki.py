"""Powers of two and common divisors, as kernels ask for them, and assertions that are not followed."""

import math

import nki
import nki.isa as nisa
import nki.language as nl


def copied(x, size):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range(x.shape[1] // size):
        tile = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, j * size : (j + 1) * size])
        nisa.dma_copy(dst=out[:, j * size : (j + 1) * size], src=tile)
    return out


def is_power_of_two(n):
    return n > 0 and (n & (n - 1)) == 0


@nki.jit
def large_power(x):
    P, N = x.shape
    assert P == 128
    assert N >= 128 and N & (N - 1) == 0
    return copied(x, 128)


@nki.jit
def power_that_may_be_small(x):
    P, N = x.shape
    assert P == 128
    assert N >= 64 and N & (N - 1) == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range(N // 128):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, j * 128 : (j + 1) * 128])
        nisa.dma_copy(dst=out[:, j * 128 : (j + 1) * 128], src=tile)
    return out  # expect: NKI703 N % 128 == 0


@nki.jit
def power_by_a_helper(x):
    P, N = x.shape
    assert P == 128
    assert is_power_of_two(N), "no power of two"
    return copied(x, min(N, 512))


@nki.jit
def power_that_is_raised_for(x):
    P, N = x.shape
    assert P == 128
    if (N - 1) & N:
        raise ValueError("no power of two")
    return copied(x, min(N, 256))


@nki.jit
def no_power(x):
    P, N = x.shape
    assert P == 128
    assert N & (N - 1) != 0
    assert N <= 3
    tile = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0:N], src=x)
    out = nl.ndarray((128, 3), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile[:, 0:3])
    return out


@nki.jit
def divisor_asserted(x):
    P, N = x.shape
    assert P == 128
    assert math.gcd(N, 128) == 128
    return copied(x, 128)


@nki.jit
def smaller_divisor_asserted(x):
    P, N = x.shape
    assert P == 128
    assert math.gcd(N, 64) == 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range(N // 128):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, j * 128 : (j + 1) * 128])
        nisa.dma_copy(dst=out[:, j * 128 : (j + 1) * 128], src=tile)
    return out  # expect: NKI703 N % 128 == 0


@nki.jit
def divisor_as_a_tile(x):
    P, N = x.shape
    assert P == 128
    return copied(x, math.gcd(N, 512))


@nki.jit
def divisor_of_another_size(x, y):  # expect: NKI003
    P, N = x.shape
    assert P == 128
    size = math.gcd(y.shape[1], 512)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range(N // size):
        tile = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, j * size : (j + 1) * size])
        nisa.dma_copy(dst=out[:, j * size : (j + 1) * size], src=tile)
    return out


@nki.jit
def logarithm_of_the_size(x):  # expect: NKI003
    P, N = x.shape
    assert P == 128
    assert N >= 128 and math.log2(N).is_integer()
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range(N // 128):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, j * 128 : (j + 1) * 128])
        nisa.dma_copy(dst=out[:, j * 128 : (j + 1) * 128], src=tile)
    return out


@nki.jit
def logarithm_of_another_size(x, y):
    P, N = x.shape
    assert P == 128
    assert math.log2(y.shape[0]).is_integer()
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range(N // 128):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, j * 128 : (j + 1) * 128])
        nisa.dma_copy(dst=out[:, j * 128 : (j + 1) * 128], src=tile)
    return out  # expect: NKI703 N % 128 == 0


@nki.jit
def logarithm_and_a_constant(x):
    P, N = x.shape
    assert P == 256 and math.log2(N).is_integer()
    out = nl.ndarray((256, N), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((256, N), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, N], y: float32[128, M]
@nki.jit
def bits_of_two_sizes(x, y):  # expect: NKI003
    first = x.shape[1] & y.shape[1]
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[:, first : first + 1])
    return out
