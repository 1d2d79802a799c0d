"""Tuples that hold sizes of inputs, in Beta 1."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


def tiles(count, size=128):
    for start in range(0, count, size):
        yield start, min(size, count - start)


def halves(count):
    return count // 2, count - count // 2


@nki.jit
def one_more_than_a_generator_gives(x):  # expect: NKI003
    rows, columns = x.shape
    assert columns <= 512
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size, last in tiles(rows):  # expect: NKI204
        nl.store(out[nl.ds(start, size), :], value=nl.load(x[nl.ds(start, size), :]))
    return out


@nki.jit
def one_more_than_a_helper_gives(x):  # expect: NKI003
    rows, columns = x.shape
    first, second, third = halves(rows)  # expect: NKI204
    out = nl.ndarray((first, second), dtype=x.dtype, buffer=nl.shared_hbm)
    return out


@nki.jit
def as_many_as_there_are(x):
    rows, columns = x.shape
    assert columns <= 512
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(rows):
        nl.store(out[nl.ds(start, size), :], value=nl.load(x[nl.ds(start, size), :]))
    return out
