"""Operators between tiles of Beta 1, which broadcast columns and no partitions."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def row_times_tile(x, row):
    assert x.shape == (128, 512) and row.shape == (1, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, weights = nl.load(x), nl.load(row)
    nl.store(output, value=tile * weights)  # expect: NKI203
    return output


@nki.jit
def tile_plus_row_in_place(x, row):
    assert x.shape == (128, 512) and row.shape == (1, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    tile += nl.load(row)  # expect: NKI203
    nl.store(output, value=tile)
    return output


@nki.jit
def one_row_or_as_many(x, rows):
    """x: [P, 512], rows: [Q, 512], Q <= 128"""
    assert 2 <= x.shape[0] <= 128
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x) - nl.load(rows))  # expect-warning: NKI203 P == Q or Q == 1
    return output


@nki.jit
def by_the_language(x, row):
    assert x.shape == (128, 512) and row.shape == (1, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.multiply(nl.load(x), nl.load(row)))
    return output


@nki.jit
def by_columns(x, row):
    assert x.shape == (128, 512) and row.shape == (1, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    tile *= 1.0 / nl.sum(tile, axis=[1])
    nl.store(output, value=tile + nl.load(row).broadcast_to((128, 512)))
    return output


@nki.jit
def both_of_one_row(x, row):
    assert x.shape == (1, 512) and row.shape == (1, 1)
    output = nl.ndarray((1, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x) / nl.load(row))
    return output
