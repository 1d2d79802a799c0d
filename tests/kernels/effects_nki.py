"""What operations leave of a destination, and which elements their results hang on."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def left_by_a_shuffle(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    shuffled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(dst=shuffled, src=tile, shuffle_mask=[255] * 32)
    nl.store(output, shuffled)  # expect: NKI701
    return output


@nki.jit
def left_by_a_shuffle_but_filled(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    shuffled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(shuffled, value=0)
    nisa.nc_stream_shuffle(dst=shuffled, src=tile, shuffle_mask=[255] + list(range(31)))
    nl.store(output, shuffled)
    return output


@nki.jit
def one_partition_left_by_a_shuffle(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    shuffled = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(dst=shuffled, src=tile, shuffle_mask=[*range(31), 255])
    nl.store(output, shuffled)  # expect: NKI701
    return output


@nki.jit
def counted(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 65), dtype=nl.int32, buffer=nl.shared_hbm)
    tile = nl.load(x, dtype=nl.int32)
    found = nl.ndarray((128, 65), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=found, src=tile)
    nl.store(output, found)  # expect: NKI701
    return output


@nki.jit
def counted_in_one_partition(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((1, 65), dtype=nl.int32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:1, 0:64], src=x[0:1, 0:64])
    found = nl.ndarray((128, 65), dtype=nl.int32, buffer=nl.sbuf)
    nisa.nonzero_with_count(dst=found, src=tile)
    nl.store(output, found[0:1, 0:65])
    return output


@nki.jit
def overwritten_by_a_matmul(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x, dtype=nl.bfloat16)
    sums = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    for i in range(2):
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=False)
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=True)
        nl.store(output, nl.copy(sums))
    return output


@nki.jit
def added_to_what_no_matmul_began(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x, dtype=nl.bfloat16)
    sums = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=True)  # expect: NKI701
    nl.store(output, nl.copy(sums))
    return output


@nki.jit
def cumulated_up_to_what_is_there(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:128, 0:8], src=x[0:128, 0:8])
    sums = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=sums, src=tile, op0=nl.multiply, op1=nl.add, imm0=2.0)
    nl.store(output, sums[0:128, 0:8])
    return output


@nki.jit
def begun_from_what_is_not_loaded(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x, dtype=nl.float32)
    start = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    sums = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(  # expect: NKI701
        dst=sums, src=tile, op0=nl.multiply, op1=nl.add, imm0=2.0, imm1=start, reduce_cmd=nisa.reduce_cmd.load_reduce
    )
    nl.store(output, sums)
    return output


@nki.jit
def begun_anew(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x, dtype=nl.float32)
    start = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    sums = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_scalar_cumulative(dst=sums, src=tile, op0=nl.multiply, op1=nl.add, imm0=2.0, imm1=start)
    nl.store(output, sums)
    return output


@nki.jit
def rows_for_columns(x):
    assert x.shape == (128, 256)
    output = nl.ndarray((256, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)  # expect: NKI204
    return output


@nki.jit
def in_order_on_purpose(x):
    assert x.shape == (128, 256)
    output = nl.ndarray((256, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    column = nl.ndarray((256, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output.reshape((128, 256)), src=x)
    nisa.dma_copy(dst=column, src=x[0:1, :])
    return output, column
