"""Parameters whose annotations say what they are."""

import inspect
from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Sizes(nl.NKIObject):
    rows: int
    wide: bool = False
    columns: int = 512


def arguments_of(function):
    return list(inspect.signature(function).parameters)


@nki.jit
def sizes_of_an_object(x, sizes: Sizes):
    assert x.shape == (sizes.rows, sizes.columns)
    out = nl.ndarray((sizes.rows, sizes.columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((sizes.rows, sizes.columns), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 sizes.rows <= 128
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def a_number_that_has_no_default(x, width: int = None, twice: bool = None):
    assert width % 2 == 0
    out = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape == (128, width)
    tile = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0 : width // 2], src=x[:, 0 : width // 2])
    nisa.dma_copy(dst=out, src=tile)  # expect: NKI701
    return out


ARGUMENTS = arguments_of(sizes_of_an_object)


@nki.jit
def a_tensor_that_has_no_default(x, bias: nl.ndarray = None):
    out = nl.ndarray((128, 512), dtype=bias.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=bias.dtype, buffer=nl.sbuf)
    assert bias.shape == (128, 512)
    nisa.dma_copy(dst=tile, src=bias)
    nisa.dma_copy(dst=out, src=tile)
    return out
