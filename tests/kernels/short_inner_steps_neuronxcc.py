"""Loops inside others, and loops of a few iterations, that move by less than a part (NKI709), in Beta 1."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def by_rows_inside_a_block(x):
    rows, columns = x.shape
    assert rows % 512 == 0 and columns == 64
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    for block in nl.sequential_range(rows // 512):
        for k in nl.sequential_range(4):
            total[...] = nl.add(total, nl.load(x[nl.ds(block * 512 + k, 128), 0:64]))  # expect: NKI709
    nl.store(output, value=total)
    return output


@nki.jit
def by_rows_in_unrolled_iterations(x):
    assert x.shape == (512, 64)
    output = nl.ndarray((512, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for k in nl.static_range(4):
        nl.store(output[nl.ds(k * 128, 128), 0:64], value=nl.load(x[nl.ds(k, 128), 0:64]))  # expect: NKI709
    return output


@nki.jit
def taps_of_each_tile(x):
    rows, columns = x.shape
    assert rows == 128 and columns >= 130
    tiles = (columns - 2) // 128
    output = nl.ndarray((128, tiles * 128), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(tiles):
        total = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        for tap in nl.sequential_range(3):
            total[...] = nl.add(total, nl.load(x[0:128, nl.ds(i * 128 + tap, 128)]))
        nl.store(output[0:128, nl.ds(i * 128, 128)], value=total)
    return output


@nki.jit
def windows_over_all(x):
    assert x.shape == (128, 320)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.static_range(4):
        nl.store(output[0:128, nl.ds(i * 128, 128)], value=nl.load(x[0:128, nl.ds(i * 64, 128)]))
    return output
