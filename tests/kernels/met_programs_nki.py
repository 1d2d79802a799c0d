"""Programs of a grid that read what others wrote to shared HBM, after they have met and before."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def copied_onto_itself(x):
    assert x.shape == (128, 64)
    core = nl.program_id(0)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output[core * 64 : core * 64 + 64, :], src=x[core * 64 : core * 64 + 64, :])
    nisa.core_barrier(output, (0, 1))
    nisa.dma_copy(dst=output, src=output)
    return output


@nki.jit
def copied_to_the_side(x):
    assert x.shape == (128, 64)
    core = nl.program_id(0)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output[core * 64 : core * 64 + 64, :], src=x[core * 64 : core * 64 + 64, :])
    nisa.core_barrier(output, (0, 1))
    nisa.dma_copy(dst=output[:, 1:64], src=output[:, 0:63])  # expect: NKI603
    return output


@nki.jit
def copied_onto_itself_too_early(x):
    assert x.shape == (128, 64)
    core = nl.program_id(0)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output[core * 64 : core * 64 + 64, :], src=x[core * 64 : core * 64 + 64, :])  # expect: NKI603
    nisa.dma_copy(dst=output, src=output)  # expect: NKI701
    return output


@nki.jit
def read_before_cores_meet_in_an_exchange(x):
    assert x.shape == (128, 64)
    core = nl.program_id(0)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    mine = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)
    other = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x[core * 64 : core * 64 + 64, :])
    nisa.dma_copy(dst=output[core * 64 : core * 64 + 64, :], src=mine)
    nisa.sendrecv(src=mine, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nisa.dma_copy(dst=mine, src=output[(1 - core) * 64 : (1 - core) * 64 + 64, :])
    nisa.sendrecv(src=mine, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nisa.dma_copy(dst=output[core * 64 : core * 64 + 64, :], src=other)
    return output


@nki.jit
def read_without_meeting(x):
    assert x.shape == (128, 64)
    core = nl.program_id(0)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    mine = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)
    other = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x[core * 64 : core * 64 + 64, :])
    nisa.sendrecv(src=mine, dst=other, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=0)
    nisa.dma_copy(dst=output[core * 64 : core * 64 + 64, :], src=mine)  # expect: NKI603
    nisa.dma_copy(dst=mine, src=output[(1 - core) * 64 : (1 - core) * 64 + 64, :])  # expect: NKI701
    nisa.dma_copy(dst=x[core * 64 : core * 64 + 64, :], src=mine)
    return output


@nki.jit
def gathered(x):
    assert x.shape == (128, 64)
    core = nl.program_id(0)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    second = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output[core * 64 : core * 64 + 64, :], src=x[core * 64 : core * 64 + 64, :])
    nisa.core_barrier(output, (0, 1))
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=output)
    nisa.dma_copy(dst=second[core * 64 : core * 64 + 64, :], src=tile[core * 64 : core * 64 + 64, :])
    return second


@nki.jit
def copied_by_both(x):
    assert x.shape == (128, 64)
    core = nl.program_id(0)
    assert nl.num_programs(0) == 2
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    second = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output[core * 64 : core * 64 + 64, :], src=x[core * 64 : core * 64 + 64, :])
    nisa.core_barrier(output, (0, 1))
    nisa.dma_copy(dst=second, src=output)  # expect: NKI603
    return second


@nki.jit
def partial_sums(x):
    assert x.shape == (128, 64)
    core = nl.program_id(0)
    assert nl.num_programs(0) == 2
    parts = nl.ndarray((2, 64, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    second = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=parts[core], src=x[core * 64 : core * 64 + 64, :])
    nisa.core_barrier(parts, (0, 1))
    a = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)
    b = nl.ndarray((64, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=parts[0])
    nisa.dma_copy(dst=b, src=parts[1])
    nisa.tensor_tensor(dst=a, data1=a, data2=b, op=nl.add)
    nisa.dma_copy(dst=second[core * 64 : core * 64 + 64, :], src=a)
    return second


@nki.jit
def partial_whole(x):
    assert x.shape == (128, 64)
    core = nl.program_id(0)
    assert nl.num_programs(0) == 2
    parts = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    second = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=parts[core * 64 : core * 64 + 64, :], src=x[core * 64 : core * 64 + 64, :])
    nisa.core_barrier(parts, (0, 1))
    a = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=parts)
    nisa.tensor_scalar(dst=a, data=a, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=second[core * 128 : core * 128 + 128, :], src=a)
    return second
