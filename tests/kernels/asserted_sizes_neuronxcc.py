"""Sizes that an assertion fixes: what is read then is still what the subscripts say."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def one_tile_too_many(x):
    assert x.shape == (384, 128)
    output = nl.ndarray((512, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in nl.affine_range(4):
        tile = nl.load(x[nl.ds(k * 128, 128), 0:128])  # expect: NKI301 @ x[nl.ds(k * 128, 128), 0:128]
        nl.store(output[nl.ds(k * 128, 128), 0:128], value=tile)
    return output


@nki.jit
def in_place_between_iterations(x):
    assert x.shape == (512, 128)
    output = nl.ndarray((500, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    p, j = nl.mgrid[0:128, 0:128]
    for k in nl.affine_range(4):
        tile = nl.load(x[128 * k + p, j], mask=128 * k + p < 500)
        nl.store(output[128 * k + p, j], value=tile, mask=128 * k + p < 500)
    return output


@nki.jit
def one_bit_for_a_remainder(x):
    rows, columns = x.shape
    assert rows & 128 == 0 and columns == 128  # expect: NKI810 @ rows & 128
    output = nl.ndarray((rows, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in nl.affine_range(rows // 128):
        nl.store(output[nl.ds(k * 128, 128), 0:128], value=nl.load(x[nl.ds(k * 128, 128), 0:128]))
    return output  # expect-warning: NKI703 rows % 128 == 0


@nki.jit
def a_remainder_in_bits(x):
    rows, columns = x.shape
    assert rows & 127 == 0 and columns == 128
    output = nl.ndarray((rows, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in nl.affine_range(rows // 128):
        nl.store(output[nl.ds(k * 128, 128), 0:128], value=nl.load(x[nl.ds(k * 128, 128), 0:128]))
    return output


@nki.jit
def a_bit_of_flags(x, flags=6):
    assert x.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if flags & 4 == 0:
        tile[...] = nl.multiply(tile, 2.0)
    nl.store(output, value=tile)
    return output
