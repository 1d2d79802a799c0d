"""Kernels whose launch grid functions of the host compute: the number of programs hangs on the inputs, then."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def whole_tiles_added(a, b):
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    row, column = nl.program_id(0) * 128 + p, nl.program_id(1) * 512 + f
    total = nl.load(a[row, column]) + nl.load(b[row, column])  # expect-warning: NKI301 512*num_programs(1) <= b.shape[1]  # expect-warning: NKI301 128*num_programs(0) <= b.shape[0]
    nl.store(output[row, column], value=total)
    return output  # expect-warning: NKI703 a.shape[1] % 512 == 0  # expect-warning: NKI703 a.shape[0] % 128 == 0


def add_whole_tiles(a, b):
    rows = a.shape[0] // 128
    columns = a.shape[1] // 512
    return whole_tiles_added[rows, columns](a, b)


@nki.jit
def last_tile_masked(x):
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    row = nl.program_id(0) * 128 + p
    nl.store(output[row, f], value=nl.load(x[row, f], mask=(row < rows)), mask=(row < rows))
    return output


def mask_last_tile(x):
    return last_tile_masked[math.ceil(x.shape[0] / 128)](x)


@nki.jit
def launched_in_two_ways(x):
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    row = nl.program_id(0) * 128 + p
    nl.store(output[row, f], value=nl.load(x[row, f], mask=(row < rows)), mask=(row < rows))
    return output  # expect-warning: NKI703 rows <= 128*num_programs(0)


def launch_in_two_ways(x, programs):
    if programs:
        return launched_in_two_ways[programs](x)
    return launched_in_two_ways[math.ceil(x.shape[0] / 128)](x)


@nki.jit
def launched_on_another_tensor(x):
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.mgrid[0:128, 0:512]
    row = nl.program_id(0) * 128 + p
    nl.store(output[row, f], value=nl.load(x[row, f], mask=(row < rows)), mask=(row < rows))
    return output  # expect-warning: NKI703 rows <= 128*num_programs(0)


def launch_on_another_tensor(x, pad):
    programs = math.ceil(x.shape[0] / 128)
    x = pad(x)
    return launched_on_another_tensor[programs](x)


@nki.jit
def one_program_too_few(x):
    rows, columns = x.shape
    assert columns == 512 and rows % 128 == 0 and rows > 128
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.program_id(0) * 128
    nl.store(output[nl.ds(row, 128), :], value=nl.load(x[nl.ds(row, 128), :]))
    return output  # expect: NKI703


def launch_one_program_too_few(x):
    return one_program_too_few[x.shape[0] // 128 - 1](x)


@nki.jit
def shared_out_where_there_is_a_grid(x):
    """Without a grid there is one program, and all is written once."""
    assert nl.program_ndim() == 0 or nl.program_ndim() == 1
    assert x.shape == (128, 512)
    shared = nl.program_ndim() == 1 and nl.num_programs(axes=0) > 1
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x[0:128, 0:512])
    if shared:
        assert nl.num_programs(0) == 2
        first = nl.program_id(0) * 256
        nl.store(out[0:128, nl.ds(first, 256)], value=t[0:128, nl.ds(first, 256)])
    else:
        for i in range(2):
            nl.store(out[0:128, i * 256 : i * 256 + 256], value=t[0:128, i * 256 : i * 256 + 256])  # expect: NKI605
    return out


@nki.jit
def shared_out_for_more_than_two(x):
    """Two programs write all of it, each something else."""
    assert nl.program_ndim() == 1
    assert x.shape == (128, 512)
    shared = nl.num_programs(axes=0) > 2
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x[0:128, 0:512])
    if shared:
        assert nl.num_programs(0) == 4
        first = nl.program_id(0) * 128
        nl.store(out[0:128, nl.ds(first, 128)], value=t[0:128, nl.ds(first, 128)])
    else:
        scaled = nl.multiply(t, nl.program_id(0))
        nl.store(out[0:128, 0:512], value=scaled)  # expect: NKI603
    return out


@nki.jit
def asked_for_the_programs_first(x):
    assert x.shape == (128, 512)
    count = nl.num_programs(axes=0)
    axes = nl.program_ndim()
    assert axes == 0 or axes == 1
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.load(x[0:128, 0:512])
    if axes == 1 and count > 1:
        assert count == 2
        first = nl.program_id(0) * 256
        nl.store(out[0:128, nl.ds(first, 256)], value=t[0:128, nl.ds(first, 256)])
    else:
        scaled = nl.multiply(t, nl.program_id(0) + 1)
        nl.store(out[0:128, 0:512], value=scaled)
    return out
