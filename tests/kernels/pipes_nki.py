"""Exchanges of tiles whose ranks and pipes change with the core and with the iteration (NKI606)."""

import nki
import nki.isa as nisa
import nki.language as nl


def exchanged(mine, core, pipe, to, size=512):
    theirs = nl.ndarray((128, size), dtype=mine.dtype, buffer=nl.sbuf)
    nisa.sendrecv(src=mine, dst=theirs, send_to_rank=to, recv_from_rank=1 - core, pipe_id=pipe)
    return theirs


def loaded(x, core):
    mine = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=mine, src=x[core])
    return mine


@nki.jit
def pipes_by_iteration(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    tile = loaded(x, core)
    for i in range(4):
        tile = exchanged(tile, core, pipe=i % 2, to=1 - core)
    nisa.dma_copy(dst=output[core], src=tile)
    return output


@nki.jit
def each_core_its_own_pipe(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    mine = loaded(x, core)
    theirs = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.sendrecv(src=mine, dst=theirs, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=core)  # expect: NKI606
    nisa.dma_copy(dst=output[core], src=theirs)
    return output


@nki.jit
def pipes_by_iteration_and_core(x):  # expect: NKI003
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    tile = loaded(x, core)
    for i in range(4):
        theirs = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.sendrecv(src=tile, dst=theirs, send_to_rank=1 - core, recv_from_rank=1 - core, pipe_id=(i + core) % 2)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=theirs, op=nl.add)
    nisa.dma_copy(dst=output[core], src=tile)
    return output


@nki.jit
def ranks_in_turns(x):
    assert x.shape == (2, 128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    tile, theirs = loaded(x, core), nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(4):
        to = (core + i) % 2
        nisa.sendrecv(src=tile, dst=theirs, send_to_rank=to, recv_from_rank=1 - core, pipe_id=0)  # expect: NKI606
        nisa.tensor_tensor(dst=tile, data1=tile, data2=theirs, op=nl.add)
    nisa.dma_copy(dst=output[core], src=tile)
    return output
