"""Views of today's dialect: slices, reshape, permute, select, access patterns."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def views(x):
    assert x.shape == (128, 4, 32)
    tile = nl.ndarray((128, 4, 32), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    reveal(tile.reshape((128, 128)))  # revealed: x.dtype[128, 128] @ sbuf
    reveal(tile[:, 1, :])  # revealed: x.dtype[128, 32] @ sbuf
    reveal(tile[:, 1:3, ::2])  # revealed: x.dtype[128, 2, 16] @ sbuf
    reveal(tile.select(1, 2))  # revealed: x.dtype[128, 32] @ sbuf
    reveal(tile.permute((0, 2, 1)))  # revealed: x.dtype[128, 32, 4] @ sbuf
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def beyond(x):
    assert x.shape == (64, 100)
    tile = nl.ndarray((64, 100), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    short = nl.ndarray((64, 50), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((64, 100), dtype=x.dtype, buffer=nl.shared_hbm)
    for half in range(2):
        nisa.tensor_copy(dst=short, src=tile[:, half * 51 : half * 51 + 50])  # expect: NKI301
        nisa.dma_copy(dst=output[:, half * 50 : half * 50 + 50], src=short)
    return output


@nki.jit
def patterns(x):
    assert x.shape == (128, 512)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    every_other = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=every_other, src=tile.ap(pattern=[[512, 128], [2, 256]], offset=0))
    nisa.tensor_copy(dst=every_other, src=tile.ap(pattern=[[512, 128], [2, 256]], offset=2))  # expect: NKI301
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=every_other)
    return output


@nki.jit
def patterns_over_another_dtype(x, kind):
    assert x.shape == (128, 512)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    halves = nl.ndarray((128, 1024), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=halves, src=tile.ap(pattern=[[1024, 128], [1, 1024]], dtype=nl.bfloat16))
    nisa.tensor_copy(dst=halves, src=tile.ap(pattern=[[1024, 128], [1, 1024]], offset=1, dtype=nl.bfloat16))  # expect: NKI301
    nisa.tensor_copy(dst=halves, src=tile.ap(pattern=[[1024, 128], [1, 1024]], dtype=kind))
    output = nl.ndarray((128, 1024), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=halves)
    return output


@nki.jit
def the_last_of_two(x):
    assert x.shape == (2, 128, 4)
    out = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x.select(0, -1))
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def before_the_first_of_two(x):
    assert x.shape == (2, 128, 4)
    out = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x.select(0, -3))  # expect: NKI301
    nisa.dma_copy(dst=out, src=tile)
    return out
