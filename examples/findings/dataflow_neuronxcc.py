"""What is written, read and kept, and what is not (NKI701-712), in `neuronxcc.nki`. Each marked line is reported."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def forgotten_store(x):
    """The result is computed and never stored."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    result = nl.exp(nl.load(x))
    scaled = nl.multiply(result, 0.5)
    nl.device_print("scaled", scaled)
    return output  # expect: NKI702
    # `nl.store(output, value=scaled)`


@nki.jit
def dropped_tail(x):
    """`//` leaves out the rows after the last whole tile; the contract says `% 128 == 0`."""
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.exp(tile))
    return output  # expect: NKI703
    # `math.ceil(rows / 128)` iterations and `mask=i * 128 + p < rows`, or `assert rows % 128 == 0`


@nki.jit
def tile_of_a_loop(x):
    """A tile ends with the loop that makes it."""
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(4):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.device_print("tile", tile)
    nl.store(output, value=tile)  # expect: NKI704
    # make `tile` before the loop, and `tile[...] = nl.load(...)` inside
    return output


@nki.jit
def sum_of_rows(x):
    """`total = ...` makes a new tile in each iteration, and the one from before the loop stays zero."""
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        total = nl.add(total, nl.load(x[nl.ds(i * 128, 128), 0:512]))  # expect: NKI705
        # `total[...] = nl.add(total, ...)`
    nl.store(output, value=total)
    return output


def exponential(x):
    """A helper that makes its own output."""
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)  # expect: NKI706
    # make it in the kernel, and hand it to the helper
    nl.store(output, value=nl.exp(nl.load(x)))
    return output


@nki.jit
def output_of_a_helper(x):
    """Tensors in shared HBM are made by the kernel itself."""
    assert x.shape == (128, 512)
    return exponential(x)


@nki.jit
def returned_tile(x):
    """The host cannot get at SBUF."""
    assert x.shape == (128, 512)
    tile = nl.exp(nl.load(x))
    return tile  # expect: NKI707
    # store it to a tensor in shared HBM, and return that


@nki.jit
def forgotten_return(x):  # expect: NKI711
    """The result is stored, and the caller gets `None`."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.exp(nl.load(x)))
    # `return output`


@nki.jit
def indented_too_far(x):
    """The first iteration is the last."""
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.exp(nl.load(x[nl.ds(i * 128, 128), 0:512])))
        return output  # expect: NKI710


@nki.jit
def dropped_rows(x):
    """The sum leaves out what lies after the last whole tile."""
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(rows // 128):
        total += nl.load(x[nl.ds(i * 128, 128), 0:512])  # expect: NKI709
        # `assert rows % 128 == 0`, or a mask on the last of `math.ceil(rows / 128)` tiles
    nl.store(output, value=total)
    return output


@nki.jit
def mask_on_one_side(x):
    """The rows that the mask kept from being loaded are stored all the same."""
    assert x.shape == (100, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    tile = nl.load(x[i, j], mask=i < 100)
    power = nl.exp(tile)  # expect: NKI701
    nl.store(output[i, j], value=power)  # `mask=i < 100` here, and an output of 100 rows
    return output


@nki.jit
def overwritten_product(left, right):
    """`=` keeps the last product, `+=` would add them up."""
    assert left.shape == (512, 128) and right.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.sequential_range(4):
        stationary = nl.load(left[nl.ds(k * 128, 128), 0:128])
        moving = nl.load(right[nl.ds(k * 128, 128), 0:512])
        total[...] = nl.matmul(stationary, moving, transpose_x=True)  # expect: NKI708
        # `total += nl.matmul(...)`
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def same_dropout(x):
    """Each tile loses the elements at the same places."""
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):
        nl.random_seed(7)  # expect: NKI712
        # `nl.random_seed(7 + i)`, or once before the loop
        tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.dropout(tile, 0.5))
    return output
