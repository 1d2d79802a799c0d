"""What pages ask of predicates, of added dimensions and of dtypes: the last that they take and the first that they do not."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def causal(x):
    assert x.shape == (128, 512)
    i, j = nl.mgrid[0:128, 0:512]
    tile = nisa.affine_select(pred=i >= j, on_true_tile=nl.load(x), on_false_value=0.0)
    out = nl.ndarray((128, 512), dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=tile)
    return out


@nki.jit
def first_columns(x):
    assert x.shape == (128, 512)
    j = nl.arange(512)[None, :]
    tile = nisa.affine_select(pred=j < 100, on_true_tile=nl.load(x), on_false_value=0.0)
    out = nl.ndarray((128, 512), dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=tile)
    return out


@nki.jit
def causal_within_a_window(x):
    assert x.shape == (128, 512)
    i, j = nl.mgrid[0:128, 0:512]
    window = (i >= j) & (i < j + 64)
    tile = nisa.affine_select(pred=window, on_true_tile=nl.load(x), on_false_value=0.0)  # expect: NKI205
    out = nl.ndarray((128, 512), dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=tile)
    return out


@nki.jit
def causal_twice(x):
    assert x.shape == (128, 512)
    i, j = nl.mgrid[0:128, 0:512]
    tile = nisa.affine_select(pred=i >= j, on_true_tile=nl.load(x), on_false_value=0.0)
    tile = nisa.affine_select(pred=i < j + 64, on_true_tile=tile, on_false_value=0.0)
    out = nl.ndarray((128, 512), dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=tile)
    return out


@nki.jit
def positive_ones(x):
    assert x.shape == (128, 512)
    tile = nl.load(x)
    tile = nisa.affine_select(pred=tile > 0, on_true_tile=tile, on_false_value=0.0)  # expect: NKI205
    out = nl.ndarray((128, 512), dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=tile)
    return out


@nki.jit
def predicate_of_half_the_columns(x):
    assert x.shape == (128, 512)
    i, j = nl.mgrid[0:128, 0:256]
    tile = nisa.affine_select(pred=i >= j, on_true_tile=nl.load(x), on_false_value=0.0)  # expect: NKI204
    out = nl.ndarray((128, 512), dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=tile)
    return out


@nki.jit
def dimension_behind_the_last(x):
    assert x.shape == (128, 512)
    tile = nl.copy(nl.expand_dims(nl.load(x), 2))
    last = nl.copy(nl.expand_dims(nl.load(x), -1))
    out = nl.ndarray((128, 512, 1), dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=tile + last)
    return out


@nki.jit
def dimension_too_far_behind(x):
    assert x.shape == (128, 512)
    tile = nl.copy(nl.expand_dims(nl.load(x), 3))  # expect: NKI213
    out = nl.ndarray((128, 512, 1), dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=tile)
    return out


@nki.jit
def dimension_between(x):
    assert x.shape == (128, 512)
    tile = nl.copy(nl.expand_dims(nl.load(x), 1))  # expect: NKI213
    out = nl.ndarray((128, 1, 512), dtype=tile.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=tile)
    return out


@nki.jit
def numbers_of_32_bits(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=np.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x, dtype=np.float32))
    return out


@nki.jit
def numbers_of_64_bits(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=np.float64, buffer=nl.shared_hbm)  # expect: NKI202
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def counted_in_64_bits(x):
    assert x.shape == (128, 512)
    places = nisa.iota(nl.arange(128)[:, None] + nl.arange(512)[None, :], dtype=np.int64)  # expect: NKI202
    out = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(out, value=places)
    return out
