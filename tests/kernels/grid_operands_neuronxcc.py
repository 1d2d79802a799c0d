"""Index grids where operations take tiles: the documentation does not say what they are there."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def grid_divided_by_a_tile(x):  # expect: NKI003
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    columns = nl.arange(64)[None, :]
    nl.store(out, value=columns / nl.load(x))
    return out


@nki.jit
def grid_as_an_operand(x):  # expect: NKI003
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    columns = nl.arange(64)[None, :]
    nl.store(out, value=nl.exp(columns))
    return out


@nki.jit
def mask_as_an_operand(x):  # expect: NKI003
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    columns = nl.arange(64)[None, :]
    nl.store(out, value=nl.where(columns < 3, nl.load(x), 0.0))
    return out


@nki.jit
def grid_made_a_tile(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    rows, columns = nl.mgrid[0:128, 0:64]
    positions = nl.arange(64)[None, :]
    tile = nl.load(x[rows, positions])
    nl.store(out[rows, columns], value=tile / 2.0)
    return out


@nki.jit
def grid_divides_by_another(x):  # expect: NKI003
    columns = x.shape[1]
    assert x.shape[0] == 128
    out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    rows, places = nl.arange(128)[:, None], nl.arange(512)[None, :]
    for c in nl.affine_range((columns + 511) // 512):
        tile = nl.load(x[rows, c * 512 // places + places], mask=c * 512 + places < columns)  # expect: NKI806
        nl.store(out[rows, c * 512 + places], value=tile, mask=c * 512 + places < columns)
    return out
