"""Kernels that return objects: what these hold is returned."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import nki
import nki.isa as nisa
import nki.language as nl


class Results(NamedTuple):
    first: Any
    second: Any


@dataclass
class Pair:
    first: Any
    second: Any = None


def filled(x, output):
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return tile


@nki.jit
def named(x):
    assert x.shape == (128, 512)
    a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    b = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    filled(x, a)
    filled(x, b)
    return Results(a, second=b)


@nki.jit
def named_unwritten(x):
    assert x.shape == (128, 512)
    a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    b = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    filled(x, a)
    return Results(a, second=b)  # expect: NKI702


@nki.jit
def on_chip(x):
    assert x.shape == (128, 512)
    a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    return Pair(a, filled(x, a))  # expect: NKI707


@nki.jit
def forgotten(x):
    assert x.shape == (128, 512)
    a = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    b = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    filled(x, a)
    filled(x, b)
    return Pair(a)  # expect: NKI711
