"""Sizes, places and counts that numpy, torch and Python's own libraries compute on the host."""

import functools
import itertools
import math
from typing import NamedTuple

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


class Chunk(NamedTuple):
    start: int
    size: int


def chunks(total, parts):
    """Borders as numpy splits a length into parts."""
    borders = np.linspace(0, total, parts + 1).astype(int)
    return [Chunk(int(a), int(b - a)) for a, b in zip(borders[:-1], borders[1:])]


def copied(out, x, rows, columns):
    tile = nl.ndarray((rows[1], columns[1]), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[nl.ds(*rows), nl.ds(*columns)])
    nisa.dma_copy(dst=out[nl.ds(*rows), nl.ds(*columns)], src=tile)


# --- found ---


# nkilint: x: float32[128, 1000]
@nki.jit
def borders_without_the_last(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    borders = np.arange(4) * x.shape[1] // 4
    for start, stop in zip(borders, borders[1:]):
        copied(out, x, (0, 128), (int(start), int(stop - start)))
    return out  # expect: NKI703


# nkilint: x: float32[128, 512]
@nki.jit
def offsets_that_are_sums_with_themselves(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    widths = np.array([64, 192, 256])
    for start, width in zip(np.cumsum(widths), widths):
        tile = nl.ndarray((128, int(width)), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(int(start), int(width))])  # expect: NKI301
        nisa.dma_copy(dst=out[:, nl.ds(int(start), int(width))], src=tile)  # expect: NKI301
    return out  # expect: NKI703


# nkilint: x: float32[128, 512]
@nki.jit
def product_of_all_sizes(x):
    tile = nl.ndarray((int(np.prod(x.shape[:1])) * 2, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.dma_copy(dst=tile, src=x[:, 0:64])  # expect: NKI204
    out = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def half_as_a_float(x):
    half = np.ceil(x.shape[1] / 2)
    tile = nl.ndarray((128, half), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI811
    nisa.dma_copy(dst=tile, src=x[:, 0:256])
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, N]
@nki.jit
def tiles_rounded_down(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(math.floor(x.shape[1] / 512)):
        copied(out, x, (0, 128), (512 * i, 512))
    return out  # expect-warning: NKI703 N % 512 == 0


# nkilint: x: float32[128, 512]
@nki.jit
def largest_of_the_widths(x):
    widths = np.array([128, 96, 160])
    out = nl.ndarray((128, 160), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((int(widths.max()), 160), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.dma_copy(dst=tile[0:128, :], src=x[:, 0:160])
    nisa.dma_copy(dst=out, src=tile[0:128, :])
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def argument_of_the_largest(x):
    starts = np.array([0, 128, 448, 320])
    begin = int(starts[np.argmax(starts)])
    out = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[:, begin : begin + 128])  # expect: NKI301
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def accumulated_by_itertools(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    widths = [128, 128, 128, 128]
    for stop in itertools.accumulate(widths):
        nisa.dma_copy(dst=out[:, nl.ds(stop, 128)], src=x[:, nl.ds(stop, 128)])  # expect: NKI301  # expect: NKI301
    return out  # expect: NKI703


# nkilint: x: float32[2, 64, 512]
@nki.jit
def reduced_sizes(x):
    rows = functools.reduce(lambda a, b: a * b, x.shape[:2]) + 1
    out = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[0:128, :], src=x.reshape((128, 512)))
    return out  # expect: NKI703


# nkilint: x: float32[128, 512]
@nki.jit
def grid_of_positions(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for row, column in np.ndindex(2, 3):
        copied(out, x, (64 * row, 64), (128 * column, 128))
    return out  # expect: NKI703


# nkilint: x: float32[128, 512]
@nki.jit
def quarter_with_the_wrong_quotient(x):
    size, rest = divmod(x.shape[1], 3)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(3):
        copied(out, x, (0, 128), (size * i, size))
    return out  # expect: NKI703


# --- silent ---


# nkilint: x: float32[128, 1000]
@nki.jit
def borders_of_quarters(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    borders = np.arange(5) * x.shape[1] // 4
    for start, stop in zip(borders, borders[1:]):
        copied(out, x, (0, 128), (int(start), int(stop - start)))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def offsets_before_each_width(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    widths = np.array([64, 192, 256])
    for start, width in zip(np.cumsum(widths) - widths, widths):
        copied(out, x, (0, 128), (int(start), int(width)))
    return out


# nkilint: x: float32[128, 1000]
@nki.jit
def split_by_linspace(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for chunk in chunks(x.shape[1], 4):
        copied(out, x, (0, 128), chunk)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def half_as_an_integer(x):
    half = int(np.ceil(x.shape[1] / 2))
    tile = nl.ndarray((128, half), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, 0:half])
    out = nl.ndarray((128, half), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, N]
@nki.jit
def tiles_rounded_up(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(math.ceil(x.shape[1] / 512)):
        copied(out, x, (0, 128), (512 * i, min(512, x.shape[1] - 512 * i)))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def sorted_starts(x):
    starts = np.sort(np.array([384, 0, 256, 128]))
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for start in starts.tolist():
        copied(out, x, (0, 128), (start, 128))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def accumulated_from_zero(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    widths = [128, 128, 128, 128]
    for start in list(itertools.accumulate(widths, initial=0))[:-1]:
        copied(out, x, (0, 128), (start, 128))
    return out


# nkilint: x: float32[2, 64, 512]
@nki.jit
def flattened_sizes(x):
    rows = math.prod(x.shape[:2])
    out = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x.reshape((rows, 512)))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def whole_grid_of_positions(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for row, column in itertools.product(range(2), range(4)):
        copied(out, x, (64 * row, 64), (128 * column, 128))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def thirds_and_the_rest(x):
    size, rest = divmod(x.shape[1], 3)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(3):
        copied(out, x, (0, 128), (size * i, size))
    if rest:
        copied(out, x, (0, 128), (3 * size, rest))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def differences_as_widths(x):
    borders = np.array([0, 100, 300, 512])
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for start, width in zip(borders, np.diff(borders)):
        copied(out, x, (0, 128), (int(start), int(width)))
    return out
