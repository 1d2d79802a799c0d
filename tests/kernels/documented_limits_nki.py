"""What pages ask of dtypes and subscripts: the last that they take and the first that they do not."""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


@nki.jit
def numbers_of_32_bits(x):
    assert x.shape == (128, 512)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def numbers_of_64_bits(x):
    assert x.shape == (128, 512)
    tile = nl.ndarray((128, 512), dtype=np.float64, buffer=nl.sbuf)  # expect: NKI202
    nisa.dma_copy(dst=tile, src=x)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def of_the_type_of_the_argument(x):
    assert x.shape == (128, 512)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def new_axis_by_a_method(x):
    assert x.shape == (128, 512)
    tile = nl.ndarray((128, 1, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x.expand_dim(1))
    out = nl.ndarray((128, 1, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def new_axis_by_a_subscript(x):
    assert x.shape == (128, 512)
    tile = nl.ndarray((128, 1, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, None, :])  # expect: NKI811
    out = nl.ndarray((128, 1, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


if __name__ == "__main__":
    nki.simulate(of_the_type_of_the_argument)(np.random.rand(128, 512))
