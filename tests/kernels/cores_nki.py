"""Logical cores that wait for one another, and launches on more cores than there are."""

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl

# --- barriers ---


@nki.jit
def barrier_for_one(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    nisa.dma_copy(dst=output[core], src=x[core])
    if core == 1:
        nisa.core_barrier(output, (0, 1))  # expect: NKI606
    return output


@nki.jit
def barrier_for_all(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    if core == 0:
        nisa.dma_copy(dst=output[0], src=x[0])
    else:
        nisa.dma_copy(dst=output[1], src=x[1])
    nisa.core_barrier(output, (0, 1))
    return output


@nki.jit
def barrier_behind_a_return(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    nisa.dma_copy(dst=output[core], src=x[core])
    if core == 0:
        return output
    nisa.core_barrier(output, (0, 1))  # expect: NKI606
    return output


@nki.jit
def as_often_in_either_branch(x):
    """Each core meets the other four times, in a loop of its own."""
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    nisa.dma_copy(dst=output[core], src=x[core])
    if core == 0:
        for i in range(4):
            nisa.core_barrier(output, (0, 1))
    else:
        for j in range(4):
            nisa.core_barrier(output, (0, 1))
    return output


@nki.jit
def more_often_on_one_core(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    nisa.dma_copy(dst=output[core], src=x[core])
    for i in range(core + 1):
        nisa.core_barrier(output, (0, 1))  # expect: NKI606
    return output


@nki.jit
def as_often_as_the_input_says(x, rounds: int, meet: bool):
    """What decides is the same for all cores."""
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    nisa.dma_copy(dst=output[core], src=x[core])
    for i in range(rounds):
        nisa.core_barrier(output, (0, 1))
    if meet:
        nisa.core_barrier(output, (0, 1))
    return output


# --- exchanges ---


@nki.jit
def exchange(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    mine = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    theirs = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    core = nl.program_id(0)
    nisa.dma_copy(dst=mine, src=x[core])
    nisa.sendrecv(src=mine, dst=theirs, send_to_rank=(core + 1) % 2, recv_from_rank=(core - 1) % 2, pipe_id=0)
    nisa.dma_copy(dst=output[core], src=theirs)
    return output


@nki.jit
def exchange_in_branches(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    mine = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    theirs = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    core = nl.program_id(0)
    nisa.dma_copy(dst=mine, src=x[core])
    if core == 0:
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1, recv_from_rank=1, pipe_id=0)
    else:
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=0, recv_from_rank=0, pipe_id=0)
    nisa.dma_copy(dst=output[core], src=theirs)
    return output


@nki.jit
def both_send_to_one(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    mine = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    theirs = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    core = nl.program_id(0)
    nisa.dma_copy(dst=mine, src=x[core])
    nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1, recv_from_rank=1 - core, pipe_id=0)  # expect: NKI606
    nisa.dma_copy(dst=output[core], src=theirs)
    return output


@nki.jit
def one_sends_and_nobody_receives(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    mine = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    theirs = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    core = nl.program_id(0)
    nisa.dma_copy(dst=mine, src=x[core])
    nisa.dma_copy(dst=theirs, src=x[core])
    if core == 0:
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1, recv_from_rank=1, pipe_id=0)  # expect: NKI606
    nisa.dma_copy(dst=output[core], src=theirs)
    return output


# --- launches ---


@nki.jit
def each_its_own(x):
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    assert nl.num_programs(0) == x.shape[0]
    nisa.dma_copy(dst=output[core], src=x[core])
    return output


def test_on_both_cores():
    each_its_own[2](np.zeros((2, 128, 512), dtype=np.float32))


def test_on_more_cores_than_there_are():
    each_its_own[3](np.zeros((3, 128, 512), dtype=np.float32))  # expect: NKI607


@nki.jit
def a_row_each(x):
    assert x.shape == (2, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(2 // nl.num_programs(0)):
        row = nl.program_id(0) * (2 // nl.num_programs(0)) + i
        nisa.dma_copy(dst=output[row], src=x[row])
    return output


def on_three_cores(x):
    return a_row_each[3](x)  # expect: NKI607


def on_two_cores(x):
    return a_row_each[2](x)


def on_some_cores(x, count):
    return a_row_each[count](x)


@nki.jit
def each_to_itself(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    core = nl.program_id(0)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    mine = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    theirs = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x[core])
    nisa.sendrecv(src=mine, dst=theirs, send_to_rank=core, recv_from_rank=core, pipe_id=0)  # expect: NKI606
    nisa.dma_copy(dst=output[core], src=theirs)
    return output


@nki.jit
def around_a_ring_of_any_size(x):
    n = nl.num_programs(0)
    assert x.shape == (n, 128, 512)
    core = nl.program_id(0)
    output = nl.ndarray((n, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    mine = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    theirs = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x[core])
    if n > 1:
        nisa.sendrecv(src=mine, dst=theirs, send_to_rank=(core + 1) % n, recv_from_rank=(core - 1) % n, pipe_id=0)
    else:
        nisa.tensor_copy(dst=theirs, src=mine)
    nisa.dma_copy(dst=output[core], src=theirs)
    return output
