"""Sums of two vectors in HBM: at once, in tiles of one column, and in tiles as wide as memory likes to move."""

from __future__ import annotations

from typing import Any

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

WIDTH = 512


@nki.jit
def add_at_once(a: Any, b: Any) -> Any:
    """At most 128 elements: each is a partition."""
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.add(nl.load(a), nl.load(b)))
    return out


@nki.jit
def add_tiled(a: Any, b: Any) -> Any:
    """A multiple of 128 elements, 128 at a time."""
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    rows = nl.tile_size.pmax
    assert a.shape[0] % rows == 0
    for i in nl.affine_range(a.shape[0] // rows):
        first = nl.load(a[i * rows : (i + 1) * rows])
        second = nl.load(b[i * rows : (i + 1) * rows])
        nl.store(out[i * rows : (i + 1) * rows], value=nl.add(first, second))
    return out


@nki.jit
def add_streamed(a: Any, b: Any) -> Any:
    """A multiple of 128 x 512 elements; each partition takes 512 in a row."""
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    rows = nl.tile_size.pmax
    tiles = a.shape[0] // (rows * WIDTH)
    assert tiles * rows * WIDTH == a.shape[0]
    first, second, sums = (t.reshape((tiles, rows, WIDTH)) for t in (a, b, out))
    for i in nl.affine_range(tiles):
        total = nl.ndarray((rows, WIDTH), dtype=a.dtype, buffer=nl.sbuf)
        total[...] = nl.load(first[i])
        total[...] = nl.add(total, nl.load(second[i]))
        nl.store(sums[i], value=total)
    return out
