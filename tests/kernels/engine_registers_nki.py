"""The accumulator registers of the engines: read out where nothing was reduced into them, or gone on from where nothing
begun them (NKI701), and used as they are meant to be."""

import nki
import nki.isa as nisa
import nki.language as nl

ANEW, ON = nisa.reduce_cmd.reset_reduce, nisa.reduce_cmd.reduce


def fresh(shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def loaded(source, dtype=nl.float32):
    tile = fresh(source.shape, dtype)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def handed_back(tile):
    output = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)  # expect: NKI701
    return output


def returned(tile):
    output = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)
    return output


# --- found ---


# nkilint: x: float32[128, 512], chosen: uint8[128, 512]
@nki.jit
def idle_maximum(x, chosen):
    tile, which, result = loaded(x), loaded(chosen, nl.uint8), fresh((128, 1))
    nisa.select_reduce(tile, which, on_true=tile, on_false=0.0, reduce_res=result, reduce_op=nl.maximum)
    return handed_back(result)


# nkilint: x: float32[128, 512], bounds: float32[128, 2]
@nki.jit
def idle_range(x, bounds):
    tile, ends, result = loaded(x), loaded(bounds), fresh((128, 1))
    nisa.range_select(
        dst=tile,
        on_true_tile=tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=ends[:, 0:1],
        bound1=ends[:, 1:2],
        reduce_cmd=nisa.reduce_cmd.idle,
        reduce_res=result,
    )
    return handed_back(result)


# nkilint: x: float32[128, 512]
@nki.jit
def no_command(x):
    tile, result = loaded(x), fresh((128, 1))
    nisa.activation(dst=tile, op=nl.square, data=tile, reduce_res=result)
    return handed_back(result)


# nkilint: x: float32[128, 512]
@nki.jit
def never_begun(x):
    tile, result = loaded(x), fresh((128, 1))
    nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=result, reduce_cmd=ON)
    return handed_back(result)


# nkilint: x: float32[256, 512]
@nki.jit
def rows_that_go_on(x):
    output = nl.ndarray((256, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(2):
        tile, total = loaded(x[i * 128 : i * 128 + 128]), fresh((128, 1))
        nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=ON)
        nisa.dma_copy(dst=output[i * 128 : i * 128 + 128], src=total)  # expect: NKI701
    return output


# nkilint: x: float32[128, N]
@nki.jit
def each_block_goes_on(x):
    assert x.shape[1] % 512 == 0
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = fresh((128, 1))
    for i in range(x.shape[1] // 512):
        tile = loaded(x[:, i * 512 : i * 512 + 512])
        nisa.tensor_scalar_reduce(tile, tile, nl.multiply, 2.0, nl.add, reduce_res=total, reduce_cmd=ON)
    nisa.dma_copy(dst=output, src=total)  # expect: NKI701
    return output


# nkilint: x: float32[128, 512]
@nki.jit
def running_sum_of_nothing(x):
    tile, result = loaded(x), fresh((128, 512))
    nisa.tensor_scalar_cumulative(dst=result, src=tile, op0=nl.multiply, op1=nl.add, imm0=1.0, reduce_cmd=ON)
    return handed_back(result)


# nkilint: x: float32[128, 512]
@nki.jit
def begun_on_the_other_engine(x):
    tile, result = loaded(x), fresh((128, 1))
    nisa.tensor_scalar_reduce(tile, tile, nl.multiply, 2.0, nl.add)
    nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=result, reduce_cmd=ON)
    return handed_back(result)


# nkilint: x: float32[128, 512]
@nki.jit
def reduced_twice_and_never_begun(x):
    tile, result = loaded(x), fresh((128, 1))
    nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_cmd=ON)
    nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=result, reduce_cmd=ON)
    return handed_back(result)


# nkilint: x: float32[128, 512]
@nki.jit
def half_of_the_maxima(x):  # expect: NKI003
    """The first column is reduced, the second is left idle; whether anything else fills that is not followed."""
    output = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, which, most = loaded(x), fresh((128, 512), nl.uint8), fresh((128, 2))
    nisa.memset(dst=which, value=1)
    nisa.select_reduce(tile, which, on_true=tile, on_false=0.0, reduce_res=most[:, 0:1], reduce_cmd=ANEW)
    nisa.select_reduce(tile, which, on_true=tile, on_false=0.0, reduce_res=most[:, 1:2])
    nisa.dma_copy(dst=output, src=most)  # expect: NKI701
    return output


# --- right ---


# nkilint: x: float32[128, 512], chosen: uint8[128, 512]
@nki.jit
def maximum(x, chosen):
    tile, which, most = loaded(x), loaded(chosen, nl.uint8), fresh((128, 1))
    nisa.select_reduce(tile, which, on_true=tile, on_false=0.0, reduce_res=most, reduce_cmd=ANEW)
    return returned(most)


# nkilint: x: float32[128, 512], chosen: uint8[128, 512]
@nki.jit
def selected_without_a_maximum(x, chosen):
    tile, which = loaded(x), loaded(chosen, nl.uint8)
    nisa.select_reduce(tile, which, on_true=tile, on_false=0.0)
    return returned(tile)


# nkilint: x: float32[128, 512], bounds: float32[128, 2]
@nki.jit
def range_by_default(x, bounds):
    tile, ends, most = loaded(x), loaded(bounds), fresh((128, 1))
    nisa.range_select(tile, tile, nl.greater_equal, nl.less, ends[:, 0:1], ends[:, 1:2], reduce_res=most)
    return returned(most)


# nkilint: x: float32[128, N]
@nki.jit
def begun_by_the_first_block(x):
    assert x.shape[1] % 512 == 0 and x.shape[1] > 0
    total = fresh((128, 1))
    for i in range(x.shape[1] // 512):
        tile = loaded(x[:, i * 512 : i * 512 + 512])
        command = ANEW if i == 0 else ON
        nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=command)
    return returned(total)


# nkilint: x: float32[R, 1024]
@nki.jit
def begun_for_each_row(x):
    assert x.shape[0] % 128 == 0
    output = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for r in range(x.shape[0] // 128):
        total = fresh((128, 1))
        for i in range(2):
            tile = loaded(x[r * 128 : r * 128 + 128, i * 512 : i * 512 + 512])
            command = ON if i > 0 else ANEW
            nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=command)
        nisa.dma_copy(dst=output[r * 128 : r * 128 + 128], src=total)
    return output


# nkilint: x: float32[128, N]
@nki.jit
def reset_and_read_out_apart(x):
    """An idle instruction of the Scalar Engine reads out what the others left."""
    assert x.shape[1] % 512 == 0
    scratch, total = fresh((128, 1)), fresh((128, 1))
    nisa.memset(dst=scratch, value=0.0)
    nisa.activation(dst=scratch, op=nl.copy, data=scratch, reduce_op=nl.add, reduce_cmd=nisa.reduce_cmd.reset)
    for i in range(x.shape[1] // 512):
        tile = loaded(x[:, i * 512 : i * 512 + 512])
        nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_cmd=ON)
    nisa.activation(dst=scratch, op=nl.copy, data=scratch, reduce_res=total)
    return returned(total)


# nkilint: x: float32[128, 1024]
@nki.jit
def running_sum_in_two_parts(x):
    tile, sums = loaded(x), fresh((128, 1024))
    for i in range(2):
        part = slice(i * 512, i * 512 + 512)
        command = nisa.reduce_cmd.reset_reduce if i == 0 else nisa.reduce_cmd.reduce
        nisa.tensor_scalar_cumulative(
            dst=sums[:, part], src=tile[:, part], op0=nl.multiply, op1=nl.add, imm0=1.0, reduce_cmd=command
        )
    return returned(sums)


# nkilint: x: float32[128, 1024]
@nki.jit
def begun_by_another_operation_of_the_engine(x):
    tile, sums, total = loaded(x), fresh((128, 512)), fresh((128, 1))
    nisa.tensor_scalar_reduce(tile[:, 0:512], tile[:, 0:512], nl.multiply, 1.0, nl.add, reduce_res=total)
    nisa.tensor_scalar_cumulative(
        dst=sums, src=tile[:, 512:1024], op0=nl.multiply, op1=nl.add, imm0=1.0, reduce_cmd=ON
    )
    return returned(sums), returned(total)


# nkilint: x: float32[128, 512]
@nki.jit
def begun_by_activation_reduce(x):
    tile, first, total = loaded(x), fresh((128, 1)), fresh((128, 1))
    nisa.activation_reduce(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=first)
    nisa.activation(dst=tile, op=nl.exp, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=ON)
    return returned(first), returned(total)


# nkilint: x: float32[128, 512], start: float32[128, 1]
@nki.jit
def begun_with_what_is_loaded(x, start):
    tile, first, total = loaded(x), loaded(start), fresh((128, 1))
    nisa.tensor_scalar_reduce(
        tile, tile, nl.multiply, 1.0, nl.add, reduce_cmd=nisa.reduce_cmd.load_reduce, reduce_init=first
    )
    nisa.tensor_scalar_reduce(tile, tile, nl.multiply, 1.0, nl.add, reduce_res=total, reduce_cmd=ON)
    return returned(total)


# nkilint: x: float32[128, 512], y: float32[128, 512]
@nki.jit
def two_sums_by_turns(x, y):  # expect: NKI003
    out = nl.ndarray((2, 128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    first, second = nl.ndarray((128, 1), nl.float32, buffer=nl.sbuf), nl.ndarray((128, 1), nl.float32, buffer=nl.sbuf)
    for k in range(4):
        command = nisa.reduce_cmd.reset_reduce if k == 0 else nisa.reduce_cmd.reduce
        for source, total in ((x, first), (y, second)):
            tile = nl.ndarray((128, 128), nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=source[:, k * 128 : (k + 1) * 128])
            nisa.activation(
                dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=command
            )
    nisa.dma_copy(dst=out[0], src=first)
    nisa.dma_copy(dst=out[1], src=second)
    return out


# nkilint: x: float32[128, 512], y: float32[128, 512]
@nki.jit
def two_sums_one_after_the_other(x, y):
    out = nl.ndarray((2, 128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for number, source in enumerate((x, y)):
        total = nl.ndarray((128, 1), nl.float32, buffer=nl.sbuf)
        for k in range(4):
            command = nisa.reduce_cmd.reset_reduce if k == 0 else nisa.reduce_cmd.reduce
            tile = nl.ndarray((128, 128), nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=source[:, k * 128 : (k + 1) * 128])
            nisa.activation(
                dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=command
            )
        nisa.dma_copy(dst=out[number], src=total)
    return out


# nkilint: x: float32[128*K, 128]
@nki.jit
def sum_for_each_tile_begun_once(x):  # expect: NKI003
    out = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // 128):
        command = nisa.reduce_cmd.reset_reduce if i == 0 else nisa.reduce_cmd.reduce
        tile, total = nl.ndarray((128, 128), nl.float32, buffer=nl.sbuf), nl.ndarray((128, 1), nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128])
        nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total, reduce_cmd=command)
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128], src=total)
    return out


# nkilint: x: float32[128, 128], y: float32[128, 128]
@nki.jit
def sum_over_two_tiles(x, y):
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 1), nl.float32, buffer=nl.sbuf)
    one, other = nl.ndarray((128, 128), nl.float32, buffer=nl.sbuf), nl.ndarray((128, 128), nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=one, src=x)
    nisa.dma_copy(dst=other, src=y)
    reset, more = nisa.reduce_cmd.reset_reduce, nisa.reduce_cmd.reduce
    nisa.activation(dst=one, op=nl.square, data=one, reduce_op=nl.add, reduce_cmd=reset)
    nisa.activation(dst=other, op=nl.square, data=other, reduce_op=nl.add, reduce_res=total, reduce_cmd=more)
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def read_out_by_an_idle_call(x):
    tile, total = loaded(x), fresh((128, 1))
    for k in range(4):
        command = nisa.reduce_cmd.reset_reduce if k == 0 else nisa.reduce_cmd.reduce
        part = tile[:, k * 128 : (k + 1) * 128]
        nisa.activation(dst=part, op=nl.square, data=part, reduce_op=nl.add, reduce_cmd=command)
    first, idle = tile[:, 0:1], nisa.reduce_cmd.idle
    nisa.activation(dst=first, op=nl.copy, data=first, reduce_op=nl.add, reduce_res=total, reduce_cmd=idle)
    return returned(total)


# nkilint: x: float32[128, 512]
@nki.jit
def operator_without_a_command(x):
    tile, total = loaded(x), fresh((128, 1))
    nisa.activation(dst=tile, op=nl.square, data=tile, reduce_op=nl.add, reduce_res=total)  # expect: NKI205
    output = nl.ndarray(total.shape, dtype=total.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=total)  # expect: NKI701
    return output
