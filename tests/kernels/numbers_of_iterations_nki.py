"""Quotients and members of enumerations that a loop puts into a list: each is the one of its own iteration."""

import enum
import math

import nki
import nki.isa as nisa
import nki.language as nl


class Part(enum.Enum):
    FIRST = 0
    OTHER = 1


def columns_of(part):
    return 64 if part == Part.FIRST else 128


def filled(tile, first, columns):
    nisa.memset(dst=tile[:, first : first + columns], value=0.0)


def stored(tile, columns):
    out = nl.ndarray((128, columns), dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile[:, 0:columns])  # expect: NKI701
    return out


# nkilint: x: float32[M, 256], M >= 1024, M <= 8192
@nki.jit
def as_many_as_the_last_quotient(x):
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI411
    shares = [i / 4 for i in range(x.shape[0] // 128)]
    filled(tile, 0, math.ceil(shares[1]) * 64)
    return stored(tile, math.ceil(shares[5]) * 64)


# nkilint: x: float32[M, 256], M >= 1024, M <= 8192
@nki.jit
def as_many_as_the_quotient(x):
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    shares = [i / 4 for i in range(x.shape[0] // 128)]
    filled(tile, 0, math.ceil(shares[1]) * 64)
    out = nl.ndarray((128, 64), dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile[:, 0 : math.ceil(shares[4]) * 64])
    return out


# nkilint: x: float32[M, 256], M >= 256
@nki.jit
def of_the_other_part(x):
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    parts = [Part.FIRST if i == 0 else Part.OTHER for i in range(x.shape[0] // 128)]
    filled(tile, 0, columns_of(parts[0]))
    return stored(tile, columns_of(parts[1]))
