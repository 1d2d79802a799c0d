"""Tensors that share bytes while both are needed, too few places for the tiles, and sums in PSUM."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

# --- two tensors of which the second begins in the middle of the first ---


@nki.jit
def partial_overlap_alive_together(x, y):
    assert x.shape == (4, 128, 512)
    assert y.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    low = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    high = ncc.sbuf.mod_alloc(base_addr=1024, num_free_tiles=(2,))
    first = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=low)
    second = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=high)
    for i in nl.affine_range(2):  # expect: NKI604
        for j in nl.affine_range(2):
            first[2 * i + j] = nl.load(x[2 * i + j])
        for j in nl.affine_range(2):
            second[2 * i + j] = nl.load(y[2 * i + j])
        for j in nl.affine_range(2):
            second[2 * i + j] = nl.add(first[2 * i + j], second[2 * i + j])  # expect: NKI501
            nl.store(output[2 * i + j], value=second[2 * i + j])
    return output


@nki.jit
def apart_and_alive_together(x, y):
    assert x.shape == (4, 128, 512)
    assert y.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    low = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    high = ncc.sbuf.mod_alloc(base_addr=2048, num_free_tiles=(2,))
    first = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=low)
    second = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=high)
    for i in nl.affine_range(2):  # expect: NKI604
        for j in nl.affine_range(2):
            first[2 * i + j] = nl.load(x[2 * i + j])
        for j in nl.affine_range(2):
            second[2 * i + j] = nl.load(y[2 * i + j])
        for j in nl.affine_range(2):
            second[2 * i + j] = nl.add(first[2 * i + j], second[2 * i + j])
            nl.store(output[2 * i + j], value=second[2 * i + j])
    return output


@nki.jit
def partial_overlap_one_after_the_other(x, y):
    """The first tensor is used up before the second one is loaded."""
    assert x.shape == (4, 128, 512)
    assert y.shape == (4, 128, 512)
    output = nl.ndarray((2, 4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    low = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    high = ncc.sbuf.mod_alloc(base_addr=1024, num_free_tiles=(2,))
    first = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=low)
    second = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=high)
    for i in nl.affine_range(4):
        first[i] = nl.load(x[i])
        nl.store(output[0, i], value=first[i])
    for i in nl.affine_range(4):
        second[i] = nl.load(y[i])
        nl.store(output[1, i], value=second[i])
    return output


# --- eight tiles in two places ---


@nki.jit
def eight_tiles_in_two_places(x):
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tiles = nl.ndarray(
        (8, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    )
    result = nl.ndarray(
        (8, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.mod_alloc(base_addr=8192, num_free_tiles=(2,))
    )
    for i in nl.affine_range(8):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(8):
        result[i] = nl.multiply(tiles[i], 2.0)  # expect: NKI502 @ nl.multiply(tiles[i], 2.0)
        nl.store(output[i], value=result[i])
    return output


@nki.jit
def two_tiles_in_two_places(x):
    """Pairs of tiles are made anew for each pair of iterations."""
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    result = nl.ndarray(
        (8, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.mod_alloc(base_addr=8192, num_free_tiles=(2,))
    )
    for i in nl.affine_range(4):  # expect: NKI604
        tiles = nl.ndarray(
            (2, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
        )
        for j in nl.affine_range(2):
            tiles[j] = nl.load(x[2 * i + j])
            result[2 * i + j] = nl.multiply(tiles[j], 2.0)
            nl.store(output[2 * i + j], value=result[2 * i + j])
    return output


@nki.jit
def eight_tiles_in_eight_places(x):
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tiles = nl.ndarray(
        (8, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(8,))
    )
    result = nl.ndarray(
        (8, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.mod_alloc(base_addr=8192, num_free_tiles=(2,))
    )
    for i in nl.affine_range(8):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(8):
        result[i] = nl.multiply(tiles[i], 2.0)
        nl.store(output[i], value=result[i])
    return output


# --- sums in PSUM ---


@nki.jit
def sums_that_collide_in_a_bank(left, right):
    assert left.shape == (4, 128, 128)
    assert right.shape == (4, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    x = nl.ndarray(
        (4, nl.par_dim(128), 128), dtype=left.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(4,))
    )
    y = nl.ndarray(
        (4, nl.par_dim(128), 512), dtype=right.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=4096, num_free_tiles=(4,))
    )
    sums = nl.ndarray(
        (2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0, num_bank_tiles=(1,))
    )
    result = nl.ndarray(
        (2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=16384, num_free_tiles=(2,))
    )
    for k in nl.affine_range(4):
        x[k] = nl.load(left[k])
        y[k] = nl.load(right[k])
    for k in nl.affine_range(4):
        for m in nl.affine_range(2):
            sums[m] += nisa.nc_matmul(x[k], y[k])  # expect: NKI503 @ sums[m] += nisa.nc_matmul(x[k], y[k])
    for m in nl.affine_range(2):
        result[m] = nl.copy(sums[m])
        nl.store(output[m], value=result[m])
    return output


@nki.jit
def a_bank_for_each_sum(left, right):
    assert left.shape == (4, 128, 128)
    assert right.shape == (4, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    x = nl.ndarray(
        (4, nl.par_dim(128), 128), dtype=left.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(4,))
    )
    y = nl.ndarray(
        (4, nl.par_dim(128), 512), dtype=right.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=4096, num_free_tiles=(4,))
    )
    sums = nl.ndarray(
        (2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0, num_bank_tiles=(2,))
    )
    result = nl.ndarray(
        (2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=16384, num_free_tiles=(2,))
    )
    for k in nl.affine_range(4):
        x[k] = nl.load(left[k])
        y[k] = nl.load(right[k])
    for k in nl.affine_range(4):
        for m in nl.affine_range(2):
            sums[m] += nisa.nc_matmul(x[k], y[k])
    for m in nl.affine_range(2):
        result[m] = nl.copy(sums[m])
        nl.store(output[m], value=result[m])
    return output


@nki.jit
def one_bank_for_one_sum_at_a_time(left, right):
    """The first sum is read out before the second one begins in its bank."""
    assert left.shape == (4, 128, 128)
    assert right.shape == (4, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    x = nl.ndarray(
        (4, nl.par_dim(128), 128), dtype=left.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(4,))
    )
    y = nl.ndarray(
        (4, nl.par_dim(128), 512), dtype=right.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=4096, num_free_tiles=(4,))
    )
    sums = nl.ndarray(
        (2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0, num_bank_tiles=(1,))
    )
    result = nl.ndarray(
        (2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=16384, num_free_tiles=(2,))
    )
    for k in nl.affine_range(4):
        x[k] = nl.load(left[k])
        y[k] = nl.load(right[k])
    for m in nl.affine_range(2):
        for k in nl.affine_range(4):
            sums[m] += nisa.nc_matmul(x[k], y[k])
        result[m] = nl.copy(sums[m])
        nl.store(output[m], value=result[m])
    return output


@nki.jit
def shape_still_to_be_met(x):
    """That `x` has the columns of its tiles is asked for where they are loaded, and is no way out afterwards."""
    rows, columns = x.shape
    assert rows == 1024
    out = nl.ndarray((rows, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    places = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    kept = nl.ndarray((8, nl.par_dim(128), 128), dtype=nl.float32, buffer=places)
    for i in nl.affine_range(8):
        kept[i] = nl.load(x[nl.ds(i * 128, 128), :])  # expect-warning: NKI204 columns == 128 or columns == 1
    for i in nl.affine_range(8):
        nl.store(out[nl.ds(i * 128, 128), :], value=kept[i])  # expect: NKI502
    return out
