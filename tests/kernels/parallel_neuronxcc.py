"""Iterations of `affine_range` and programs of a launch grid that touch the same element (NKI601, NKI602, NKI603)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def overlapping_stores(x):
    """Tiles of 128 rows, 64 rows apart."""
    assert x.shape == (256, 512)
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(3):
        tile = nl.load(x[nl.ds(i * 64, 128), 0:512])
        nl.store(output[nl.ds(i * 64, 128), 0:512], value=tile)  # expect: NKI602
    return output


@nki.jit
def same_store_in_each_inner_iteration(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 512
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        for j in nl.affine_range(2):
            tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
            nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)  # expect: NKI602
    return output


@nki.jit
def as_many_tiles_as_there_are(x, tiles):
    assert x.shape[0] == 128 and x.shape[1] == 512 * tiles and tiles >= 1
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(tiles):
        tile = nl.load(x[0:128, nl.ds(i * 512, 512)])
        nl.store(output, value=tile)  # expect: NKI602
    return output


@nki.jit
def neighbours_under_masks(x):
    """Each iteration leaves the rows of the next one alone."""
    assert x.shape == (500, 512)
    output = nl.ndarray((500, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    p, j = nl.mgrid[0:128, 0:512]
    for i in nl.affine_range(5):
        inside = (p < 100) & (i * 100 + p < 500)
        tile = nl.load(x[i * 100 + p, j], mask=inside)
        nl.store(output[i * 100 + p, j], value=tile, mask=inside)
    return output


@nki.jit
def what_the_iteration_before_wrote(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.zeros((128, 513), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(512):
        column = nl.load(x[0:128, nl.ds(i, 1)])
        sums[0:128, nl.ds(i + 1, 1)] = nl.add(sums[0:128, nl.ds(i, 1)], column)  # expect: NKI601
    nl.store(output, value=nl.copy(sums[0:128, 1:513]))
    return output


def shifted(tile, i):
    return nl.multiply(tile[i], 2.0)  # expect: NKI601


@nki.jit
def block_of_another_iteration(x):
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.zeros((9, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(8):
        tiles[i + 1] = nl.load(x[i])
        nl.store(output[i], value=shifted(tiles, i))
    return output


@nki.jit
def sums_in_psum(left, right):
    assert left.shape == (512, 128) and right.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(4):
        total += nisa.nc_matmul(nl.load(left[nl.ds(k * 128, 128), 0:128]), nl.load(right[nl.ds(k * 128, 128), 0:512]))
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def private_tiles(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        tile[...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
        tile[...] = nl.multiply(tile, 2.0)
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
    return output


@nki.jit
def programs_that_overlap(x):
    assert x.shape == (192, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((192, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.program_id(0) * 64
    nl.store(output[nl.ds(first, 128), 0:512], value=nl.load(x[nl.ds(first, 128), 0:512]))  # expect: NKI603
    return output


@nki.jit
def programs_side_by_side(x):
    assert x.shape == (256, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.program_id(0) * 128
    nl.store(output[nl.ds(first, 128), 0:512], value=nl.load(x[nl.ds(first, 128), 0:512]))
    return output


@nki.jit
def what_another_program_wrote(x):
    assert x.shape == (256, 512) and nl.num_programs(0) == 2
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    between = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    own = nl.program_id(0) * 128
    other = 128 - own
    nl.store(between[nl.ds(own, 128), 0:512], value=nl.load(x[nl.ds(own, 128), 0:512]))  # expect: NKI603
    nl.store(output[nl.ds(own, 128), 0:512], value=nl.load(between[nl.ds(other, 128), 0:512]))  # expect: NKI701
    return output
