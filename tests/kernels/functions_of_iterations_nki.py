"""Functions, methods and partials that a loop makes, each for its own part of a tensor."""

import math
from functools import partial

import nki
import nki.isa as nisa
import nki.language as nl


def copied(out, x, start, rows):
    tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:rows], src=x[start : start + rows])
    nisa.dma_copy(dst=out[start : start + rows], src=tile[0:rows])


def filled(tile, x, i):
    nisa.dma_copy(dst=tile[:, i * 8 : i * 8 + 8], src=x[0:128, 0:8])


def stored(out, tile, i):
    nisa.dma_copy(dst=out[0:128, 0:8], src=tile[:, i * 8 : i * 8 + 8])  # expect: NKI701


def filler(tile, x, i):
    def fill():  # expect: NKI803
        filled(tile, x, i)

    return fill


def storer(out, tile, i):
    def store():  # expect: NKI803
        stored(out, tile, i)

    return store


def copier(out, x, i):
    def copy():  # expect: NKI803
        copied(out, x, i * 128, min(128, x.shape[0] - i * 128))

    return copy


class Part:
    def __init__(self, tile, i):
        self.tile, self.i = tile, i

    def fill(self, x):
        filled(self.tile, x, self.i)

    def store(self, out):
        stored(out, self.tile, self.i)

    def copy(self, x):
        copied(self.tile, x, self.i * 128, min(128, x.shape[0] - self.i * 128))


# nkilint: x: float32[M, 256]
@nki.jit
def each_its_own_function(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for copy in [copier(out, x, i) for i in range(math.ceil(x.shape[0] / 128))]:
        copy()
    return out


# nkilint: x: float32[M, 256]
@nki.jit
def each_its_own_method(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    copies = []
    for i in range(math.ceil(x.shape[0] / 128)):
        copies.append(Part(out, i).copy)
    for copy in copies:
        copy(x)
    return out


# nkilint: x: float32[M, 256], M % 128 == 0
@nki.jit
def each_its_own_partial(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for copy in [partial(copied, out, x, i * 128) for i in range(x.shape[0] // 128)]:
        copy(128)
    return out


# nkilint: x: float32[M, 256]
@nki.jit
def the_first_for_all(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    copies = [copier(out, x, i) for i in range(math.ceil(x.shape[0] / 128))]
    for copy in copies:
        copies[0]()
    return out  # expect: NKI703 M <= 128


# nkilint: x: float32[M, 256]
@nki.jit
def late_bound(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    places = [lambda: i for i in range(math.ceil(x.shape[0] / 128))]
    for place in places:
        copied(out, x, place() * 128, min(128, x.shape[0] - place() * 128))
    return out  # expect: NKI703 M <= 128


# nkilint: x: float32[M, 256], M >= 256, M <= 4096
@nki.jit
def functions_of_two_parts(x):
    out = nl.ndarray((128, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI411
    pairs = [(filler(tile, x, i), storer(out, tile, i)) for i in range(x.shape[0] // 128)]
    pairs[0][0]()
    nisa.memset(dst=tile[:, 64:128], value=0.0)
    pairs[1][1]()
    return out


# nkilint: x: float32[M, 256], M >= 256, M <= 4096
@nki.jit
def methods_of_one_part(x):
    out = nl.ndarray((128, 8), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI411
    parts = []
    for i in range(x.shape[0] // 128):
        part = Part(tile, i)
        parts.append((part.fill, part.store))
    parts[1][0](x)
    parts[1][1](out)
    return out
