"""Loops of a fixed number of iterations that read the same part of an input of a fixed size (NKI709), in Beta 1."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def first_tile_summed(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        total[...] = nl.add(total, nl.load(x[0:128, :]))  # expect: NKI709
    nl.store(output, value=total)
    return output


@nki.jit
def first_tile_everywhere(x):
    assert x.shape == (256, 64)
    output = nl.ndarray((256, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(2):
        tile = nl.load(x[nl.ds(0, 128), 0:64])  # expect: NKI709
        nl.store(output[nl.ds(i * 128, 128), 0:64], value=nl.multiply(tile, 2.0))
    return output


@nki.jit
def first_tile_of_each_block(x):
    rows, columns = x.shape
    assert rows % 512 == 0 and columns == 64
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    for block in nl.sequential_range(rows // 512):
        for k in nl.sequential_range(4):
            total[...] = nl.add(total, nl.load(x[nl.ds(block * 512, 128), 0:64]))  # expect: NKI709
    nl.store(output, value=total)
    return output


@nki.jit
def products_with_the_first_tile(x, weights):
    assert x.shape == (128, 512) and weights.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    held = nl.load(x[0:128, 0:512])
    total = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(4):
        tile = nl.load(weights[nl.ds(0, 128), 0:64])  # expect: NKI709
        total += nisa.nc_matmul(held[0:128, nl.ds(k * 128, 128)], tile)
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def another_input_goes_on(x, table):
    assert x.shape == (512, 64) and table.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        tile, row = nl.load(x[nl.ds(i * 128, 128), 0:64]), nl.load(table[0:128, 0:64])
        nl.store(output[nl.ds(i * 128, 128), 0:64], value=nl.add(tile, row))
    return output


@nki.jit
def a_tile_on_chip_goes_on(x, table):
    assert x.shape == (128, 256) and table.shape == (512, 64)
    output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    held = nl.load(x[0:128, 0:256])
    for i in nl.affine_range(4):
        row = nl.load(table[0:128, 0:64])
        nl.store(output[0:128, nl.ds(i * 64, 64)], value=nl.add(row, held[0:128, nl.ds(i * 64, 64)]))
    return output


@nki.jit
def fewer_iterations_than_parts(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((384, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(3):
        nl.store(output[nl.ds(i * 128, 128), 0:64], value=nl.load(x[0:128, 0:64]))
    return output


@nki.jit
def one_plane_of_a_few(x):
    assert x.shape == (4, 128, 64)
    output = nl.ndarray((4, 128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        nl.store(output[i], value=nl.load(x[0]))
    return output
