"""Arguments that a signature takes and its page does not: axes that are not there (NKI213), operators (NKI205), numbers (NKI202),
sizes (NKI204, NKI205)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np

MASKS = {"low": 0x7F, "scaled": 0.5 * 255}


def masked(tile, kind):
    return nl.bitwise_and(tile, MASKS[kind])  # expect: NKI202


class Reducer:
    def __init__(self, axes):
        self.axes = axes

    def __call__(self, tile):
        return nisa.tensor_reduce(np.add, tile, axis=self.axes)  # expect: NKI213


# --- found ---


# nkilint: x: float32[128, 64]
@nki.jit
def axis_behind_the_last(x):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=Reducer((2,))(nl.load(x)))  # expect: NKI204
    return out


# nkilint: x: int32[128, 64]
@nki.jit
def mask_that_is_a_float(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=masked(nl.load(x), "scaled"))
    return out


# nkilint: x: int32[128, 64]
@nki.jit
def half_a_shift(x, bits=3):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.left_shift(nl.load(x), bits / 2))  # expect: NKI202
    return out


# nkilint: x: int32[128, 64]
@nki.jit
def operator_with_a_float(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x) | (x.shape[1] / 2))  # expect: NKI202
    return out


# nkilint: table: float32[1000, 64], at: int32[128, 1], x: float32[128, 64]
@nki.jit
def atomic_product(table, at, x):
    out = nl.ndarray((1000, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.load(at)
    for i in nl.affine_range(8):
        part = nl.load(table[nl.ds(125 * i, 125), :])
        nl.store(out[nl.ds(125 * i, 125), :], value=part)
    nl.atomic_rmw(out[rows, nl.arange(64)[None, :]], value=nl.load(x), op=np.multiply)  # expect: NKI205
    return out


# nkilint: x: float32[128, 512], w: float32[128, 500]
@nki.jit
def weights_without_the_tail(x, w):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.rms_norm(nl.load(x), nl.load(w), axis=1, n=512))  # expect: NKI204
    return out


# nkilint: x: float32[128, 512], rates: float32[1, 2]
@nki.jit
def two_rates(x, rates):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.dropout(nl.load(x), rate=nl.load(rates)))  # expect: NKI205
    return out


# --- silent ---


# nkilint: x: float32[128, 4, 16]
@nki.jit
def axes_that_are_there(x):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_reduce(np.add, nl.load(x), axis=(1, 2)))
    return out


# nkilint: x: int32[128, 64]
@nki.jit
def mask_that_is_an_integer(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.bitwise_and(nl.load(x), MASKS["low"]))
    return out


# nkilint: x: int32[128, 64]
@nki.jit
def shift_by_half_of_them(x, bits=6):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.left_shift(nl.load(x), bits // 2))
    return out


# nkilint: x: int32[128, 64]
@nki.jit
def operator_with_an_integer(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x) | (x.shape[1] // 2))
    return out


# nkilint: table: float32[1000, 64], at: int32[128, 1], x: float32[128, 64]
@nki.jit
def atomic_sum(table, at, x):
    out = nl.ndarray((1000, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.load(at)
    for i in nl.affine_range(8):
        part = nl.load(table[nl.ds(125 * i, 125), :])
        nl.store(out[nl.ds(125 * i, 125), :], value=part)
    nl.atomic_rmw(out[rows, nl.arange(64)[None, :]], value=nl.load(x), op=np.add)
    return out


# nkilint: x: float32[128, 512], w: float32[1, 512]
@nki.jit
def weights_for_all_rows(x, w):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.rms_norm(nl.load(x), nl.load(w), axis=1, n=512))
    return out


# nkilint: x: float32[128, 512], rates: float32[1, 2]
@nki.jit
def one_of_two_rates(x, rates):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.dropout(nl.load(x), rate=nl.load(rates)[0:1, 1:2]))
    return out
