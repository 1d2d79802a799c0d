"""Loops over what is not known and over powers of two: what they do inside is judged."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

# nkilint: x: float32[128, 256]
@nki.jit
def keys(x, table):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in sorted(table.keys()):
        i = nl.arange(128)
        nl.store(out, nl.load(x[i, 0:256]))  # expect: NKI302
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def transposed(x, steps):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(int(steps.count())):
        a = nl.load(x)
        r = nisa.nc_matmul(a, a)  # expect: NKI103
    nl.store(out, nl.load(x))
    return out


@nki.jit
def levels(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    for d in nl.static_range(depth):
        nl.store(out[0:128, n >> d : n], nl.load(x[0:128, 0 : n >> d]))  # expect: NKI204
    return out


@nki.jit
def grid_of_powers(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:n]
    nl.store(out[i, j], nl.load(x[i, j + 1]))  # expect: NKI301
    return out


@nki.jit
def powers_under_a_mask(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:n]
    t = nl.load(x[i, j + 1], mask=(j < n))  # expect: NKI301
    nl.store(out[i, j], t)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def keys_good(x, table):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in sorted(table.keys()):
        i = nl.arange(128)[:, None]
        nl.store(out, nl.load(x[i, nl.arange(256)[None, :]]))
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def transposed_good(x, steps):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(int(steps.count())):
        a = nl.load(x)
        r = nisa.nc_matmul(a[:, 0:128], a)
    nl.store(out, nl.load(x))
    return out


@nki.jit
def levels_good(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for d in nl.static_range(depth):
        nl.store(out[0:128, 0 : n >> d], nl.load(x[0:128, 0 : n >> d]))
    nl.store(out, nl.load(x))
    return out


@nki.jit
def grid_of_powers_good(x, depth):
    n = 2**depth
    assert x.shape == (128, n + 1)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:n]
    nl.store(out[i, j], nl.load(x[i, j + 1]))
    return out


@nki.jit
def powers_under_a_mask_good(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:n]
    t = nl.load(x[i, j], mask=(j < n))
    nl.store(out[i, j], t, mask=(j < n))
    return out
