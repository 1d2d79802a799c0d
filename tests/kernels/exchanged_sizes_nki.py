"""Tiles that cores exchange: the sizes and dtypes of what is sent and of what it is put into."""

import nki
import nki.isa as nisa
import nki.language as nl


def zeros(shape, dtype=nl.float32):
    tile = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    return tile


def loaded(source):
    tile = nl.ndarray(source.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


@nki.jit
def more_from_one_core(x):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    columns = 512 - core * 256
    mine, other = loaded(x), zeros((128, 512))
    nisa.sendrecv(  # expect: NKI204
        src=mine[:, 0:columns],
        dst=other[:, 0:columns],
        send_to_rank=1 - core,
        recv_from_rank=1 - core,
        pipe_id=0,
    )
    nisa.dma_copy(dst=output[core], src=other)
    return output


@nki.jit
def what_the_other_sends(x):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    mine, other = loaded(x), zeros((128, 512))
    nisa.sendrecv(
        src=mine[:, 256 * core : 256 * core + 256],
        dst=other[:, 256 - 256 * core : 512 - 256 * core],
        send_to_rank=1 - core,
        recv_from_rank=1 - core,
        pipe_id=0,
    )
    nisa.dma_copy(dst=output[core], src=other)
    return output


@nki.jit
def rows_of_an_odd_half(x):
    """x: float32[N, 512]"""
    assert x.shape[1] == 512 and nl.num_programs(0) == 2 and 2 <= x.shape[0] <= 128
    core, rows = nl.program_id(0), x.shape[0]
    half = rows // 2
    mine, other = zeros((128, 512)), zeros((128, 512))
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    here = half + core * (rows - 2 * half)
    nisa.dma_copy(dst=mine[0:here], src=x[0:here])
    nisa.sendrecv(  # expect-warning: NKI204 N % 2 == 0
        src=mine[0:here], dst=other[0:here], send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0
    )
    nisa.dma_copy(dst=output[core], src=other)
    return output


@nki.jit
def rows_of_both_halves(x):
    """x: float32[N, 512]"""
    assert x.shape[1] == 512 and nl.num_programs(0) == 2 and 2 <= x.shape[0] <= 128
    core, rows = nl.program_id(0), x.shape[0]
    mine, other = zeros((128, 512)), zeros((128, 512))
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    here = rows // 2 + core * (rows - 2 * (rows // 2))
    most = rows - rows // 2
    nisa.dma_copy(dst=mine[0:here], src=x[0:here])
    nisa.sendrecv(src=mine[0:most], dst=other[0:most], send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nisa.dma_copy(dst=output[core], src=other)
    return output


@nki.jit
def into_another_dtype(x):
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    output = nl.ndarray((2, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    mine, other = loaded(x), zeros((128, 512), nl.bfloat16)
    nisa.sendrecv(
        src=mine,
        dst=other,  # expect: NKI202
        send_to_rank=1 - core,
        recv_from_rank=1 - core,
        pipe_id=0,
    )
    nisa.dma_copy(dst=output[core], src=other)
    return output
