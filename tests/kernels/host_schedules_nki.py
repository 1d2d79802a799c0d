"""Schedules that kernels compute on the host: tables of places, cuts and orders, of numpy, itertools and plain Python."""

import itertools
from collections import deque
from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


def copied(out, x, rows, columns):
    """A part of a matrix on its way through SBUF."""
    tile = nl.ndarray((rows.size, columns.size), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[rows.start : rows.start + rows.size, columns.start : columns.start + columns.size])  # expect: NKI301
    nisa.dma_copy(dst=out[rows.start : rows.start + rows.size, columns.start : columns.start + columns.size], src=tile)  # expect: NKI301


@dataclass
class Part:
    start: int
    size: int


def result(x):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)


def through(out, x, start, size, shift=0):
    tile = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, start + shift : start + shift + size])  # expect: NKI301
    nisa.dma_copy(dst=out[:, start : start + size], src=tile)


def snake(rows, columns):
    """Row by row, every second one from the end."""
    for row in range(rows):
        order = range(columns) if row % 2 == 0 else range(columns - 1, -1, -1)
        for column in order:
            yield row, column


def widths(total, most):
    """Widths that add up to a total, none greater than the most."""
    found = []
    while total > 0:
        found.append(min(total, most))
        total -= found[-1]
    return found


# --- found ---


# nkilint: x: float32[512, 512]
@nki.jit
def product_of_too_many_rows(x):
    out = result(x)
    for r, c in itertools.product(range(5), range(2)):
        copied(out, x, Part(128 * r, 128), Part(256 * c, 256))
    return out


# nkilint: x: float32[128, 500]
@nki.jit
def widths_without_the_rest(x):
    out = result(x)
    place = 0
    for width in widths(x.shape[1], 128)[:-1]:
        through(out, x, place, width)
        place += width
    return out  # expect: NKI703


# nkilint: x: float32[128, 512]
@nki.jit
def cuts_by_a_cumulated_sum(x):
    """Each part is read eight columns further on."""
    out = result(x)
    sizes = np.array([64, 192, 256])
    for start, size in zip(np.cumsum(sizes) - sizes, sizes):
        through(out, x, int(start), int(size), shift=8)
    return out


# nkilint: x: float32[256, 512]
@nki.jit
def snake_over_too_few(x):
    out = result(x)
    for row, column in snake(2, 3):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[128 * row : 128 * row + 128, 128 * column : 128 * column + 128])
        nisa.dma_copy(dst=out[128 * row : 128 * row + 128, 128 * column : 128 * column + 128], src=tile)
    return out  # expect: NKI703


# nkilint: x: float32[128, 1024]
@nki.jit
def queue_that_ends_too_soon(x):
    out = result(x)
    queue = deque([(0, 1024)])
    while len(queue) > 1 or (queue and queue[0][1] > 128):
        start, size = queue.popleft()
        if size > 256:
            queue.append((start, size // 2))
            queue.append((start + size // 2, size // 2))
        else:
            through(out, x, start, size // 2)
    return out  # expect: NKI703


# nkilint: x: float32[128, 512]
@nki.jit
def chosen_by_a_mask(x):
    out = result(x)
    starts = np.arange(0, 512, 64)
    for start in starts[starts % 128 == 0]:
        through(out, x, start, 64)
    return out  # expect: NKI703


# nkilint: x: float32[128, 512]
@nki.jit
def table_with_a_part_missing(x):
    out = result(x)
    table = {"first": (0, 128), "second": (128, 128), "last": (384, 128)}
    for start, size in table.values():
        through(out, x, start, size)
    return out  # expect: NKI703


# nkilint: x: float32[128, C], C >= 4
@nki.jit
def fourths_of_any_width(x):
    out = result(x)
    fourth = x.shape[1] // 4
    for start in (fourth * np.arange(4)).tolist():
        tile = nl.ndarray((128, fourth), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, start : start + fourth])
        nisa.dma_copy(dst=out[:, start : start + fourth], src=tile)
    return out  # expect-warning: NKI703 C % 4 == 0


# nkilint: x: float32[128, 512]
@nki.jit
def half_a_width(x):
    out = result(x)
    tile = nl.ndarray((128, x.shape[1] / 2), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI811
    nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def rounded_to_even(x):
    """`round` goes to the even one of two neighbours: 2.5 to 2."""
    out = result(x)
    for i in range(round(x.shape[1] / 205)):
        through(out, x, 256 * i, 128)
    return out  # expect: NKI703


# --- silent ---


# nkilint: x: float32[512, 512]
@nki.jit
def product_of_all_rows(x):
    out = result(x)
    tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    for r, c in itertools.product(range(4), range(2)):
        rows, columns = nl.ds(128 * r, 128), nl.ds(256 * c, 256)
        nisa.dma_copy(dst=tile, src=x[rows, columns])
        nisa.dma_copy(dst=out[rows, columns], src=tile)
    return out


# nkilint: x: float32[128, 500]
@nki.jit
def widths_with_the_rest(x):
    out = result(x)
    place = 0
    for width in widths(x.shape[1], 128):
        through(out, x, place, width)
        place += width
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def cuts_between_neighbours(x):
    out = result(x)
    for start, end in itertools.pairwise([0, 64, 256, 512]):
        through(out, x, start, end - start)
    return out


# nkilint: x: float32[256, 512]
@nki.jit
def snake_over_all(x):
    out = result(x)
    for row, column in snake(2, 4):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[128 * row : 128 * row + 128, 128 * column : 128 * column + 128])
        nisa.dma_copy(dst=out[128 * row : 128 * row + 128, 128 * column : 128 * column + 128], src=tile)
    return out


# nkilint: x: float32[128, 1024]
@nki.jit
def queue_of_halves(x):
    out = result(x)
    queue = deque([(0, 1024)])
    while queue:
        start, size = queue.popleft()
        if size > 128:
            queue.append((start, size // 2))
            queue.append((start + size // 2, size // 2))
        else:
            through(out, x, start, size)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def chosen_by_two_masks(x):
    out = result(x)
    starts = np.arange(0, 512, 64)
    for chosen in (starts % 128 == 0, starts % 128 != 0):
        for start in starts[chosen]:
            through(out, x, start, 64)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def table_sorted_by_size(x):
    out = result(x)
    table = {"last": (384, 128), "first": (0, 256), "second": (256, 128)}
    for start, size in sorted(table.values(), key=lambda part: -part[1]):
        through(out, x, start, size)
    return out


# nkilint: x: float32[128, C], C % 4 == 0
@nki.jit
def fourths_of_a_width(x):
    out = result(x)
    fourth = x.shape[1] // 4
    for start in (fourth * np.arange(4)).tolist():
        tile = nl.ndarray((128, fourth), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, start : start + fourth])
        nisa.dma_copy(dst=out[:, start : start + fourth], src=tile)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def half_a_width_as_an_integer(x):
    out = result(x)
    half = int(x.shape[1] / 2)
    for i in range(2):
        through(out, x, half * i, half)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def rounded_up(x):
    out = result(x)
    for i in range(int(np.ceil(x.shape[1] / 200))):
        start = 200 * i
        through(out, x, start, min(200, 512 - start))
    return out
