"""Tensors and the blocks that make them (NKI704, NKI705)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def made_in_either_branch(a, b):
    assert a.shape == (128, 128) and b.shape == (128, 128)
    c = nl.ndarray((512, 128), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        if i < 2:
            tile = nl.load(a)
        else:
            tile = nl.load(b)
        nl.store(c[nl.ds(i * 128, 128), 0:128], tile)  # expect: NKI704
    return c


@nki.jit
def made_before_the_branch(a, b):
    assert a.shape == (128, 128) and b.shape == (128, 128)
    c = nl.ndarray((512, 128), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        tile = nl.ndarray(shape=a.shape, dtype=a.dtype, buffer=nl.sbuf)
        if i < 2:
            tile[...] = nl.load(a)
        else:
            tile[...] = nl.load(b)
        nl.store(c[nl.ds(i * 128, 128), 0:128], tile)
    return c


@nki.jit
def new_object_in_each_iteration(start):
    assert start.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=np.float32, buffer=nl.shared_hbm)
    data = nl.zeros((128, 128), dtype=np.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        step = nl.load(start)
        data = data + step  # expect: NKI705 @ data = data + step
    nl.store(output, value=data)
    return output


@nki.jit
def new_object_of_another_dtype_in_each_iteration(start, steps):
    assert start.shape == (128, 128) and steps.shape == (steps.shape[0], 128, 128)
    output = nl.ndarray((128, 128), dtype=np.float32, buffer=nl.shared_hbm)
    data = nl.zeros((128, 128), dtype=start.dtype, buffer=nl.sbuf)
    for i in nl.affine_range(steps.shape[0]):
        data = data + nl.load(steps[i])  # expect: NKI705 @ data = data + nl.load(steps[i])
    nl.store(output, value=data)
    return output


@nki.jit
def new_object_of_another_dtype_in_iterations_of_python(start, steps):
    assert start.shape == (128, 128) and steps.shape == (8, 128, 128)
    output = nl.ndarray((128, 128), dtype=np.float32, buffer=nl.shared_hbm)
    data = nl.zeros((128, 128), dtype=start.dtype, buffer=nl.sbuf)
    for i in nl.static_range(8):
        data = data + nl.load(steps[i])
    nl.store(output, value=data)
    return output


@nki.jit
def new_object_in_each_of_two_iterations(start):
    assert start.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=np.float32, buffer=nl.shared_hbm)
    data = nl.load(start)
    for i in range(2):
        data = nl.multiply(data, 2.0)  # expect: NKI705 @ data = nl.multiply(data, 2.0)
    nl.store(output, value=data)
    return output


@nki.jit
def new_object_in_three_nested_iterations(start):
    assert start.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=np.float32, buffer=nl.shared_hbm)
    data = nl.load(start)
    for i in range(3):
        for j in range(2):
            data = nl.exp(data)  # expect: NKI705 @ data = nl.exp(data)
    nl.store(output, value=data)
    return output


@nki.jit
def new_object_for_iterations_that_are_unrolled(start):
    assert start.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=np.float32, buffer=nl.shared_hbm)
    data = nl.load(start)
    for i in nl.static_range(2):
        data = nl.multiply(data, 2.0)
    nl.store(output, value=data)
    return output


@nki.jit
def same_object_in_each_iteration(start):
    assert start.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=np.float32, buffer=nl.shared_hbm)
    data = nl.zeros((128, 128), dtype=np.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        step = nl.load(start)
        data[...] = data + step
        data += step
    nl.store(output, value=data)
    return output


@nki.jit
def new_object_for_the_iteration_alone(start):
    assert start.shape == (128, 128)
    output = nl.ndarray((512, 128), dtype=np.float32, buffer=nl.shared_hbm)
    data = nl.load(start)
    for i in nl.affine_range(4):
        scaled = nl.multiply(data, 2.0)
        scaled = nl.add(scaled, 1.0)
        nl.store(output[nl.ds(i * 128, 128), 0:128], value=scaled)
    return output


@nki.jit
def overwritten_in_a_loop(x):
    assert x.shape == (512, 128)
    output = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:128])
    nl.store(output, value=tile)  # expect: NKI704 @ nl.store(output, value=tile)
    return output


@nki.jit
def branch_on_a_shape(x):
    rows, columns = x.shape
    assert rows <= 128 and columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    if rows > 64:
        tile = nl.load(x)
    else:
        tile = nl.multiply(nl.load(x), 2.0)
    nl.store(output, value=tile)
    return output


@nki.jit
def branch_on_the_program(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    assert nl.num_programs(0) == 2
    program = nl.program_id(0)
    if program == 0:
        tile = nl.load(x)
    else:
        tile = nl.multiply(nl.load(x), 2.0)
    nl.store(output[nl.ds(program * 128, 128), 0:512], value=tile)  # expect: NKI704
    return output


def last_tile(x):
    for i in nl.affine_range(4):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
    return tile


@nki.jit
def handed_out_of_a_helper(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=last_tile(x))  # expect: NKI704
    return output


@nki.jit
def unrolled_by_tracing(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    for i in nl.static_range(4):
        tiles.append(nl.load(x[nl.ds(i * 128, 128), 0:512]))
    total = nl.copy(tiles[0])
    for i in nl.static_range(3):
        total = nl.add(total, tiles[i + 1])
    for i in nl.static_range(4):
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=total)
    return output


@nki.jit
def only_its_shape(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
    assert tile.shape == (128, 512)
    return output


@nki.jit
def accumulated_in_psum(stationary, moving):
    assert stationary.shape == (512, 128) and moving.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(4):
        left = nl.load(stationary[nl.ds(k * 128, 128), 0:128])
        right = nl.load(moving[nl.ds(k * 128, 128), 0:512])
        total += nisa.nc_matmul(left, right)
    nl.store(output, value=nl.copy(total))
    return output


# nkilint: a: float32[512, 512]
@nki.jit
def tiles_in_a_list(a):
    """Python's own `range` fills the list when the kernel is traced."""
    out = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = []
    for i in range(4):
        tile = nl.load(a[i * 128 : (i + 1) * 128, 0:512])
        tiles.append(tile)
    for i in range(4):
        nl.store(out[i * 128 : (i + 1) * 128, 0:512], value=tiles[i])
    return out


# nkilint: a: float32[128, 128]
@nki.jit
def turned(a):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, value=nl.transpose(nl.load(a[0:128, 0:128])))
    return out


# nkilint: a: float32[128, 128]
@nki.jit
def kernel_in_a_kernel(a):
    """What a kernel makes at its own level is made at the level of a kernel."""
    return turned(turned(a))
