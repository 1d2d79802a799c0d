"""Shapes and sizes that are called: of tensors they are a tuple and numbers, of other objects they may be methods."""

import nki
import nki.isa as nisa
import nki.language as nl


def copied(source, out):
    tile = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[0:1, 0:1])
    nisa.dma_copy(dst=out, src=tile)


@nki.jit
def shape_called(x):  # expect: NKI003
    rows, columns = x.shape()  # expect: NKI809
    out = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    copied(x, out)
    return out


@nki.jit
def shape_called_for_a_size(x):  # expect: NKI003
    rows = x.shape()[0]  # expect: NKI809
    out = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for _ in range(rows // 128):
        copied(x, out)
    return out


@nki.jit
def shape_called_in_another_place(x):  # expect: NKI003
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    out = nl.ndarray(x.shape(), dtype=x.dtype, buffer=nl.shared_hbm)  # expect: NKI809
    return out


@nki.jit
def size_called(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 64
    out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(rows() // 128):  # expect: NKI809
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=x[i * 128 : i * 128 + 128, :])
    return out


@nki.jit
def number_of_tiles_called(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 64
    out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = rows // 128
    for i in range(tiles()):  # expect: NKI809
        nisa.dma_copy(dst=out[i * 128 : i * 128 + 128, :], src=x[i * 128 : i * 128 + 128, :])
    return out


@nki.jit
def shape_of_a_tile_called(x):
    assert x.shape == (128, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    assert tile.shape()[0] == 128  # expect: NKI809
    return out


@nki.jit
def shape_of_something(plan, x):  # expect: NKI003
    rows, columns = plan.shape()
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def number_of_something(count, x):  # expect: NKI003
    assert x.shape == (128, 64) and count() <= 4
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def shape_of_whatever_it_is(x):
    assert x.shape == (128, 64)
    try:
        sizes = x.shape()
    except TypeError:
        sizes = x.shape
    out = nl.ndarray(sizes, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def shape_called_where_it_can_be(x):
    assert x.shape == (128, 64)
    sizes = x.shape() if callable(x.shape) else x.shape
    out = nl.ndarray(sizes, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def shape_of_what_is_something_else(x):  # expect: NKI003
    rows, columns = x.shape()
    x = x.tensor
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
