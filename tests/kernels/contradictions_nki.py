"""What kernels ask of their inputs in two places, and whether any input meets both; and what each place asks itself."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def more_than_a_tile_has(x):
    rows, columns = x.shape
    out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    lower = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=lower, src=x[128:256, :])  # expect-warning: NKI301 rows >= 256
    whole = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.memset(dst=whole, value=0.0)
    nisa.dma_copy(dst=out, src=lower)
    return out


@nki.jit
def two_widths(x):
    rows, columns = x.shape
    assert rows <= 128
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    narrow = nl.ndarray((rows, 32), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=narrow, src=x)  # expect-warning: NKI204 columns == 32  # expect: NKI210
    wide = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=wide, src=x)  # expect: NKI204
    nisa.dma_copy(dst=out, src=wide)
    return out


@nki.jit
def a_tile_that_it_has(x):
    rows, columns = x.shape
    out = nl.ndarray((64, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    lower = nl.ndarray((64, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=lower, src=x[64:128, :])  # expect-warning: NKI301 rows >= 128
    whole = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 rows <= 128
    nisa.memset(dst=whole, value=0.0)
    nisa.dma_copy(dst=out, src=lower)
    return out


@nki.jit
def one_of_two_widths(x, wide: bool):
    rows, columns = x.shape
    assert rows <= 128
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    if wide:
        nisa.dma_copy(dst=tile, src=x)
        spare = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=spare, src=x)  # expect-warning: NKI204 columns == 64 or not wide  # expect: NKI210
    else:
        nisa.dma_copy(dst=tile, src=x)
        spare = nl.ndarray((rows, 32), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=spare, src=x)  # expect-warning: NKI204 columns == 32 or wide  # expect: NKI210
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def sums_in_a_bank(x):
    rows, columns = x.shape
    out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:128, :])  # expect-warning: NKI301 rows >= 128
    spare = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 rows <= 128
    nisa.memset(dst=spare, value=0.0)
    wide = 128, 64 * rows
    sums = nl.ndarray(wide, dtype=x.dtype, buffer=nl.psum)  # expect-warning: NKI104 rows*itemsize(x.dtype) <= 256
    nisa.memset(dst=sums, value=0.0)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def multiples_below_the_first(x):
    P, N = x.shape
    assert P <= 128 and N % 512 == 0 and N < 512  # expect: NKI807
    return x


@nki.jit
def even_and_odd(x):
    P, N = x.shape
    assert N % 4 == 2 and N % 2 == 1, "both"  # expect: NKI807
    return x


@nki.jit
def multiples_up_to_the_first(x):
    P, N = x.shape
    assert P <= 128 and N % 512 == 0 and N <= 512
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((P, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out
