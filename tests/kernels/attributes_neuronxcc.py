"""Attributes that an object of the project does not have (NKI808)."""

from dataclasses import dataclass

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@dataclass(frozen=True)
class Tiles:
    rows: int = 128
    columns: int = 512

    @property
    def shape(self):
        return self.rows, self.columns


@nki.jit
def misspelt(x, tiles=Tiles()):
    assert x.shape == (128, 512)
    output = nl.ndarray(tiles.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x[0 : tiles.row, 0:512]))  # expect: NKI808
    return output


@nki.jit
def spelt(x, tiles=Tiles()):
    assert x.shape == (128, 512)
    output = nl.ndarray(tiles.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x[0 : tiles.rows, 0 : getattr(tiles, "columns", 1)]))
    return output


@nki.jit
def sizes_of_an_input(left, right):  # expect: NKI003
    assert left.shape == right.shape
    rows, columns = left.shapes  # expect: NKI208
    output = nl.ndarray((rows, columns), dtype=left.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    for i in nl.affine_range(rows // 128):
        x = nl.load(left[i * 128 + p, f])
        y = nl.load(right[i * 128 + p, f])
        nl.store(output[i * 128 + p, f], value=nl.add(x, y))
    return output


@nki.jit
def dtype_of_an_input(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtypes, buffer=nl.shared_hbm)  # expect: NKI208
    nl.store(output, value=nl.load(x))
    return output


@nki.jit
def dtype_of_an_output(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x, dtype=output.dtyp))  # expect: NKI208
    return output


@nki.jit
def perhaps_there(x):
    assert x.shape == (128, 512)
    dtype = getattr(x, "dtypes", x.dtype)
    output = nl.ndarray((128, 512), dtype=dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    try:
        device = tile.device
    except AttributeError:
        device = getattr(tile, "device", None)
    if hasattr(tile, "buffers"):
        tile = tile.buffers
    nl.store(output, value=tile, mask=None if device is None else None)
    return output


@nki.jit
def sizes_of_something(x, plan):  # expect: NKI003
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in nl.affine_range(plan.sizes[0]):
        nl.store(output, value=nl.load(x[0 : plan.shapes, 0:512]))
    return output
