"""Members that an enumeration does not have, and attributes that only arrays of the host do."""

import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[128, 64]
@nki.jit
def no_such_mode(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x, dge_mode=nisa.dge_mode.fastest)  # expect: NKI208
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def one_of_the_modes(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x, dge_mode=nisa.dge_mode.none)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def turned_as_in_numpy(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x.T)  # expect: NKI208
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def moved_as_in_torch(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    where = x.device  # expect: NKI208
    assert where != None  # noqa: E711
    nisa.dma_copy(dst=out, src=x)
    return out
