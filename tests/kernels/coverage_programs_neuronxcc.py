"""Adding tensors on a grid of programs, each of which adds one tile: launched as it should be, too small and too large."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def launched_by_anyone(a, b):
    """Free of conflicts on any grid; right for sizes that are the grid times the tile."""
    assert a.shape == b.shape
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    ix = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    iy = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    total = nl.load(a[ix, iy]) + nl.load(b[ix, iy])  # expect-warning: NKI301 128*num_programs(0) <= a.shape[0]  # expect-warning: NKI301 512*num_programs(1) <= a.shape[1]
    nl.store(output[ix, iy], value=total)
    return output  # expect-warning: NKI703 a.shape[1] <= 512*num_programs(1)  # expect-warning: NKI703 a.shape[0] <= 128*num_programs(0)


@nki.jit
def divided(a, b):
    """The sizes are multiples of the tile, and the grid has a program for each tile."""
    assert a.shape == b.shape
    rows, columns = a.shape
    assert rows // 128 == nl.num_programs(0) and columns // 512 == nl.num_programs(1)
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    ix = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    iy = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    total = nl.load(a[ix, iy]) + nl.load(b[ix, iy])
    nl.store(output[ix, iy], value=total)
    return output  # expect-warning: NKI703 a.shape[1] % 512 == 0  # expect-warning: NKI703 a.shape[0] % 128 == 0


# nkilint: a: float32[256, 1024]
# nkilint: b: float32[256, 1024]
@nki.jit
def too_small(a, b):
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    assert nl.num_programs(0) == 2 and nl.num_programs(1) == 1
    ix = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    iy = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    nl.store(output[ix, iy], value=nl.load(a[ix, iy]) + nl.load(b[ix, iy]))
    return output  # expect: NKI703


# nkilint: a: float32[256, 1024]
# nkilint: b: float32[256, 1024]
@nki.jit
def too_large(a, b):
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    assert nl.num_programs(0) == 2 and nl.num_programs(1) == 3
    ix = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    iy = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    total = nl.load(a[ix, iy]) + nl.load(b[ix, iy])  # expect: NKI301  # expect: NKI301
    nl.store(output[ix, iy], value=total)  # expect: NKI301
    return output


@nki.jit
def on_one_core(a, b):
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    assert a.shape == b.shape == (512, 1024)
    assert nl.num_programs(0) == 4 and nl.num_programs(1) == 2
    ix = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    iy = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    nl.store(output[ix, iy], value=nl.load(a[ix, iy]) + nl.load(b[ix, iy]))
    return output


@nki.jit
def on_two_cores(a, b):
    """Two programs on each core for every one that the first number counts."""
    assert a.shape == b.shape
    assert a.shape[0] == 128 * nl.num_programs(0) and a.shape[1] == 512 * nl.num_programs(1)
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    ix = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    iy = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    nl.store(output[ix, iy], value=nl.load(a[ix, iy]) + nl.load(b[ix, iy]))
    return output


def launch_on_two_cores():
    a = np.zeros((512, 1024), dtype=np.float32)
    return on_two_cores[nl.spmd_dim(2, nl.nc(2)), 2](a, a)


@nki.jit
def called(a, b):
    assert a.shape == b.shape
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    ix = nl.program_id(0) * 128 + nl.arange(128)[:, None]
    iy = nl.program_id(1) * 512 + nl.arange(512)[None, :]
    total = nl.load(a[ix, iy]) + nl.load(b[ix, iy])  # expect: NKI301  # expect: NKI301
    nl.store(output[ix, iy], value=total)  # expect: NKI301
    return output  # expect: NKI703


def launch_too_small():
    a = np.zeros((512, 1024), dtype=np.float32)
    return called[2, 2](a, a)


def launch_too_large():
    a = np.zeros((512, 1024), dtype=np.float32)
    return called[nl.spmd_dim(4, nl.nc(2)), 2](a, a)
