"""Coverage axis by axis: each forgotten tail by itself (NKI703, NKI709), whatever becomes of the other axes."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def both_axes_of_an_output(x):
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in nl.affine_range(x.shape[0] // 64):
        for c in nl.affine_range(x.shape[1] // 256):
            tile = nl.load(x[64 * r : 64 * r + 64, 256 * c : 256 * c + 256])
            nl.store(output[64 * r : 64 * r + 64, 256 * c : 256 * c + 256], value=tile)
    return output  # expect-warning: NKI703 x.shape[1] % 256 == 0  # expect-warning: NKI703 x.shape[0] % 64 == 0


@nki.jit
def rows_stored_and_columns_summed(x):
    output = nl.ndarray((x.shape[0], 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for r in nl.affine_range(x.shape[0] // 64):
        total = nl.zeros((64, 1), dtype=nl.float32, buffer=nl.sbuf)
        for c in nl.sequential_range(x.shape[1] // 256):
            part = x[64 * r : 64 * r + 64, 256 * c : 256 * c + 256]
            tile = nl.load(part)  # expect-warning: NKI709 x.shape[1] % 256 == 0
            total[...] = nl.add(total, nl.sum(tile, axis=1, keepdims=True))
        nl.store(output[64 * r : 64 * r + 64, :], value=total)
    return output  # expect-warning: NKI703 x.shape[0] % 64 == 0


@nki.jit
def contraction_of_whole_tiles(left, right):
    depth, rows = left.shape
    columns = right.shape[1]
    assert right.shape[0] == depth
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    for m in nl.affine_range(rows // 128):
        for n in nl.affine_range(math.ceil(columns / 512)):
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
            i, j = nl.mgrid[0:128, 0:512]
            inside = n * 512 + j < columns
            for k in nl.affine_range(depth // 128):
                part = left[nl.ds(k * 128, 128), nl.ds(m * 128, 128)]
                stationary = nl.load(part)  # expect-warning: NKI709 depth % 128 == 0
                moving = nl.load(right[k * 128 + i, n * 512 + j], mask=inside)
                total += nisa.nc_matmul(stationary, moving)
            nl.store(output[m * 128 + i, n * 512 + j], value=nl.copy(total), mask=inside)
    return output  # expect-warning: NKI703 rows % 128 == 0


@nki.jit
def last_axis_of_three(x):
    planes, rows, columns = x.shape
    assert rows == 128
    output = nl.ndarray((planes, 128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for p in nl.affine_range(planes):
        total = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        for c in nl.sequential_range(columns // 100):
            tile = nl.load(x[p, :, nl.ds(c * 100, 100)])  # expect-warning: NKI709 columns % 100 == 0
            total[...] = nl.add(total, nl.sum(tile, axis=1, keepdims=True))
        nl.store(output[p], value=total)
    return output


@nki.jit
def rows_by_programs(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    assert nl.num_programs(0) == rows // 128
    r = nl.program_id(0)
    for c in nl.affine_range(columns // 512):
        tile = nl.load(x[nl.ds(r * 128, 128), nl.ds(c * 512, 512)])
        nl.store(output[nl.ds(r * 128, 128), nl.ds(c * 512, 512)], value=tile)
    return output  # expect-warning: NKI703 columns % 512 == 0  # expect-warning: NKI703 rows % 128 == 0


# --- silent ---


@nki.jit
def covered_by_masks(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    for r in nl.affine_range(math.ceil(rows / 128)):
        for c in nl.affine_range(math.ceil(columns / 512)):
            inside = (r * 128 + i < rows) & (c * 512 + j < columns)
            tile = nl.load(x[r * 128 + i, c * 512 + j], mask=inside)
            nl.store(output[r * 128 + i, c * 512 + j], value=tile, mask=inside)
    return output


@nki.jit
def multiples_by_assertion(x):
    rows, columns = x.shape
    assert rows % 64 == 0 and columns % 256 == 0
    output = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    for r in nl.affine_range(rows // 64):
        total = nl.zeros((64, 1), dtype=nl.float32, buffer=nl.sbuf)
        for c in nl.sequential_range(columns // 256):
            tile = nl.load(x[64 * r : 64 * r + 64, 256 * c : 256 * c + 256])
            total[...] = nl.add(total, nl.sum(tile, axis=1, keepdims=True))
        nl.store(output[64 * r : 64 * r + 64, :], value=total)
    return output


@nki.jit
def first_columns_only(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns >= 64
    output = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in nl.affine_range(rows // 128):
        nl.store(output[nl.ds(r * 128, 128), :], value=nl.load(x[nl.ds(r * 128, 128), 0:64]))
    return output


@nki.jit
def every_second_row(x):
    rows, columns = x.shape
    assert columns == 64 and rows % 2 == 0
    output = nl.ndarray((rows // 2, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in nl.affine_range(rows // 2):
        nl.store(output[nl.ds(r, 1), :], value=nl.load(x[nl.ds(2 * r, 1), :]))
    return output


@nki.jit
def tail_after_the_loop(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and 512 < columns < 1024
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    for r in nl.affine_range(rows // 128):
        for c in nl.affine_range(columns // 512):
            nl.store(output[r * 128 + i, c * 512 + j], value=nl.load(x[r * 128 + i, c * 512 + j]))
        rest = 512 + j < columns
        nl.store(output[r * 128 + i, 512 + j], value=nl.load(x[r * 128 + i, 512 + j], mask=rest), mask=rest)
    return output
