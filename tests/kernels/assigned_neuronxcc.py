"""Assignments to elements, which an engine carries out as it does operations."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


# nkilint: x: float32[128, 512]
@nki.jit
def updated_from_hbm(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    tile += x  # expect: NKI201
    nl.store(out, value=tile)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def updated_in_hbm(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, value=tile)
    out *= 2.0  # expect: NKI201
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def loaded_into_hbm(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    out[...] = nl.load(x)  # expect: NKI201 @ out[...]
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def assigned_without_load(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        tile[:, nl.ds(128 * i, 128)] = x[:, nl.ds(128 * i, 128)]  # expect: NKI201 @ tile[:, nl.ds(128 * i, 128)]
    nl.store(out, value=tile)
    return out


# nkilint: heads: float32[2, 48, 512]
@nki.jit
def packed_by_an_engine(heads):
    out = nl.ndarray((96, 512), dtype=heads.dtype, buffer=nl.shared_hbm)
    packed = nl.ndarray((96, 512), dtype=heads.dtype, buffer=nl.sbuf)
    for h in nl.affine_range(2):
        packed[nl.ds(48 * h, 48), :] = nl.load(heads[h]) * 0.125  # expect: NKI106 @ packed[nl.ds(48 * h, 48), :]
    nl.store(out, value=packed)
    return out


# nkilint: heads: float32[2, 64, 512]
@nki.jit
def packed_by_halves(heads):
    out = nl.ndarray((128, 512), dtype=heads.dtype, buffer=nl.shared_hbm)
    packed = nl.ndarray((128, 512), dtype=heads.dtype, buffer=nl.sbuf)
    for h in nl.affine_range(2):
        packed[nl.ds(64 * h, 64), :] = nl.load(heads[h]) * 0.125
    nl.store(out, value=packed)
    return out


# nkilint: heads: float32[2, 48, 512]
@nki.jit
def packed_by_loads(heads):
    out = nl.ndarray((96, 512), dtype=heads.dtype, buffer=nl.shared_hbm)
    packed = nl.ndarray((96, 512), dtype=heads.dtype, buffer=nl.sbuf)
    for h in nl.affine_range(2):
        packed[nl.ds(48 * h, 48), :] = nl.load(heads[h])
    nl.store(out, value=packed)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def part_of_what_was_loaded(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile, other = nl.load(x), nl.load(x)
    tile[16:32, :] = other[16:32, :]  # expect: NKI106 @ tile[16:32, :]
    nl.store(out, value=tile)
    return out


# nkilint: weights: bfloat16[128, 64], x: bfloat16[128, 512]
@nki.jit
def products_side_by_side(weights, x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    left, right = nl.load(weights), nl.load(x)
    total[0:64, :] += nisa.nc_matmul(left, right)
    total[64:128, :] += nisa.nc_matmul(left, right)
    nl.store(out, value=total)
    return out


# nkilint: weights: bfloat16[128, 48], x: bfloat16[128, 512]
@nki.jit
def products_anywhere(weights, x):
    out = nl.ndarray((96, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((96, 512), dtype=nl.float32, buffer=nl.psum)
    left, right = nl.load(weights), nl.load(x)
    total[0:48, :] += nisa.nc_matmul(left, right)
    total[48:96, :] += nisa.nc_matmul(left, right)  # expect: NKI106
    nl.store(out, value=total)
    return out


# nkilint: flags: float32[128, 512]
@nki.jit
def bits_of_floats(flags):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(flags)
    tile |= tile  # expect: NKI202
    nl.store(out, value=tile)
    return out


# nkilint: flags: int32[128, 512]
@nki.jit
def bits_of_integers(flags):
    out = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    tile = nl.load(flags)
    tile |= tile
    tile[0:64, :] += tile[64:128, :]
    nl.store(out, value=tile)
    return out


# nkilint: x: float32[32, 8]
@nki.jit
def numbers_element_by_element(x):
    out = nl.ndarray((32, 8), dtype=nl.int32, buffer=nl.shared_hbm)
    table = nl.zeros((32, 8), dtype=nl.int32)
    for i in nl.static_range(32):
        for j in nl.static_range(8):
            table[i, j] = 5 * j
    nl.store(out, value=table)
    return out
