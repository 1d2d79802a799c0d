"""Parameters that are sizes: one symbol with the size of that name in a docstring or a specification, and positive."""

import nki
import nki.isa as nisa
import nki.language as nl


def copied(x, rows, columns):
    """`x` through a tile of that many rows and columns."""
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def stated(x, n):
    """
    x: [128, n]
    """
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def stated_with_too_many_rows(x, n):
    """
    x: [256, n]
    """
    return copied(x, 256, n)


@nki.jit
def one_column_more(x, n):
    """
    x: [128, n]
    """
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[:, 1 : n + 1])  # expect: NKI301
    return out


@nki.jit
def the_first_columns(x, n):
    """Nothing is said of `x`: `n` may be more than it has."""
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape[0] == 128
    nisa.dma_copy(dst=out, src=x[:, 0:n])  # expect-warning: NKI301 n <= x.shape[1]
    return out


@nki.jit
def tiles(x, n, size):
    """
    x: [128, n]
    """
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // size):
        tile = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, i * size : (i + 1) * size])
        nisa.dma_copy(dst=out[:, i * size : (i + 1) * size], src=tile)
    return out  # expect-warning: NKI703 n % size == 0


@nki.jit
def tiles_beyond_the_end(x, n, size):
    """
    x: [128, n]
    """
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((n + size - 1) // size):
        tile = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, i * size : (i + 1) * size])  # expect-warning: NKI301 n % size == 0
        nisa.dma_copy(dst=out[:, i * size : (i + 1) * size], src=tile)
    return out


# nkilint: x: float32[128, n]
@nki.jit
def specified(x, n):
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[:, 0:n])
    return out


# nkilint: x: float32[128, n]
@nki.jit
def specified_and_transposed(x, n):
    out = nl.ndarray((n, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[0:128, 0:n], src=x)  # expect-warning: NKI301 n >= 128  # expect-warning: NKI301 n <= 128
    return out


@nki.jit
def size_with_a_default(x, n=64):
    """
    x: [128, n]
    """
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[:, 0:64])
    return out


@nki.jit
def size_with_a_default_too_small(x, n=64):
    """
    x: [128, n]
    """
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[:, 1:65])  # expect: NKI301
    return out
