"""Rules of one line each, beside what is right."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


# nkilint: x: float32[512, 512]
@nki.jit
def index_in_a_condition(x):
    out = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        t = nl.load(x[nl.ds(128 * i, 128), :])
        if i == 0:
            t[...] = nl.exp(t)
        nl.store(out[nl.ds(128 * i, 128), :], value=t)
    return out


# nkilint: x: float32[512, 512]
@nki.jit
def tile_made_anew(x):
    out = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI411
        t = nl.load(x[nl.ds(128 * i, 128), :])
        nl.store(out[nl.ds(128 * i, 128), :], value=t)
    return out


# nkilint: x: float32[512, 512]
@nki.jit
def undocumented_method(x):
    out = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        t = nl.load(x[nl.ds(128 * i, 128), :])
        nl.store(out[nl.ds(128 * i, 128), :], value=t.clone())  # expect: NKI208
    return out


# nkilint: x: float32[512, 512]
@nki.jit
def documented_method(x):
    out = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        t = nl.load(x[nl.ds(128 * i, 128), :])
        nl.store(out[nl.ds(128 * i, 128), :], value=t.astype(nl.float32))
    return out


# nkilint: x: float32[128, 128]
@nki.jit
def sums_kept_after_reading(x):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    t = nl.load(x)
    sums = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.psum)
    for k in nl.sequential_range(4):
        sums += nisa.nc_matmul(t, t)  # expect: NKI504
        nl.store(out, value=nl.copy(sums, dtype=nl.float32))
    return out
