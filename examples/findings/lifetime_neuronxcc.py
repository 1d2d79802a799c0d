"""Tiles that are overwritten too early and sums in PSUM that mix (NKI501-504), in `neuronxcc.nki`. Each marked line is reported."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def overlapping(left, right):
    """`y` begins in the middle of `x`, which is still needed."""
    assert left.shape == (128, 512) and right.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    x = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    y = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1024))
    z = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4096))
    x[...] = nl.load(left)
    y[...] = nl.load(right)
    z[...] = nl.add(x, y)  # expect: NKI501
    # `base_addr=2048` for `y`: 512 float32 take 2048 bytes.
    nl.store(output, value=z)
    return output


@nki.jit
def two_places_for_four(x):
    """Four tiles are loaded into two places before the first of them is read."""
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray(
        (4, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    )
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(4):
        nl.store(output[i], value=tiles[i])  # expect: NKI502
        # `num_free_tiles=(4,)`, or one loop that loads and stores
    return output


@nki.jit
def two_sums_in_one_bank(left, right):
    """Two accumulation groups take turns in bank 0."""
    assert left.shape == (256, 128) and right.shape == (256, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    x = nl.ndarray((2, nl.par_dim(128), 128), dtype=left.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
    y = nl.ndarray(
        (2, nl.par_dim(128), 512), dtype=right.dtype, buffer=ncc.sbuf.mod_alloc(base_addr=1024, num_free_tiles=(2,))
    )
    sums = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0))
    result = nl.ndarray(
        (2, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=8192, num_free_tiles=(2,))
    )
    for k in nl.affine_range(2):
        x[k] = nl.load(left[k * 128 : (k + 1) * 128, 0:128])
        y[k] = nl.load(right[k * 128 : (k + 1) * 128, 0:512])
    for k in nl.affine_range(2):
        for m in nl.affine_range(2):
            sums[m] += nisa.nc_matmul(x[k], y[k])  # expect: NKI503
            # `num_bank_tiles=(2,)` gives each sum a bank of its own
    for m in nl.affine_range(2):
        result[m] = nl.copy(sums[m])
        nl.store(output[m], value=result[m])
    return output


@nki.jit
def sum_that_goes_on(left, right):
    """The second result contains the first one."""
    assert left.shape == (512, 128) and right.shape == (512, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    # Make `sums` inside the loop over m.
    for m in nl.sequential_range(2):
        for k in nl.affine_range(2):
            row = (m * 2 + k) * 128
            x = nl.load(left[row : row + 128, 0:128])
            y = nl.load(right[row : row + 128, 0:512])
            sums += nisa.nc_matmul(x, y)  # expect: NKI504
        nl.store(output[m], value=nl.copy(sums))
    return output
