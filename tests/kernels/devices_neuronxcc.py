"""Limits that documentation states and devices do not keep, next to what stays wrong (NKI102, NKI104, NKI105, NKI213)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


# --- wrong on every device ---


# nkilint: x: float32[128, 512]
@nki.jit
def more_than_all_of_psum(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 8192), dtype=nl.float32, buffer=nl.psum)  # expect: NKI104
    nl.store(out, value=nl.copy(total[:, 0:512]))
    return out


# nkilint: x: float32[128, 4, 8, 6]
@nki.jit
def sum_over_a_middle_axis(x):
    out = nl.ndarray((128, 4, 6), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_reduce(np.add, nl.load(x), axis=[2]))  # expect: NKI213
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def sum_over_partitions(x):
    out = nl.ndarray((1, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_reduce(np.add, nl.load(x), axis=[0]))  # expect: NKI204  # expect: NKI213
    return out


# nkilint: x: float32[128, 30, 14], y: float32[128, 2]
@nki.jit
def two_columns_for_several_axes(x, y):
    out = nl.ndarray((128, 30, 14), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_tensor(nl.load(x), nl.load(y), op=np.add))  # expect: NKI204
    return out


# nkilint: x: float32[128, 30, 14], y: float32[64, 1]
@nki.jit
def column_of_fewer_partitions(x, y):
    out = nl.ndarray((128, 30, 14), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_tensor(nl.load(x), nl.load(y), op=np.add))  # expect: NKI203
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def transposed_by_the_tensor_engine_with_too_many_columns(x):
    out = nl.ndarray((512, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.nc_transpose(nl.load(x)))  # expect: NKI102
    return out


# nkilint: x: float32[128, 600], w: float32[128, 128]
@nki.jit
def product_of_more_columns_than_a_bank(x, w):
    out = nl.ndarray((128, 600), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nl.copy(nisa.nc_matmul(nl.load(w), nl.load(x))))  # expect: NKI103
    return out


# nkilint: x: float32[128, 4, 8]
@nki.jit
def axis_that_is_not_there(x):
    out = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_reduce(np.add, nl.load(x), axis=[3]))  # expect: NKI204  # expect: NKI213
    return out


# nkilint: x: float32[128, 64, 64]
@nki.jit
def transposed_with_three_dimensions(x):
    out = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.nc_transpose(nl.load(x)))  # expect: NKI102  # expect: NKI204
    return out


# --- documented, not enforced ---


# nkilint: x: float32[128, 1024]
@nki.jit
def sums_in_two_banks(x):
    out = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 1024), dtype=nl.float32, buffer=nl.psum)  # expect: NKI104
    tile = nl.load(x)
    for i in nl.affine_range(2):
        total[:, nl.ds(512 * i, 512)] += nisa.nc_matmul(tile[:, 0:128], tile[:, nl.ds(512 * i, 512)])
    nl.store(out, value=nl.copy(total))
    return out


# nkilint: x: float32[64, 64]
@nki.jit
def transposed_by_the_vector_engine(x):
    out = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.nc_transpose(nl.load(x), engine=nisa.vector_engine))  # expect: NKI102
    return out


# nkilint: x: float32[128, 4, 8, 6]
@nki.jit
def sum_over_axes_with_a_gap(x):
    out = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_reduce(np.add, nl.load(x), axis=(1, 3)))  # expect: NKI213
    return out


# nkilint: x: float32[128, 4, 2, 3, 2]
@nki.jit
def maximum_over_axes_with_a_gap(x):
    out = nl.ndarray((128, 4, 3), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_reduce(np.max, nl.load(x), axis=(2, 4)))  # expect: NKI213
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def tile_of_one_dimension_that_is_bound_anew(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128,), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI105  # expect: NKI411
    tile = nl.load(x)
    nl.store(out, value=tile)
    return out


# --- silent ---


# nkilint: x: float32[128, 30, 14], y: float32[128, 1]
@nki.jit
def column_for_several_axes(x, y):
    out = nl.ndarray((128, 30, 14), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_tensor(nl.load(x), nl.load(y), op=np.multiply))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def one_whole_bank(x):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    tile = nl.load(x)
    total += nisa.nc_matmul(tile[:, 0:128], tile)
    nl.store(out, value=nl.copy(total))
    return out


# nkilint: x: float32[32, 32]
@nki.jit
def small_transpose_of_the_vector_engine(x):
    out = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.nc_transpose(nl.load(x), engine=nisa.vector_engine))
    return out


# nkilint: x: float32[128, 128]
@nki.jit
def transpose_of_the_tensor_engine(x):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nl.copy(nisa.nc_transpose(nl.load(x))))
    return out


# nkilint: x: float32[128, 4, 8, 6]
@nki.jit
def sums_over_the_last_axes(x):
    out = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nisa.tensor_reduce(np.add, nl.load(x), axis=(2, 3)))
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def tile_of_one_column(x):
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nl.max(nl.load(x), axis=1, keepdims=True))
    return out


# nkilint: x: float32[8, 128, 512]
@nki.jit
def banks_as_a_block_dimension(x):
    out = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((8, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(8):
        tile = nl.load(x[i])
        total[i] += nisa.nc_matmul(tile[:, 0:128], tile)
        nl.store(out[i], value=nl.copy(total[i]))
    return out
