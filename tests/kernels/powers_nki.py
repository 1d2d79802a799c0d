"""Powers of two: `1 << d` and the next are one symbol, and exponents that the caller chooses are not negative."""

import nki
import nki.isa as nisa
import nki.language as nl


def row(x, n):
    tile = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


@nki.jit
def halving(x, depth):
    n = 1 << depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    t = row(x, n)
    for d in range(depth):
        w = n >> (d + 1)
        nisa.tensor_tensor(dst=t[:, 0:w], data1=t[:, 0:w], data2=t[:, w : 2 * w], op=nl.add)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def halving_from_the_whole(x, depth):
    n = 1 << depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    t = row(x, n)
    for d in range(depth):
        w = n >> d
        nisa.tensor_tensor(dst=t[:, 0:w], data1=t[:, 0:w], data2=t[:, w : 2 * w], op=nl.add)  # expect: NKI301
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def butterfly(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    t = row(x, n)
    for d in range(depth):
        h = 2**d
        for k in range(n // (2 * h)):
            a = 2 * h * k
            nisa.tensor_tensor(dst=t[:, a : a + h], data1=t[:, a : a + h], data2=t[:, a + h : a + 2 * h], op=nl.add)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def butterfly_of_one_stage_more(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    t = row(x, n)
    for d in range(depth + 1):
        h = 2**d
        nisa.tensor_tensor(dst=t[:, 0:h], data1=t[:, 0:h], data2=t[:, h : 2 * h], op=nl.add)  # expect: NKI301
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def stages_that_double(x, depth):  # expect: NKI003
    """Every element is covered, which only induction shows."""
    assert x.shape == (128, 1 << depth)
    out = nl.ndarray((128, 1 << depth), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[:, 0:1], src=x[:, 0:1])
    for d in range(depth):
        nisa.dma_copy(dst=out[:, 1 << d : 1 << (d + 1)], src=x[:, 1 << d : 1 << (d + 1)])
    return out


@nki.jit
def rows_of_a_power(x, depth):
    rows = 2**depth
    assert x.shape == (rows, 64)
    assert depth <= 7
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def rows_of_a_power_too_many(x, depth):
    rows = 2**depth
    assert x.shape == (rows, 64)
    assert depth <= 8
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 2**depth <= 128
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def corrected_for_the_step(m, beta, step):
    """As Adam corrects its means: what the power comes to decides nothing but a factor."""
    assert m.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=m.dtype, buffer=nl.shared_hbm)
    tile = row(m, 512)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=1.0 / (1.0 - beta**step))
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def columns_of_a_power(x, base, depth):  # expect: NKI003
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range(base**depth):
        nisa.dma_copy(dst=out[:, j : j + 1], src=x[:, j : j + 1])
    return out


# nkilint: x: float32[n, 64], n >= 1, n <= 128
@nki.jit
def a_power_that_may_be_a_fraction(x):  # expect: NKI003
    n = x.shape[0]
    out = nl.ndarray((n, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = 300 if 0 < 3 ** (n - 2) < 1 else n
    tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=out, src=tile[0:n, :])
    return out


# nkilint: x: float32[n, 64], n >= 1, n <= 128
@nki.jit
def a_power_that_may_be_an_integer(x):  # expect: NKI003
    n = x.shape[0]
    out = nl.ndarray((n, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = 300 if isinstance(3 ** (n - 2), int) else n
    tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=out, src=tile[0:n, :])
    return out
