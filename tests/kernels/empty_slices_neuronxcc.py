"""Slices without elements, of dimensions of size 1 too: what is stored through them writes nothing."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


# nkilint: x: float32[1, 128]
@nki.jit
def stored_to_no_row(x):
    out = nl.ndarray((1, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:1, 0:128])
    nl.store(out[0:0, 0:128], value=tile)
    return out  # expect: NKI702


# nkilint: x: float32[1, N]
@nki.jit
def stored_up_to_the_row_before(x):
    out = nl.ndarray((1, x.shape[1]), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:1, :])
    nl.store(out[0 : x.shape[0] - 1, :], value=tile)
    return out  # expect: NKI702


# nkilint: x: float32[1, 128]
@nki.jit
def stored_to_the_row(x):
    out = nl.ndarray((1, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:1, 0:128])
    nl.store(out[0 : x.shape[0], 0:128], value=tile)
    return out
