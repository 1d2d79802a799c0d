"""Helpers that forget to return, in kernels with parameters that may be None: what they give is None for all callers."""

import nki
import nki.isa as nisa
import nki.language as nl


def load(x, row):
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[row * 128 : row * 128 + 128, :])  # expect: NKI210


class Ring:
    def __init__(self, x):
        self.tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=self.tile, src=x[0:128, :])

    def at(self, i):
        self.tile  # noqa: B018

    def returned(self, i):
        return self.tile


@nki.jit
def by_its_name(x, bias=None):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = load(x, 0)
    nisa.dma_copy(dst=output, src=tile[:, 0:64])  # expect: NKI809
    return output


@nki.jit
def of_a_method(x, bias=None):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=Ring(x).at(0)[:, 0:64])  # expect: NKI809
    return output


@nki.jit
def an_attribute(x, bias=None):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=load(x, 0).reshape((128, 64)))  # expect: NKI808
    return output


@nki.jit
def bound_again(x, bias=None):  # expect: NKI003
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = load(x, 0)
    if bias != None:  # noqa: E711
        tile = Ring(x).returned(0)
    nisa.dma_copy(dst=output, src=tile[:, 0:64])
    return output


@nki.jit
def returned(x, bias=None):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    load(x, 0)
    tile = Ring(x).returned(0)
    nisa.dma_copy(dst=output, src=tile[:, 0:64])
    return output
