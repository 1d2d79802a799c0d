"""Branches of which it is not known what decides them, and tiles of one element that hold an index."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def by_a_dtype(x, kind):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    loaded = nl.load(x)
    for i in nl.affine_range(2):
        if loaded.dtype != kind:
            tile = nl.copy(loaded[:, nl.ds(i * 32, 32)], dtype=kind)
        else:
            tile = loaded[:, nl.ds(i * 32, 32)]
        nl.store(out[:, nl.ds(i * 32, 32)], tile)
    return out


@nki.jit
def by_the_iteration(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(2):
        if i < 1:
            tile = nl.load(x[:, nl.ds(i * 32, 32)])
        else:
            tile = nl.exp(nl.load(x[:, nl.ds(i * 32, 32)]))
        nl.store(out[:, nl.ds(i * 32, 32)], tile)  # expect: NKI704
    return out


@nki.jit
def held_in_one_element(x, at):  # expect: NKI003
    assert x.shape == (4, 128, 64) and at.shape == (1, 1)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    index = nl.load(at)
    nl.store(out, nl.load(x[index[0, 0]]))
    return out


@nki.jit
def held_beside_slices(x, at):  # expect: NKI003
    assert x.shape == (128, 4, 64) and at.shape == (1, 1)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    index = nl.load(at)
    nl.store(out, nl.load(x[:, index[0, 0], :]))
    return out


@nki.jit
def grid_beside_slices(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[nl.arange(128)[:, None], :]))  # expect: NKI303
    return out


@nki.jit
def over_an_axis_in_the_middle(x):  # expect: NKI003
    assert x.shape == (128, 4, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nisa.tensor_reduce(np.max, nl.load(x), axis=(1,)))  # expect: NKI213
    return out


@nki.jit
def written_on_both_sides(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.bfloat16:
        nl.store(out, nl.exp(nl.load(x)))
    else:
        nl.store(out, nl.load(x))
    return out


@nki.jit
def halves_written_on_both_sides(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.bfloat16:
        nl.store(out[:, 0:32], nl.load(x[:, 32:64]))
    else:
        nl.store(out[:, 0:32], nl.load(x[:, 0:32]))
    nl.store(out[:, 32:64], nl.load(x[:, 0:32]))
    return out


@nki.jit
def written_on_one_side(x):  # expect: NKI003
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.bfloat16:
        nl.store(out, nl.load(x))
    return out


@nki.jit
def another_half_on_each_side(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.bfloat16:
        nl.store(out[:, 0:32], nl.load(x[:, 0:32]))
    else:
        nl.store(out[:, 32:64], nl.load(x[:, 32:64]))
    return out  # expect: NKI703


@nki.jit
def tile_filled_on_both_sides(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    if x.dtype == nl.bfloat16:
        tile[...] = nl.load(x)
    else:
        tile[...] = nl.exp(nl.load(x))
    nl.store(out, tile)
    return out


@nki.jit
def written_by_neither(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.bfloat16:
        nl.store(out[:, 0:32], nl.load(x[:, 32:64]))
    else:
        nl.store(out[:, 0:32], nl.load(x[:, 0:32]))
    return out  # expect: NKI703
