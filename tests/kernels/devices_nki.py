"""Limits that documentation states and devices do not keep, in today's dialect: warnings that no verdict counts, beside what is
wrong on every device (NKI102, NKI104, NKI201, NKI203, NKI204, NKI205, NKI213, NKI903)."""

import nki
import nki.isa as nisa
import nki.language as nl


def on_chip(source, shape, dtype=None):
    tile = nl.ndarray(shape, dtype=dtype or source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)  # expect-warning: NKI204 mask is None or mask.shape[0]*mask.shape[1] == 8192
    return tile


def stored(tile, shape, dtype=nl.float32):
    out = nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


def reduced(tile, shape, op, axis):
    made = nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=made, op=op, data=tile, axis=axis)  # expect: NKI213  # expect: NKI213
    return made


# --- wrong on every device ---


# nkilint: x: float32[128, 512]
@nki.jit
def more_than_all_of_psum(x):
    total = nl.ndarray((128, 8, 1024), dtype=nl.float32, buffer=nl.psum)  # expect: NKI104
    nisa.tensor_copy(dst=total[:, 0, 0:512], src=on_chip(x, (128, 512)))
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total[:, 0, 0:512])
    return stored(result, (128, 512))


# nkilint: x: float32[128, 4, 8, 6]
@nki.jit
def sum_over_a_middle_axis(x):
    return stored(reduced(on_chip(x, x.shape), (128, 4, 6), nl.add, 2), (128, 4, 6))


# nkilint: x: float32[128, 64]
@nki.jit
def sum_over_partitions(x):
    return stored(reduced(on_chip(x, x.shape), (1, 64), nl.add, (0,)), (1, 64))


# nkilint: x: float32[128, 1024], w: float32[128, 128]
@nki.jit
def product_over_two_banks(x, w):
    total = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=total, stationary=on_chip(w, (128, 128)), moving=on_chip(x, (128, 1024)))  # expect: NKI103
    result = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total)
    return stored(result, (128, 1024))


# nkilint: x: float32[128, 64], w: float32[128, 128]
@nki.jit
def product_across_the_end_of_a_bank(x, w):
    total = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)
    part = total[:, 480:544]
    nisa.nc_matmul(dst=part, stationary=on_chip(w, (128, 128)), moving=on_chip(x, (128, 64)))  # expect: NKI104
    result = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=part)
    return stored(result, (128, 64))


# nkilint: x: float32[128, 30, 14], y: float32[128, 2]
@nki.jit
def two_columns_for_several_axes(x, y):
    tile = on_chip(x, x.shape)
    nisa.tensor_tensor(dst=tile, data1=tile, data2=on_chip(y, (128, 2)), op=nl.add)  # expect: NKI204
    return stored(tile, (128, 30, 14))


# nkilint: x: float32[128, 30, 14], y: float32[64, 1]
@nki.jit
def column_of_fewer_partitions(x, y):
    tile = on_chip(x, x.shape)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=on_chip(y, (64, 1)))  # expect: NKI203
    return stored(tile, (128, 30, 14))


# nkilint: x: float32[128, 200]
@nki.jit
def more_columns_than_the_tensor_engine_turns(x):
    made = nl.ndarray((200, 128), dtype=nl.float32, buffer=nl.psum)  # expect: NKI101
    nisa.nc_transpose(dst=made, data=on_chip(x, (128, 200)))  # expect: NKI102  # expect: NKI210
    return stored(on_chip(x, (128, 200)), (128, 200))


# nkilint: x: float32[128, 64]
@nki.jit
def sum_of_an_axis_that_is_not_there(x):
    tile, made = on_chip(x, (128, 64)), nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=made, op=nl.add, data=tile, axis=2)  # expect: NKI213
    return stored(made, (128, 1))


# nkilint: x: float32[128, 64]
@nki.jit
def identity_of_numbers(x, count=2):
    tile = on_chip(x, (128, 64))
    if count is 2:  # expect: NKI803
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# --- documented, not enforced ---


# nkilint: x: float32[64, 128]
@nki.jit
def turned_by_the_vector_engine(x):
    made = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst=made, data=on_chip(x, (64, 128)), engine=nisa.engine.vector)  # expect: NKI102
    return stored(made, (128, 64))


# nkilint: x: float32[128, 4, 8, 6]
@nki.jit
def sum_over_axes_with_a_gap(x):
    made = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=made, op=nl.add, data=on_chip(x, x.shape), axis=(1, 3))  # expect: NKI213
    return stored(made, (128, 8))


# nkilint: x: float32[128, 4, 2, 3, 2]
@nki.jit
def maximum_over_axes_with_a_gap(x):
    made = nl.ndarray((128, 4, 3), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=made, op=nl.maximum, data=on_chip(x, x.shape), axis=[2, 4])  # expect: NKI213
    return stored(made, (128, 4, 3))


# nkilint: x: float32[128, 64]
@nki.jit
def without_a_tensor(x, mask=None):
    tile = on_chip(x, (128, 64))
    if mask is not None:  # expect: NKI803
        nisa.tensor_tensor(dst=tile, data1=tile, data2=on_chip(mask, (128, 64)), op=nl.multiply)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def number_for_a_mode(x):
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x, dge_mode=3)  # expect: NKI903
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def tile_of_one_dimension_that_is_bound_anew(x):
    tile = nl.ndarray((64,), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI105  # expect: NKI411
    tile = on_chip(x, (128, 64))
    return stored(tile, (128, 64))


# nkilint: x: float32[2, 128, 64]
@nki.jit
def cores_that_wait_for_a_tile(x):
    assert nl.num_programs(0) == 2
    core = nl.program_id(0)
    out = nl.ndarray((2, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = on_chip(x[core], (128, 64))
    nisa.core_barrier(tile, cores=(0, 1))  # expect: NKI201
    nisa.dma_copy(dst=out[core], src=tile)
    return out


# --- silent ---


# nkilint: x: float32[128, 30, 14], y: float32[128, 1]
@nki.jit
def column_for_several_axes(x, y):
    tile = on_chip(x, x.shape)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=on_chip(y, (128, 1)))
    return stored(tile, (128, 30, 14))


# nkilint: x: float32[128, 4096], w: float32[128, 128]
@nki.jit
def products_in_all_banks(x, w):
    total = nl.ndarray((128, 4096), dtype=nl.float32, buffer=nl.psum)
    moving, stationary = on_chip(x, (128, 4096)), on_chip(w, (128, 128))
    for bank in range(8):
        columns = nl.ds(512 * bank, 512)
        nisa.nc_matmul(dst=total[:, columns], stationary=stationary, moving=moving[:, columns])
    nisa.tensor_copy(dst=moving, src=total)
    return stored(moving, (128, 4096))


# nkilint: x: float32[128, 4, 8, 6]
@nki.jit
def sums_over_the_last_axes(x):
    tile = on_chip(x, x.shape)
    out = nl.ndarray((3, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    for i, axes in enumerate(((1, 2, 3), [1, 2, 3], (-3, -2, -1))):
        made = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=made, op=nl.add, data=tile, axis=axes)
        nisa.dma_copy(dst=out[i].reshape((128, 1)), src=made)
    return out


# nkilint: x: float32[32, 32]
@nki.jit
def small_transpose_of_the_vector_engine(x):
    made = nl.ndarray((32, 32), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_transpose(dst=made, data=on_chip(x, (32, 32)), engine=nisa.engine.vector)
    return stored(made, (32, 32))


# nkilint: x: float32[128, 64]
@nki.jit
def mode_by_its_member(x):
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x, dge_mode=nisa.dge_mode.hwdge)
    return stored(tile, (128, 64))


# nkilint: x: bfloat16[128, 128]
@nki.jit
def transpose_of_the_tensor_engine(x):
    made = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=made, data=on_chip(x, (128, 128)), engine=nisa.engine.tensor)
    result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=made)
    return stored(result, (128, 128))


# nkilint: x: float32[128, 64], w: float32[128, 128]
@nki.jit
def product_up_to_the_end_of_a_bank(x, w):
    total = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)
    part = total[:, 448:512]
    nisa.nc_matmul(dst=part, stationary=on_chip(w, (128, 128)), moving=on_chip(x, (128, 64)))
    result = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=part)
    return stored(result, (128, 64))


# nkilint: x: float32[128, 4, 8]
@nki.jit
def sum_of_the_last_axis_in_parts(x):
    tile = on_chip(x, x.shape)
    made = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(2):
        rows = tile.slice(1, 2 * i, 2 * i + 2)
        nisa.tensor_reduce(dst=made[:, 2 * i : 2 * i + 2], op=nl.add, data=rows, axis=-1)
    return stored(made, (128, 4))


# nkilint: x: float32[128, 64]
@nki.jit
def flag_and_not_an_identity(x, count=2):
    tile = on_chip(x, (128, 64))
    if count == 2:
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[2, 128, 64]
@nki.jit
def cores_that_wait_for_an_output(x):
    assert nl.num_programs(0) == 2
    core = nl.program_id(0)
    out = nl.ndarray((2, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[core], src=on_chip(x[core], (128, 64)))
    nisa.core_barrier(out, cores=(0, 1))
    return out
