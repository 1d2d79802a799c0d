"""Kernels that functions of the host launch on a number of cores."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def half_for_each_of_two_cores(x):
    assert x.shape == (256, 512)
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    row = nl.program_id(0) * 128
    nisa.dma_copy(dst=tile, src=x[row : row + 128, :])
    nisa.dma_copy(dst=output[row : row + 128, :], src=tile)
    return output


def halves(x):
    return half_for_each_of_two_cores[2](x)


@nki.jit
def half_for_each_of_some_cores(x):
    assert x.shape == (256, 512)
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    row = nl.program_id(0) * 128
    nisa.dma_copy(dst=tile, src=x[row : row + 128, :])
    nisa.dma_copy(dst=output[row : row + 128, :], src=tile)
    return output  # expect-warning: NKI703 num_programs(0) == 2


def some_halves(x, cores):
    return half_for_each_of_some_cores[cores](x)
