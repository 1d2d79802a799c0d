"""Functions that go over what they are given, and are given a number."""

import nki
import nki.isa as nisa
import nki.language as nl


def copied(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:128, 0:64])
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def least_of_a_number(x):
    rows, columns = x.shape
    assert rows == 128 and columns == 64
    size = min(5)  # expect: NKI809
    return copied(x)


@nki.jit
def least_of_a_rest(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    size = min(rows - 128)  # expect: NKI809
    return copied(x)


@nki.jit
def most_in_a_loop(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    for i in range(rows // 128):
        size = max(rows - i * 128)  # expect: NKI809
    return copied(x)


@nki.jit
def sum_of_a_size(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    size = sum(rows)  # expect: NKI809
    return copied(x)


@nki.jit
def list_of_a_size(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    sizes = list(columns // 2)  # expect: NKI809
    return copied(x)


@nki.jit
def any_of_a_size(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    few = any(columns)  # expect: NKI809
    return copied(x)


@nki.jit
def least_of_several(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    assert min(5, rows) == 5 and max((3, 4)) == 4 and min([rows]) == rows
    assert sum([1, 2]) == 3 and max(3, *[]) == 3 if columns == 0 else True
    return copied(x)


@nki.jit
def least_of_as_many_as_there_are(x):  # expect: NKI003
    assert x.shape[0] >= 128 and x.shape[1] >= 64
    size = min(*x.shape[1:])
    return copied(x)


@nki.jit
def least_of_what_a_caller_gives(x, sizes):  # expect: NKI003
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    assert min(sizes) > 3
    return copied(x)


@nki.jit
def least_where_there_is_one(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    try:
        size = min(rows)
    except TypeError:
        size = rows
    assert size == rows
    return copied(x)


def min_of(number):
    return number


@nki.jit
def least_of_another_kind(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    min = min_of
    assert min(rows) == rows
    return copied(x)
