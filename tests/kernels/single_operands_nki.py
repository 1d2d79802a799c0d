"""Single operands: transpositions into another dtype (NKI202) and layout (NKI204), DMA and PSUM (NKI201), transpositions by DMA,
broadcasts by steps of 0, reductions beside activations and places of several numbers (NKI205), methods that tensors do not have
(NKI208)."""

import nki
import nki.isa as nisa
import nki.language as nl


def on_chip(source, shape, dtype=None):
    tile = nl.ndarray(shape, dtype=dtype or source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def stored(tile, shape, dtype=nl.float32):
    out = nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


def turned(tile, dtype, engine=nisa.engine.unknown, buffer=nl.psum):
    rows, columns = tile.shape
    made = nl.ndarray((columns, rows), dtype=dtype, buffer=buffer)
    nisa.nc_transpose(dst=made, data=tile, engine=engine)  # expect: NKI202
    result = nl.ndarray((columns, rows), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=made)
    return result


class Transposer(nl.NKIObject):
    """Turns one tile after the other in the same piece of PSUM."""

    def __init__(self, dtype):
        self.space = nl.ndarray((128, 128), dtype=dtype, buffer=nl.psum)

    def turn(self, tile):
        nisa.nc_transpose(dst=self.space, data=tile)
        result = nl.ndarray((128, 128), dtype=tile.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=self.space)
        return result


# --- found ---


# nkilint: x: bfloat16[128, 64]
@nki.jit
def turned_into_floats_by_a_helper(x):
    return stored(turned(on_chip(x, (128, 64)), nl.float32), (64, 128))


# nkilint: x: float32[128, 64]
@nki.jit
def turned_into_as_many_columns(x):
    made = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=made, data=on_chip(x, (128, 64)))  # expect: NKI204
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=made)
    return stored(tile, (128, 64))


# nkilint: x: float32[32, 32]
@nki.jit
def turned_by_the_vector_engine_into_halves(x):
    made = nl.ndarray((32, 32), dtype=nl.float16, buffer=nl.sbuf)
    nisa.nc_transpose(dst=made, data=on_chip(x, (32, 32)), engine=nisa.engine.vector)  # expect: NKI202
    return stored(made, (32, 32), nl.float16)


# nkilint: x: bfloat16[512, 512]
@nki.jit
def turned_in_a_loop_of_dtypes(x):
    out = nl.ndarray((2, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    for i, dtype in enumerate((nl.bfloat16, nl.float32)):
        made = nl.ndarray((128, 128), dtype=dtype, buffer=nl.psum)
        nisa.nc_transpose(dst=made, data=on_chip(x[0:128, 128 * i : 128 * i + 128], (128, 128)))  # expect: NKI202
        tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=tile, src=made)
        nisa.dma_copy(dst=out[i], src=tile)
    return out


# nkilint: x: bfloat16[128, 512]
@nki.jit
def product_sent_off_by_dma(x):
    tile = on_chip(x, (128, 512))
    parts = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum) for _ in range(2)]
    out = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i, part in enumerate(parts):
        nisa.nc_matmul(dst=part, stationary=tile[:, 0:128], moving=tile)
        nisa.dma_copy(dst=out[i], src=part)  # expect: NKI201
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def loaded_into_psum(x, buffer=nl.psum):
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=buffer)
    nisa.dma_copy(dst=tile, src=x)  # expect: NKI201
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=tile)
    return stored(result, (128, 512))


# nkilint: x: float32[16, 128]
@nki.jit
def floats_transposed_by_hardware(x):
    tile = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=tile, src=x, dge_mode=nisa.dge_mode.hwdge)  # expect: NKI202
    return stored(tile, (128, 16))


# nkilint: x: bfloat16[64, 128]
@nki.jit
def transposed_by_dma_into_floats(x):
    """A DMA casts when it copies, and not when it transposes."""
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_transpose(dst=tile, src=x)  # expect: NKI202 @ tile
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 512]
@nki.jit
def sums_beside_an_activation_of_too_many(x):
    tile, column = on_chip(x, (128, 512)), nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation_reduce(dst=tile, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=column)  # expect: NKI205
    return stored(column, (128, 2))


# nkilint: x: float32[512, 256]
@nki.jit
def offset_of_two_numbers(x):
    place = nl.ndarray((1, 2), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=place, value=256)
    rows = x.ap(pattern=[[256, 128], [1, 256]], offset=0, scalar_offset=place)  # expect: NKI205 @ place
    return stored(on_chip(rows, (128, 256)), (128, 256))


# nkilint: x: float32[4, 128, 64]
@nki.jit
def batch_of_all_numbers(x):
    places = nl.ndarray((1, 4), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[1, 4]], offset=0, channel_multiplier=0)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x.select(0, places))  # expect: NKI205 @ places
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def methods_of_torch(x):
    tile = on_chip(x, (128, 512))
    column = tile.sum(dim=1)  # expect: NKI208
    return stored(tile.view(nl.float32).contiguous(), (128, 512))  # expect: NKI208


# nkilint: x: float32[128, 512]
@nki.jit
def methods_of_numpy_on_an_input(x):
    flat = x.astype(nl.bfloat16)  # expect: NKI208
    return stored(on_chip(x, (128, 512)), (128, 512))


# --- silent ---


# nkilint: x: float32[4, 128, 64]
@nki.jit
def batches_one_after_the_other(x):
    places = nl.ndarray((1, 4), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[1, 4]], offset=0, channel_multiplier=0)
    out = nl.ndarray((4, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(4):
        nisa.dma_copy(dst=out[i], src=x.select(0, places[0:1, i : i + 1]))
    return out


# nkilint: x: bfloat16[512, 128]
@nki.jit
def turned_by_an_object(x):
    out = nl.ndarray((4, 128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    transposer = Transposer(x.dtype)
    for i in range(4):
        nisa.dma_copy(dst=out[i], src=transposer.turn(on_chip(x[128 * i : 128 * i + 128, :], (128, 128))))
    return out


# nkilint: x: float32[32, 32]
@nki.jit
def turned_by_the_vector_engine(x):
    made = nl.ndarray((32, 32), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_transpose(dst=made, data=on_chip(x, (32, 32)), engine=nisa.engine.vector)
    return stored(made, (32, 32))


# nkilint: x: bfloat16[128, 8, 16]
@nki.jit
def turned_with_two_free_axes(x):
    made = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=made, data=on_chip(x, (128, 8, 16)))
    tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=made)
    return stored(tile, (128, 128))


# nkilint: x: bfloat16[128, 512]
@nki.jit
def product_copied_before(x):
    tile = on_chip(x, (128, 512))
    out = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(2):
        part = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=part, stationary=tile[:, 0:128], moving=tile)
        result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=part)
        nisa.dma_copy(dst=out[i], src=result)
    return out


# nkilint: x: bfloat16[16, 128]
@nki.jit
def halves_transposed_by_hardware(x):
    tile = nl.ndarray((128, 16), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(dst=tile, src=x, dge_mode=nisa.dge_mode.hwdge)
    return stored(tile, (128, 16), nl.bfloat16)


# nkilint: x: float32[128, 64]
@nki.jit
def floats_transposed_by_dma(x):
    tile = nl.ndarray((64, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_transpose(dst=tile, src=x)
    return stored(tile, (64, 128))


# nkilint: row: float32[1, 256]
@nki.jit
def row_for_each_partition(row):
    """A step of 0 reads the same row again and again."""
    tile = nl.ndarray((128, 256), dtype=row.dtype, buffer=nl.sbuf)
    for half in range(2):
        rows = tile[64 * half : 64 * half + 64, :]
        nisa.dma_copy(dst=rows, src=row.ap(pattern=[[0, 64], [1, 256]]))
    return stored(tile, (128, 256))


# nkilint: column: float32[128, 1]
@nki.jit
def column_for_each_column(column):
    tile = nl.ndarray((128, 8, 4), dtype=column.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=column.ap(pattern=[[1, 128], [0, 8], [0, 4]]))
    return stored(tile, (128, 8, 4))


# nkilint: x: float32[128, 512]
@nki.jit
def sums_beside_an_activation(x):
    tile, column = on_chip(x, (128, 512)), nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation_reduce(dst=tile, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=column)
    return stored(column, (128, 1))


# nkilint: x: float32[128, 512]
@nki.jit
def greatest_beside_an_activation(x):
    tile, column = on_chip(x, (128, 512)), nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation_reduce(dst=tile, op=nl.exp, data=tile, reduce_op=nl.maximum, reduce_res=column)
    return stored(column, (128, 1))


# nkilint: x: float32[128, 512]
@nki.jit
def methods_of_nki(x):
    tile = on_chip(x, (128, 512)).reshape((128, 8, 64)).slice(1, 0, 4).flatten_dims(1, 2)
    assert tile.size == 128 * 256 and tile.buffer == nl.sbuf
    return stored(tile.view(nl.float32), (128, 256))
