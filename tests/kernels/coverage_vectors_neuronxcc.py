"""Adding two vectors: untiled, in tiles, with a misspelt constant, and streamed."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

TILE = 128


@nki.jit
def untiled(a, b):
    """One tile for all rows: right up to as many as there are partitions."""
    rows, columns = a.shape
    assert columns == 1 and a.shape == b.shape
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    first = nl.load(a)  # expect-warning: NKI101 rows <= 128
    second = nl.load(b)
    nl.store(output, value=first + second)
    return output


@nki.jit
def vector(a, b):
    """A vector of M elements as a column."""
    (M,) = a.shape
    assert a.shape == b.shape
    output = nl.ndarray((M, 1), dtype=a.dtype, buffer=nl.shared_hbm)
    first = nl.load(a.reshape((M, 1)))  # expect-warning: NKI101 M <= 128
    second = nl.load(b.reshape((M, 1)))
    nl.store(output, value=nl.add(first, second))
    return output


@nki.jit
def tiled(a, b):
    """`//` leaves out the elements after the last whole tile."""
    (M,) = a.shape
    assert a.shape == b.shape
    output = nl.ndarray((M,), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(M // 128):
        first = nl.load(a[nl.ds(i * 128, 128)])
        second = nl.load(b[nl.ds(i * 128, 128)])
        nl.store(output[nl.ds(i * 128, 128)], value=nl.add(first, second))
    return output  # expect-warning: NKI703 M % 128 == 0


@nki.jit
def misspelt(a, b):
    """The constant is called `TILE`."""
    (M,) = a.shape
    assert a.shape == b.shape
    output = nl.ndarray((M,), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(M // TIEL):  # expect: NKI808 @ TIEL
        first = nl.load(a[nl.ds(i * TILE, TILE)])
        second = nl.load(b[nl.ds(i * TILE, TILE)])
        nl.store(output[nl.ds(i * TILE, TILE)], value=nl.add(first, second))
    return output


@nki.jit
def masked(a, b):
    """A mask on the last tile takes any number of elements."""
    (M,) = a.shape
    assert a.shape == b.shape
    output = nl.ndarray((M,), dtype=a.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(math.ceil(M / TILE)):
        p = nl.arange(TILE)[:, None]
        inside = i * TILE + p < M
        first = nl.load(a[i * TILE + p], mask=inside)
        second = nl.load(b[i * TILE + p], mask=inside)
        nl.store(output[i * TILE + p], value=nl.add(first, second), mask=inside)
    return output


@nki.jit
def streamed(a, b):
    """Each partition takes 200 elements at a time."""
    (M,) = a.shape
    assert a.shape == b.shape
    output = nl.ndarray((M,), dtype=a.dtype, buffer=nl.shared_hbm)
    width = 200
    count = M // (TILE * width)
    left = a.reshape((count, TILE, width))  # expect-warning: NKI204 M % 25600 == 0
    right = b.reshape((count, TILE, width))
    result = output.reshape((count, TILE, width))
    for i in nl.affine_range(count):
        first = nl.load(left[i])
        second = nl.load(right[i])
        nl.store(result[i], value=nl.add(first, second))
    return output
