"""Values of another kind where sizes, axes and positions stand (NKI811), and patterns that are none (NKI205)."""

import nki
import nki.isa as nisa
import nki.language as nl


def halved(n):
    return n // 2


@nki.jit
def tile_within_a_shape(x):
    rows, columns = x.shape
    assert rows == 128 and columns == 512
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile.reshape((rows, 2, tile)))  # expect: NKI811 @ tile
    return out


@nki.jit
def shape_within_a_shape(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile.reshape((x.shape, 1)))  # expect: NKI811 @ x.shape
    return out


@nki.jit
def shape_taken_apart(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile.reshape((*x.shape, 1)))
    return out


@nki.jit
def function_for_its_result(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, halved), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI811 @ halved
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def result_of_the_function(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, halved(512)), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, 0:256])
    nisa.dma_copy(dst=out, src=tile)
    return out
