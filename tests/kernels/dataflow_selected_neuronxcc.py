"""Operands that are read where a condition on indices selects them (NKI701)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def written_where_selected(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    tile[i, j] = nl.load(x[i, j], mask=j < 256)
    selected = nisa.affine_select(pred=j < 256, on_true_tile=tile[i, j], on_false_value=0.0)
    nl.store(output, value=selected)
    return output


@nki.jit
def written_elsewhere(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    tile[i, j] = nl.load(x[i, j], mask=j < 256)
    selected = nisa.affine_select(pred=j >= 256, on_true_tile=tile[i, j], on_false_value=0.0)  # expect: NKI701
    nl.store(output, value=selected)
    return output


@nki.jit
def written_below_the_diagonal(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    for k in nl.affine_range(4):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        tile[i, j] = nl.load(x[k * 128 + i, j], mask=j < (k + 1) * 128)
        causal = nisa.affine_select(pred=k * 128 + i >= j, on_true_tile=tile[i, j], on_false_value=-9984.0)
        nl.store(output[k * 128 + i, j], value=causal)
    return output


@nki.jit
def one_tile_too_few(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    for k in nl.affine_range(4):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        tile[i, j] = nl.load(x[k * 128 + i, j], mask=j < k * 128)
        causal = nisa.affine_select(pred=k * 128 + i >= j, on_true_tile=tile[i, j], on_false_value=0.0)  # expect: NKI701
        nl.store(output[k * 128 + i, j], value=causal)
    return output


@nki.jit
def stored_where_selected(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    tile[i, j] = nl.load(x[i, j], mask=j < 256)
    selected = nisa.affine_select(pred=j >= 128, on_true_tile=tile[i, j], on_false_value=0.0)
    nl.store(output[i, j], value=selected, mask=j < 256)
    nl.store(output[i, j], value=nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf), mask=j >= 256)
    return output
