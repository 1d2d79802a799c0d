"""Index grids that floats are added to or that floats multiply, and numbers that are whole."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def divided_rows(x):
    """x: float32[R, 512]"""
    rows = x.shape[0]
    assert x.shape == (rows, 512) and rows % 128 == 0
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        row = rows / (rows // 128) * i + nl.arange(128)[:, None]  # expect: NKI811
        nl.store(output[row, nl.arange(512)[None, :]], value=nl.load(x[row, nl.arange(512)[None, :]]))
    return output


@nki.jit
def scaled_columns(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    columns = nl.arange(256)[None, :] * 2.0  # expect: NKI811
    nl.store(output, value=nl.load(x[nl.arange(128)[:, None], columns]))
    return output


@nki.jit
def whole_steps(x):
    """x: float32[R, 512]"""
    rows = x.shape[0]
    assert x.shape == (rows, 512)
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(math.ceil(rows / 128)):
        row = int(128.0) * i + nl.arange(128)[:, None]
        tile = nl.load(x[row, nl.arange(512)[None, :]], mask=(row < rows))
        nl.store(output[row, nl.arange(512)[None, :]], value=tile, mask=(row < rows))
    return output
