"""Shapes and sizes that are called, in Beta 1."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def shape_called(x):  # expect: NKI003
    rows, columns = x.shape()  # expect: NKI809
    out = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[0:1, 0:1]))
    return out


@nki.jit
def size_called(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows() // 128):  # expect: NKI809
        nl.store(out[nl.ds(i * 128, 128), :], value=nl.load(x[nl.ds(i * 128, 128), :]))
    return out


@nki.jit
def index_called(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        nl.store(out[nl.ds(i * 128, 128), :], value=nl.load(x[nl.ds(i() * 128, 128), :]))  # expect: NKI809
    return out


@nki.jit
def shape_of_a_tile_called(x):
    assert x.shape == (128, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, value=nl.add(tile, tile.shape()[0]))  # expect: NKI809
    return out


@nki.jit
def number_of_dimensions_called(x):
    assert x.shape == (128, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.add(nl.load(x), x.ndim()))  # expect: NKI809
    return out


@nki.jit
def shape_of_something(plan, x):  # expect: NKI003
    rows, columns = plan.shape()
    assert x.shape == (128, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


@nki.jit
def function_of_a_caller(x, scaled):  # expect: NKI003
    assert x.shape == (128, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=scaled(nl.load(x)))
    return out
