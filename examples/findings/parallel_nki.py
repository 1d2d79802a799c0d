"""Logical cores that do not come together (NKI606, NKI607), instructions that wait for a loop on the device (NKI608), in
`nki`. Each marked line is reported."""

import numpy as np

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def barrier_in_a_branch(x):
    """The first core waits for ever: the second one has nothing to write, and leaves out the barrier as well."""
    assert x.shape == (128, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if nl.program_id(0) == 0:
        nisa.dma_copy(dst=output, src=x)
        nisa.core_barrier(output, (0, 1))  # expect: NKI606
    # below the branch: `nisa.core_barrier(output, (0, 1))`
    return output


@nki.jit
def waits_for_a_loop(x):
    """How often the device runs the loop is not known when the semaphore is set up."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    loaded = [nisa.dma_copy(dst=tile, src=x)]

    def double(i):
        loaded.append(nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0))

    nl.fori_loop(0, 4, double)
    stored = nisa.dma_copy(dst=output, src=tile)
    stored.depends_on(loaded[-1])  # expect: NKI608
    return output


@nki.jit
def tile_for_each_core(x):
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    core = nl.program_id(0)
    assert nl.num_programs(0) == x.shape[0]
    nisa.dma_copy(dst=output[core], src=x[core])
    return output


if __name__ == "__main__":
    tile_for_each_core[4](np.zeros((4, 128, 512), dtype=np.float32))  # expect: NKI607
    # `tile_for_each_core[2]`, with two tiles for each core
