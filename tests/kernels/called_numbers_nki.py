"""Calls of what cannot be called: numbers, entries of a tuple, None."""

import nki
import nki.isa as nisa
import nki.language as nl

LIMIT = 4
STEPS = (1, 2)
AFTER = None


def copied(dst, src):
    nisa.dma_copy(dst=dst, src=src)


OPTIONS = {"copy": copied}


@nki.jit
def number_called(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for i in range(LIMIT()):  # expect: NKI809
        nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def entry_called(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for step in STEPS:
        nisa.dma_copy(dst=out[:, 0 : step * 32], src=tile[:, 0 : step() * 32])  # expect: NKI809
    return out


@nki.jit
def nothing_called(x, then=False):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if then:
        AFTER()  # expect: NKI809 not then
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def called_where_there_is_one(x, then=False):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if AFTER:
        AFTER()
    for function in (copied, OPTIONS["copy"]):
        function(dst=out, src=tile)
    return out
