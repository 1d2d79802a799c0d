"""Counterexamples come to what they show: loops around it run, sizes have elements, branches are taken."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def lost_in_an_inner_loop(x):
    rows, columns = x.shape
    assert rows % 64 == 0 and columns % 256 == 0
    output = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for r in range(rows // 64):
        total = nl.ndarray((64, 1), dtype=nl.float32, buffer=nl.sbuf)
        for c in range(columns // 256):
            tile = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x[nl.ds(r * 64, 64), nl.ds(c * 256, 256)])
            nisa.tensor_reduce(dst=total, op=nl.add, data=tile, axis=1)  # expect-warning: NKI708 columns == 256
        nisa.dma_copy(dst=output[nl.ds(r * 64, 64), :], src=total)
    return output


@nki.jit
def too_many_columns_of_psum_in_two_loops(x):
    planes, rows = x.shape[0], x.shape[1]
    assert x.shape[2] == 64 and rows % 128 == 0
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for p in range(planes):
        for r in range(rows // 128):
            spare = nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
            nisa.dma_copy(dst=output[p, nl.ds(r * 128, 128), :], src=x[p, nl.ds(r * 128, 128), :])
    return output


@nki.jit
def beyond_the_end_of_another_tensor(x, y):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 64
    output = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(rows // 128):
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=y[0:128, 0:64])  # expect-warning: NKI301 y.shape[0] >= 128  # expect-warning: NKI301 y.shape[1] >= 64
        nisa.dma_copy(dst=output[nl.ds(r * 128, 128), :], src=tile)
    return output


@nki.jit
def in_the_branch_of_a_dtype(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.int32:
        spare = nl.ndarray((256, 4), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
    nisa.dma_copy(dst=output, src=x)
    return output


@nki.jit
def at_a_size_beyond_the_tiles(x):
    rows, columns = x.shape
    assert columns == 64
    output = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(0, rows, 128):
        height = min(128, rows - r)
        tile = nl.ndarray((height, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(r, height), :])
        if rows > 512:
            nisa.dma_copy(dst=tile, src=x[nl.ds(r + 128, height), :])  # expect: NKI301
        nisa.dma_copy(dst=output[nl.ds(r, height), :], src=tile)
    return output
