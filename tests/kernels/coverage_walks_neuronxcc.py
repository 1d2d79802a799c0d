"""Walks over inputs and outputs that leave something out along one axis, and such that leave nothing out."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

P = nl.tile_size.pmax


class Walk:
    """The tiles of an axis."""

    def __init__(self, size, step):
        self.size, self.step = size, step

    @property
    def whole(self):
        return self.size // self.step

    @property
    def all(self):
        return math.ceil(self.size / self.step)

    def tile(self, i):
        return nl.ds(i * self.step, self.step)


def copied(source, target):
    nl.store(target, value=nl.load(source))


# --- found ---


@nki.jit
def planes_by_a_class(x):
    planes, rows, columns = x.shape
    assert rows == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    walk = Walk(columns, 384)
    for p in nl.affine_range(planes):
        for c in nl.affine_range(walk.whole):
            copied(x[p, :, walk.tile(c)], out[p, :, walk.tile(c)])
    return out  # expect-warning: NKI703 columns % 384 == 0


@nki.jit
def backwards_to_the_second(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = rows // 128
    for i in nl.affine_range(tiles - 1):
        place = nl.ds((tiles - 1 - i) * 128, 128)
        copied(x[place, :], out[place, :])
    return out  # expect: NKI703


@nki.jit
def rows_to_a_fixed_number(x):
    rows, columns = x.shape
    assert columns == 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:P, 0:64]
    for r in nl.affine_range(4):
        inside = r * P + i < rows
        nl.store(out[r * P + i, j], value=nl.load(x[r * P + i, j], mask=inside), mask=inside)
    return out  # expect-warning: NKI703 rows <= 512


@nki.jit
def halves_of_an_odd_axis(x):
    rows, columns = x.shape
    assert rows == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    half = columns // 2
    copied(x[:, 0:half], out[:, half : 2 * half])
    copied(x[:, half : 2 * half], out[:, 0:half])
    return out  # expect-warning: NKI703 columns % 2 != 1


@nki.jit
def mean_of_whole_blocks(x):
    rows, columns = x.shape
    assert rows == 128
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    walk = Walk(columns, 500)
    for c in nl.sequential_range(walk.whole):
        tile = nl.load(x[:, walk.tile(c)])  # expect-warning: NKI709 columns % 500 == 0
        total[...] = nl.add(total, nl.sum(tile, axis=1, keepdims=True))
    nl.store(out, value=nl.multiply(total, 1.0 / columns))
    return out


@nki.jit
def contraction_but_the_last_tile(a, b):
    k, m = a.shape
    assert m == 128 and k % 128 == 0 and k >= 256 and b.shape == (k, 512)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(k // 128 - 1):
        rows = nl.ds(128 * i, 128)
        sums += nisa.nc_matmul(nl.load(a[rows, :]), nl.load(b[rows, :]))  # expect: NKI709  # expect: NKI709
    nl.store(out, value=nl.copy(sums))
    return out


@nki.jit
def programs_of_two_axes(x):
    """A program for each tile; rows beyond the last whole one belong to none."""
    rows, columns = x.shape
    assert columns % 512 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert nl.num_programs(0) == rows // 128 and nl.num_programs(1) == columns // 512
    r, c = nl.program_id(0), nl.program_id(1)
    copied(x[nl.ds(r * 128, 128), nl.ds(c * 512, 512)], out[nl.ds(r * 128, 128), nl.ds(c * 512, 512)])
    return out  # expect-warning: NKI703 rows % 128 == 0


@nki.jit
def diagonal_blocks_only(x):
    size = x.shape[0]
    assert x.shape[1] == size and size % 128 == 0 and size >= 256
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(size // 128):
        place = nl.ds(i * 128, 128)
        copied(x[place, place], out[place, place])
    return out  # expect: NKI703


@nki.jit
def lower_triangle_of_blocks(x):
    size = x.shape[0]
    assert x.shape[1] == size and size % 128 == 0 and size >= 256
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(size // 128):
        for j in range(i + 1):
            rows, columns = nl.ds(i * 128, 128), nl.ds(j * 128, 128)
            copied(x[rows, columns], out[rows, columns])
    return out  # expect: NKI703


@nki.jit
def interleaved_by_three(x):
    rows, columns = x.shape
    assert rows == 128 and columns % 3 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:1]
    for c in nl.affine_range(columns // 3):
        for lane in range(2):
            nl.store(out[i, 3 * c + lane + j], value=nl.load(x[i, 3 * c + lane + j]))
    return out  # expect: NKI703


# --- silent ---


@nki.jit
def planes_by_a_class_well(x):
    planes, rows, columns = x.shape
    assert rows == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    walk = Walk(columns, 384)
    i, j = nl.mgrid[0:128, 0:384]
    for p in nl.affine_range(planes):
        for c in nl.affine_range(walk.all):
            inside = c * walk.step + j < columns
            tile = nl.load(x[p, i, c * walk.step + j], mask=inside)
            nl.store(out[p, i, c * walk.step + j], value=tile, mask=inside)
    return out


@nki.jit
def backwards_to_the_first(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = rows // 128
    for i in nl.affine_range(tiles):
        place = nl.ds((tiles - 1 - i) * 128, 128)
        copied(x[place, :], out[place, :])
    return out


@nki.jit
def rows_to_a_number_that_holds(x):
    rows, columns = x.shape
    assert columns == 64 and rows <= 4 * P
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:P, 0:64]
    for r in nl.affine_range(4):
        inside = r * P + i < rows
        nl.store(out[r * P + i, j], value=nl.load(x[r * P + i, j], mask=inside), mask=inside)
    return out


@nki.jit
def halves_and_what_is_left(x):
    rows, columns = x.shape
    assert rows == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    half = columns // 2
    copied(x[:, 0:half], out[:, half : 2 * half])
    copied(x[:, half : 2 * half], out[:, 0:half])
    if columns % 2 == 1:
        copied(x[:, columns - 1 : columns], out[:, columns - 1 : columns])
    return out


@nki.jit
def mean_of_all_blocks(x):
    rows, columns = x.shape
    assert rows == 128
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    i, j = nl.mgrid[0:128, 0:500]
    for c in nl.sequential_range(math.ceil(columns / 500)):
        tile = nl.load(x[i, c * 500 + j], mask=(c * 500 + j < columns))
        total[...] = nl.add(total, nl.sum(tile, axis=1, keepdims=True, mask=(c * 500 + j < columns)))
    nl.store(out, value=nl.multiply(total, 1.0 / columns))
    return out


@nki.jit
def contraction_with_the_last_tile(a, b):
    k, m = a.shape
    assert m == 128 and k % 128 == 0 and k >= 256 and b.shape == (k, 512)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(k // 128):
        rows = nl.ds(128 * i, 128)
        sums += nisa.nc_matmul(nl.load(a[rows, :]), nl.load(b[rows, :]))
    nl.store(out, value=nl.copy(sums))
    return out


@nki.jit
def programs_of_two_axes_well(x):
    rows, columns = x.shape
    assert columns % 512 == 0 and rows % 128 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert nl.num_programs(0) == rows // 128 and nl.num_programs(1) == columns // 512
    r, c = nl.program_id(0), nl.program_id(1)
    copied(x[nl.ds(r * 128, 128), nl.ds(c * 512, 512)], out[nl.ds(r * 128, 128), nl.ds(c * 512, 512)])
    return out


@nki.jit
def diagonal_and_the_rest(x):
    size = x.shape[0]
    assert x.shape[1] == size and size % 128 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(size // 128):
        for j in nl.affine_range(size // 128):
            rows, columns = nl.ds(i * 128, 128), nl.ds(j * 128, 128)
            copied(x[columns, rows] if i == j else x[rows, columns], out[rows, columns])
    return out


@nki.jit
def both_triangles_of_blocks(x):
    size = x.shape[0]
    assert x.shape[1] == size and size % 128 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(size // 128):
        for j in range(i + 1):
            rows, columns = nl.ds(i * 128, 128), nl.ds(j * 128, 128)
            copied(x[rows, columns], out[rows, columns])
        for j in range(i + 1, size // 128):
            rows, columns = nl.ds(i * 128, 128), nl.ds(j * 128, 128)
            copied(x[rows, columns], out[rows, columns])
    return out


@nki.jit
def all_lanes_of_three(x):
    rows, columns = x.shape
    assert rows == 128 and columns % 3 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:1]
    for c in nl.affine_range(columns // 3):
        for lane in range(3):
            nl.store(out[i, 3 * c + lane + j], value=nl.load(x[i, 3 * c + lane + j]))
    return out
