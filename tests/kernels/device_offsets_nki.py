"""Patterns whose offset only the device knows: what stands in the text has to fit all the same."""

import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[128, 512], at: int32[1, 1]
@nki.jit
def register_behind_the_end(x, at):
    out = nl.ndarray((1, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nisa.register_alloc(0)
    nisa.register_load(row, at)
    rows = x.ap(pattern=[[512, 1], [1, 512]], offset=200 * 512, scalar_offset=row)  # expect: NKI301
    nisa.dma_copy(dst=out, src=rows)
    return out


# nkilint: x: float32[128, 512], at: int32[1, 1]
@nki.jit
def register_that_may_fit(x, at):
    out = nl.ndarray((1, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nisa.register_alloc(0)
    nisa.register_load(row, at)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[512, 1], [1, 512]], scalar_offset=row))
    return out


# nkilint: x: bfloat16[128, 512], at: int32[1, 1]
@nki.jit
def wider_than_the_tensor(x, at):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=at)
    pairs = x.ap(pattern=[[512, 128], [1, 512]], scalar_offset=t, dtype=nl.float32)  # expect: NKI301
    nisa.dma_copy(dst=out, src=pairs)
    return out


# nkilint: x: bfloat16[128, 512], at: int32[1, 1]
@nki.jit
def wider_in_halves(x, at):
    out = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=at)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[256, 128], [1, 256]], scalar_offset=t, dtype=nl.float32))
    return out
