"""Tensors that iterations reshape once more: the first one finds the shape from before the loop, all others this one."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source):
    tile = nl.ndarray(source.shape, dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


@nki.jit
def again_in_each(x):
    B, C, K = x.shape
    assert C <= 128 and K <= 1024
    output = nl.ndarray((B, C, K), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = output
    for b in range(B):
        rows = rows.reshape((B * C, K))
        nisa.dma_copy(dst=rows[b * C : (b + 1) * C, :], src=loaded(x[b]))
    return output


@nki.jit
def an_argument(x):
    B, C, K = x.shape
    assert C <= 128 and K <= 1024
    output = nl.ndarray((B * C, K), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(B):
        x = x.reshape((B * C, K))
        nisa.dma_copy(dst=output[b * C : (b + 1) * C, :], src=loaded(x[b * C : (b + 1) * C, :]))
    return output


@nki.jit
def past_its_end(x):
    B, C, K = x.shape
    assert C <= 64 and K <= 1024
    output = nl.ndarray((B, 2 * C, K), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(B):
        x = x.reshape((B * C, K))
        nisa.dma_copy(dst=output[b], src=loaded(x[b * C : (b + 2) * C, :]))  # expect: NKI301
    return output


@nki.jit
def read_before(x):  # expect: NKI003
    B, C, K = x.shape
    assert C <= 128 and K <= 1024 and B >= 2
    output = nl.ndarray((B, C, K), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(B):
        nisa.dma_copy(dst=output[b], src=loaded(x[b]))
        x = x.reshape((B * C, K))
    return output
