"""Tiles of a size that a caller chooses, and loops that stay at one of them or move by less (NKI709), in Beta 1."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def same_tile(x, size: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // size):
        tile = nl.load(x[nl.ds(0, size), 0:columns])  # expect-warning: NKI709 rows <= size
        nl.store(output[nl.ds(i * size, size), 0:columns], value=tile)
    return output


@nki.jit
def by_rows(x, size: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // size):
        tile = nl.load(x[nl.ds(i, size), 0:columns])  # expect-warning: NKI709 rows < size + rows // size
        nl.store(output[nl.ds(i * size, size), 0:columns], value=tile)
    return output


@nki.jit
def tile_by_tile(x, size: int):
    rows, columns = x.shape
    assert size >= 1 and size <= 128 and rows % size == 0 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // size):
        nl.store(output[nl.ds(i * size, size), 0:columns], value=nl.load(x[nl.ds(i * size, size), 0:columns]))
    return output
