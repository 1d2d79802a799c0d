"""Conditions on quotients, told without them, and quotients by numbers of either sign."""

import math

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def every_other_column(x):
    rows, columns = x.shape
    assert rows <= 32 and columns <= 4096
    out = nl.ndarray((rows, columns // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    result = nl.ndarray((rows, columns // 2), dtype=x.dtype, buffer=nl.sbuf)
    odd = tile.ap([[columns, rows], [2, columns // 2]], offset=1)
    nisa.tensor_copy(dst=result, src=odd)  # of one column it takes nothing
    nisa.dma_copy(dst=out, src=result)
    return out


@nki.jit
def one_row(x):
    rows, columns = x.shape
    assert rows == 32 and columns <= 4096
    out = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    first = 1 // columns
    result = nl.ndarray((1, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=tile[first : first + 1, 0:columns])  # expect: NKI106 columns >= 2
    nisa.dma_copy(dst=out, src=result)
    return out


@nki.jit
def divided_by_a_difference(x):
    """
    x: float32[64, N]
    """
    step = 300 - x.shape[1]
    tile = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=output, src=tile)
    if step != 0:
        first = 100 % step  # negative where the divisor is
        nisa.dma_copy(dst=output[:, nl.ds(first, 1)], src=tile[:, 0:1])  # expect-warning: NKI301 300*(100 // (-N + 300)) <= N*(100 // (-N + 300)) + 100 or N == 300
    return output


@nki.jit
def divided_by_a_positive_difference(x):
    """
    x: float32[64, N]
    """
    step = 300 - x.shape[1]
    tile = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=output, src=tile)
    if step > 0:
        first = 100 % step
        nisa.dma_copy(dst=output[:, nl.ds(first, 1)], src=tile[:, 0:1])
    return output


@nki.jit
def trips_of_either_sign(x):
    """
    x: float32[64, N]
    """
    step = x.shape[1] - 300
    tile = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.memset(dst=tile, value=0.0)
    if step != 0 and 512 % step == 0:
        for i in range(512 // step):
            nisa.dma_copy(dst=output[:, i * step : i * step + step], src=tile[:, i * step : i * step + step])
    return output  # expect-warning: NKI702 N*(512 // (N - 300)) == 300*(512 // (N - 300)) + 512 and N >= 301


@nki.jit
def trips_unless_there_are_none(x, size: int):
    """
    x: float32[64, 512]
    """
    tile = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x)
    trips = (512 + size - 1) // size if size != 0 else 0
    for i in range(trips):
        part = slice(i * size, min(512, i * size + size))
        nisa.dma_copy(dst=output[:, part], src=tile[:, part])
    return output


# nkilint: x: float32[64, N], N >= 300
@nki.jit
def negated_before_it_is_rounded(x):
    columns = x.shape[1]
    tile = nl.ndarray((64, columns), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((64, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x)
    for i in range(-math.floor(-(columns / 128))):
        part = slice(i * 128, min(columns, i * 128 + 128))
        nisa.dma_copy(dst=output[:, part], src=tile[:, part])
    return output


# nkilint: x: float32[64, N], N >= 300
@nki.jit
def negated_trips(x):
    columns = x.shape[1]
    tile = nl.ndarray((64, columns), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((64, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x)
    for i in range(math.floor(-(columns / 128))):
        part = slice(i * 128, min(columns, i * 128 + 128))
        nisa.dma_copy(dst=output[:, part], src=tile[:, part])
    return output  # expect: NKI702
