"""Tuples that hold sizes of inputs: what a text writes item by item has as many for all inputs, a shape has not."""

import nki
import nki.isa as nisa
import nki.language as nl


def tiles(count, size=128):
    for start in range(0, count, size):
        yield start, min(size, count - start)


def halves(count):
    return count // 2, count - count // 2


def sides(count, both):
    if both:
        return count, count + 1
    return count, count


def moved(out, x, start, size):
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:size, :], src=x[start : start + size, :])
    nisa.dma_copy(dst=out[start : start + size, :], src=tile[0:size, :])


@nki.jit
def one_more_than_a_generator_gives(x):  # expect: NKI003
    rows, columns = x.shape
    assert columns == 64
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size, last in tiles(rows):  # expect: NKI204
        moved(out, x, start, size)
    return out


@nki.jit
def one_less_than_a_generator_gives(x):  # expect: NKI003
    rows, columns = x.shape
    assert columns == 64
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for (start,) in tiles(rows):  # expect: NKI204
        moved(out, x, start, 1)
    return out


@nki.jit
def one_more_than_a_helper_gives(x):  # expect: NKI003
    rows, columns = x.shape
    first, second, third = halves(rows)  # expect: NKI204
    out = nl.ndarray((first, second), dtype=x.dtype, buffer=nl.shared_hbm)
    return out


@nki.jit
def one_more_than_two_paths_give(x):  # expect: NKI003
    rows, columns = x.shape
    first, second, third = sides(rows, columns > 64)  # expect: NKI204
    out = nl.ndarray((first, second), dtype=x.dtype, buffer=nl.shared_hbm)
    return out


@nki.jit
def one_more_than_a_list_holds(x):  # expect: NKI003
    rows, columns = x.shape
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size, last in [(0, rows // 2), (rows // 2, rows - rows // 2)]:  # expect: NKI204
        moved(out, x, start, size)
    return out


@nki.jit
def position_behind_the_last(x):  # expect: NKI003
    rows, columns = x.shape
    sizes = halves(rows)
    out = nl.ndarray((sizes[0], sizes[2]), dtype=x.dtype, buffer=nl.shared_hbm)  # expect: NKI301
    return out


@nki.jit
def as_many_as_there_are(x):
    rows, columns = x.shape
    assert columns == 64
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(rows):
        moved(out, x, start, size)
    first, second = halves(rows)
    assert first <= second
    return out


def sizes_of(x):
    return x.shape


def with_one_more(x):
    return 1, *x.shape


@nki.jit
def dimensions_of_an_input(x):  # expect: NKI003
    rows = x.shape[0]
    assert x.shape[1] == 64
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(rows):
        moved(out, x, start, size)
    first, second, third = sizes_of(x)
    return out


@nki.jit
def dimensions_and_one_more(x):  # expect: NKI003
    rows = x.shape[0]
    assert x.shape[1] == 64
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(rows):
        moved(out, x, start, size)
    first, second = with_one_more(x)
    return out


@nki.jit
def as_many_as_are_asked_for(x):
    rows, columns = x.shape
    assert columns == 64
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(rows):
        moved(out, x, start, size)
    try:
        first, second, third = halves(rows)
    except ValueError:
        first, second = halves(rows)
    one, *others = halves(rows)
    assert one == first and len(others) == 1
    return out


@nki.jit
def tuple_that_grows(x):
    rows, columns = x.shape
    assert columns == 64
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, size in tiles(rows):
        moved(out, x, start, size)
    sizes = (rows,)
    sizes += halves(columns)
    first, second, third = sizes
    assert second + third == 64 and first == rows
    return out
