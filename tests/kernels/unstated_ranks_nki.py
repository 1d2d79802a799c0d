"""Tensors and tuples of which nothing tells how many dimensions or items they have."""

import nki
import nki.isa as nisa
import nki.language as nl


def product(numbers):
    result = 1
    for number in numbers:
        result *= number
    return result


def trivial_strides(shape):
    strides = [1]
    for i in range(1, len(shape)):
        strides.append(strides[i - 1] * shape[len(shape) - i])
    return strides[::-1]


@nki.jit
def rows_of_any_rank(x):
    rows, columns = product(x.shape[:-1]), x.shape[-1]
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    flat, flat_output = x.reshape((rows, columns)), output.reshape((rows, columns))
    for start in range(0, rows, 128):
        size = min(128, rows - start)
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:size, :], src=flat[start : start + size, :])
        nisa.dma_copy(dst=flat_output[start : start + size, :], src=tile[0:size, :])
    return output


@nki.jit
def rows_of_any_rank_too_high(x):
    rows, columns = product(x.shape[:-1]), x.shape[-1]
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    flat, flat_output = x.reshape((rows, columns)), output.reshape((rows, columns))
    for start in range(0, rows, 256):
        size = min(256, rows - start)
        tile = nl.ndarray((256, columns), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
        nisa.dma_copy(dst=tile[0:size, :], src=flat[start : start + size, :])
        nisa.dma_copy(dst=flat_output[start : start + size, :], src=tile[0:size, :])
    return output


@nki.jit
def of_three_dimensions(x):
    rank = len(x.shape)
    assert rank != 2
    strides = trivial_strides(x.shape)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    reveal(rank, strides[-1])  # revealed: 3
    nisa.dma_copy(dst=output, src=x)
    return output


@nki.jit
def height_by_rank(x):  # expect: NKI003
    """Whatever the rank is, that there are too many rows may hang on it."""
    rank = len(x.shape)
    rows = 100 + 64 * rank
    output = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def of_a_shape(like, shape: tuple):  # expect: NKI003
    """The sizes have to agree, but nothing says how many there are."""
    output = nl.ndarray(shape, dtype=like.dtype, buffer=nl.shared_hbm)
    reveal(len(output.shape))  # revealed: 2
    nisa.dma_copy(dst=output, src=like.reshape(shape))
    return output


@nki.jit
def of_a_shape_that_is_unpacked(like, shape: tuple):
    batch, rows, columns = shape
    assert rows <= 128
    output = nl.ndarray((batch, rows, columns), dtype=like.dtype, buffer=nl.shared_hbm)
    for b in range(batch):
        tile = nl.ndarray((rows, columns), dtype=like.dtype, buffer=nl.sbuf)
        nisa.memset(dst=tile, value=0)
        nisa.dma_copy(dst=output[b], src=tile)
    return output


def copied_flat(weights, output):
    assert len(weights.shape) == 2
    rows, columns = weights.shape
    assert rows == 128 and columns == 64
    tile = nl.ndarray((rows, columns), dtype=weights.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=weights)
    for b in range(4):
        nisa.dma_copy(dst=output[b], src=tile)
    return output


def copied_deep(weights, output):
    batch, rows, columns = weights.shape
    assert batch == 4 and rows == 128 and columns == 64
    for b in range(batch):
        tile = nl.ndarray((rows, columns), dtype=weights.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=weights[b])
        nisa.dma_copy(dst=output[b], src=tile)
    return output


@nki.jit
def of_one_rank_or_another(x, weights, is_deep):
    """Each function takes it with a rank of its own."""
    output = nl.ndarray((4, 128, 64), dtype=weights.dtype, buffer=nl.shared_hbm)
    if is_deep:
        return copied_deep(weights, output)
    else:
        return copied_flat(weights, output)


@nki.jit
def of_one_rank_or_another_by_core(x, weights):  # expect: NKI003
    """What one core takes with two dimensions, the other cannot take with three."""
    output = nl.ndarray((4, 128, 64), dtype=weights.dtype, buffer=nl.shared_hbm)
    if nl.program_id(0) == 0:
        return copied_deep(weights, output)
    else:
        return copied_flat(weights, output)


@nki.jit
def of_two_dimensions_alone(x):
    """What it asks of the sizes is told, as it ends at once with any other number of them."""
    assert len(x.shape) == 2
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)  # expect-warning: NKI204 x.shape[0]*x.shape[1] == 8192
    return output


@nki.jit
def of_two_dimensions_or_three(x):  # expect: NKI003
    assert len(x.shape) in (2, 3)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output


@nki.jit
def of_two_dimensions_by_a_rule(x):
    """With any other number of dimensions it makes a tensor that cannot be."""
    first = product(x.shape[:-1])
    output = nl.ndarray((first, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    if len(x.shape) != 2:
        output = nl.ndarray((first, 0, -1), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)  # expect-warning: NKI204 x.shape[1] == 64
    return output


@nki.jit
def tiles_of_what_is_left(x):
    """Of how many dimensions the tiles are, callers decide: nothing is said of that."""
    assert x.shape[0] == 2 and x.shape[1] <= 128
    tile = nl.ndarray(x.shape[1:], x.dtype, buffer=nl.sbuf)
    output = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    for i in range(2):
        nisa.dma_copy(dst=tile, src=x[i])
        nisa.dma_copy(dst=output[i], src=tile)
    return output
