"""The same in Beta 1: tuples for tensors, ranges without numbers, and `bool` for a dtype, which is one."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def several_tensors(x):  # expect: NKI003
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, value=nl.broadcast_to((tile, tile), shape=(128, 512)))  # expect: NKI205 @ (tile, tile)
    return out


@nki.jit
def no_number(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range():  # expect: NKI809
        nl.store(out, value=nl.load(x))
    return out


@nki.jit
def booleans(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    positive = nl.greater(tile, 0.0, dtype=bool)
    nl.store(out, value=nl.where(positive, tile, 0.0))
    return out
