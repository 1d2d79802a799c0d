"""Kernels whose parameters decide: flags, tensors that may be left out, exponents; and what tiles of integers count."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

CASES = {
    "perhaps_transposed": [((128, 512), True), ((128, 512), False)],
    "perhaps_weighted": [((256, 512), (128, 512)), ((256, 512), None)],
    "perhaps_in_halves": [((128, 1024), True), ((128, 1024), False)],
    "ladder": [((64, 8), 3), ((64, 1), 0)],
    "folded_rows": [((128, 64), 6)],
    "counted": [((128, 512),)],
    "rows_backwards": [((128, 256),)],
}


@nki.jit
def perhaps_transposed(x, turned=False):
    """A matrix of 128 rows, with the squares of its first columns turned where the caller asks for it."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    if turned:
        for k in nl.affine_range(4):
            square = nl.load(x[0:128, nl.ds(k * 128, 128)])
            nl.store(output[0:128, nl.ds(k * 128, 128)], value=nl.copy(nl.transpose(square)))
    else:
        nl.store(output[0:128, 0:512], value=nl.load(x[0:128, 0:512]))
    return output


@nki.jit
def perhaps_weighted(x, weights=None):
    """Two tiles of rows, each with weights of its shape taken to it, if there are some."""
    assert x.shape == (256, 512)
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for r in nl.affine_range(2):
        tile = nl.load(x[nl.ds(r * 128, 128), 0:512])
        if weights is not None:
            assert weights.shape == (128, 512)
            factor = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            factor[0:128, 0:512] = nl.load(weights[0:128, 0:512])
            nl.store(output[nl.ds(r * 128, 128), 0:512], value=nl.multiply(tile, factor))
        else:
            nl.store(output[nl.ds(r * 128, 128), 0:512], value=tile)
    return output


@nki.jit
def perhaps_in_halves(x, halves=False):
    """A copy, in one piece or in two."""
    assert x.shape == (128, 1024)
    output = nl.ndarray((128, 1024), dtype=x.dtype, buffer=nl.shared_hbm)
    if halves:
        for h in nl.affine_range(2):
            half = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            half[0:128, 0:512] = nl.load(x[0:128, nl.ds(h * 512, 512)])
            nl.store(output[0:128, nl.ds(h * 512, 512)], value=half[0:128, 0:512])
    else:
        nl.store(output[0:128, 0:1024], value=nl.load(x[0:128, 0:1024]))
    return output


@nki.jit
def ladder(x, depth: int):
    """The columns one by one, of which there are a power of two."""
    assert x.shape == (64, 2**depth) and depth <= 9
    output = nl.ndarray((64, 2**depth), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(2**depth):
        nl.store(output[0:64, nl.ds(i, 1)], value=nl.load(x[0:64, nl.ds(i, 1)]))
    return output


@nki.jit
def folded_rows(x, depth: int):
    """The sums of neighbouring columns, in each of the halves into which a power of two of them is cut."""
    assert x.shape == (128, 1 << depth) and depth >= 1 and depth <= 9
    output = nl.ndarray((128, 1 << (depth - 1)), dtype=x.dtype, buffer=nl.shared_hbm)
    half = 1 << (depth - 1)
    tile = nl.load(x[0:128, 0 : 1 << depth])
    nl.store(output[0:128, 0:half], value=nl.add(tile[0:128, 0:half], tile[0:128, half : 2 * half]))
    return output


@nki.jit
def counted(x):
    """Each element with the number of its row added."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    numbers = nisa.iota(nl.arange(128)[:, None], dtype=nl.int32)
    beyond = nisa.tensor_scalar(numbers, op0=nl.add, operand0=100, dtype=nl.int32)
    nl.store(output[0:128, 0:512], value=nl.add(nl.load(x[0:128, 0:512]), nl.copy(beyond, dtype=nl.float32)))
    return output


@nki.jit
def rows_backwards(x):
    """The rows in the opposite order, by indices in a tile."""
    assert x.shape == (128, 256)
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    i_p = nl.arange(128)[:, None]
    i_f = nl.arange(256)[None, :]
    rows = nisa.iota(127 - i_p, dtype=nl.int32)
    nl.store(output[i_p, i_f], value=nl.load(x[rows[i_p, 0], i_f]))
    return output
