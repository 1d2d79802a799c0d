"""Branches that no default reaches, in Beta 1."""

from enum import Enum

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


class Order(Enum):
    ROWS = 0
    COLUMNS = 1


# nkilint: x: float32[64, 256]
@nki.jit
def flag_that_shifts(x, shifted=False):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    start = 1 if shifted else 0
    nl.store(out, nl.load(x[:, start : start + 256]))  # expect-warning: NKI301 not shifted
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def flag_that_stays_inside(x, shifted=False):
    out = nl.ndarray((64, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    start = 128 if shifted else 0
    nl.store(out, nl.load(x[:, start : start + 128]))
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def closure(x, wide=False):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)

    def rows():
        return 256 if wide else 64

    spare = nl.zeros((rows(), 16), dtype=nl.float32, buffer=nl.sbuf)  # expect-warning: NKI101 not wide
    nl.store(out, nl.add(nl.load(x), spare[0:64, 0:1]))
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def mask(x, causal=False):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.mgrid[0:64, 0:256]
    if causal:
        nl.store(out[i_p, i_f], nl.load(x), mask=(i_p >= i_f))
    else:
        nl.store(out, nl.load(x))
    return out  # expect-warning: NKI703 not causal


# nkilint: x: float32[64, 256]
@nki.jit
def order(x, kind=Order.ROWS):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if kind is Order.COLUMNS:
        tile = nisa.nc_transpose(tile)  # expect-warning: NKI102 kind != Order.COLUMNS
    else:
        nl.store(out, tile)
    return out  # expect-warning: NKI702 kind != Order.COLUMNS


# nkilint: x: float32[64, 256]
@nki.jit
def scale_for_none(x, scale=None):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if scale is not None:
        assert scale.shape == (64, 1)
        tile = nl.multiply(tile, nl.load(scale))
    nl.store(out, tile)
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def name_of_one_path(x, biased=False):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if biased:
        tile = nl.add(nl.load(x), shift)  # expect: NKI808
    else:
        tile = nl.load(x)
    nl.store(out, tile)
    return out
