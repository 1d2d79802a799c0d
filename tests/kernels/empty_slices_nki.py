"""Slices without elements, of dimensions of size 1 too: what is copied through them is nowhere."""

import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[1, 128]
@nki.jit
def copied_to_no_row(x):
    out = nl.ndarray((1, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[0:0, :], src=x[0:0, :])
    return out  # expect: NKI702


# nkilint: x: float32[128, 1]
@nki.jit
def loaded_without_columns(x):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0:0], src=x[:, 0:0])
    nisa.dma_copy(dst=out, src=tile)  # expect: NKI701
    return out


# nkilint: x: float32[128, 1]
@nki.jit
def loaded_with_its_column(x):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0:1], src=x[:, 0:1])
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def shorter_last_tile(x):
    rows = x.shape[0]
    assert x.shape[1] == 1
    out = nl.ndarray((rows, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    for start in range(0, rows, 128):
        size = min(128, rows - start)
        tile = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:size, :], src=x[start : start + size, :])
        nisa.dma_copy(dst=out[start : start + size, :], src=tile[0:size, :])
    return out


@nki.jit
def one_program_or_none(x, count: int):
    """A row for each of at most one."""
    assert x.shape == (1, 128) and count >= 1 and count <= 1
    out = nl.ndarray((1, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[0:count, :], src=x[0:count, :])
    return out


@nki.jit
def an_output_that_may_be_empty(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns - 2), dtype=x.dtype, buffer=nl.shared_hbm)
    if columns > 2:
        nisa.dma_copy(dst=out, src=x[:, 1 : columns - 1])
    return out


@nki.jit
def an_output_that_a_condition_leaves(x):
    rows, columns = x.shape
    out = nl.ndarray((rows, columns - 2), dtype=x.dtype, buffer=nl.shared_hbm)
    if columns > 3:
        nisa.dma_copy(dst=out, src=x[:, 1 : columns - 1])
    return out  # expect-warning: NKI702 columns >= 4 or columns <= 2


def sum_of(part):
    total = nl.ndarray((128, 1), dtype=part.dtype, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=total, op=nl.add, data=part, axis=1)
    return total


# nkilint: x: float32[128, N], N >= 4, N <= 512
@nki.jit
def sum_of_no_columns(x):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=out, src=sum_of(tile[:, 4:4]))
    return out


# nkilint: x: float32[128, N], N >= 4, N <= 512
@nki.jit
def sum_of_a_rest(x):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    rest = tile[:, 4 : x.shape[1]]
    total = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=total, op=nl.add, data=rest, axis=1)  # expect: NKI701 N <= 4
    nisa.dma_copy(dst=out, src=total)
    return out
