"""A `return` in the loop that fills the output (NKI710)."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def first_of_all_rows(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 512 and rows >= 256
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.load(x[nl.ds(i * 128, 128), 0:512]))
        return output  # expect: NKI710 @ return output


@nki.jit
def first_of_the_inner_loop(x):
    assert x.shape == (256, 1024)
    output = nl.ndarray((256, 1024), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(2):
        for j in nl.affine_range(2):
            tile = nl.load(x[nl.ds(i * 128, 128), nl.ds(j * 512, 512)])
            nl.store(output[nl.ds(i * 128, 128), nl.ds(j * 512, 512)], value=tile)
            return output  # expect: NKI710


@nki.jit
def after_the_loop(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.load(x[nl.ds(i * 128, 128), 0:512]))
    return output


def first_divisor(size):
    for quarter in range(4):
        if size % (128 - quarter * 32) == 0:
            return 128 - quarter * 32


@nki.jit
def search_in_a_helper(x):
    assert x.shape == (96, 512)
    step = first_divisor(96)
    assert step == 96
    output = nl.ndarray((96, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x))
    return output
