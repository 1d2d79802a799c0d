"""Values that are something else for some sizes: what is wrong with one of them is so for these sizes."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def nothing_for_small_ones(x):  # expect: NKI003
    """x: (128, n)"""
    n = x.shape[1]
    assert n >= 512
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, 0:512])
    found = None
    if n > 1024:
        found = tile
    nisa.dma_copy(dst=out, src=found)  # expect-warning: NKI205 n >= 1025
    return out


@nki.jit
def nothing_for_what_is_excluded(x):
    """x: (128, n)"""
    n = x.shape[1]
    assert n > 1024
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, 0:512])
    found = None
    if n > 1024:
        found = tile
    nisa.dma_copy(dst=out, src=found)
    return out


@nki.jit
def nothing_for_any(x):  # expect: NKI003
    """x: (128, n)"""
    n = x.shape[1]
    assert n >= 512
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if n > 1024:
        nisa.dma_copy(dst=out, src=None)  # expect: NKI205
    else:
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, 0:512])
        nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def nothing_where_a_loop_does_not_run(x):  # expect: NKI003
    """x: (128, n)"""
    n = x.shape[1]
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    last = None
    for i in range(n // 512):
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(i * 512, 512)])  # expect-warning: NKI709 n % 512 == 0
        last = tile
    nisa.dma_copy(dst=out, src=last)  # which asks for less
    return out
