"""Generators that give a tile's place for each of as many tiles as a size says."""

import itertools

import nki
import nki.isa as nisa
import nki.language as nl


def tiles(n, size=128):
    for start in range(0, n, size):
        yield start, min(size, n - start)


def walked(n, size=128):
    start = 0
    while start < n:
        yield start, min(size, n - start)
        start += size


def copied(out, x, start, rows):
    tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[0:rows], src=x[start : start + rows])
    nisa.dma_copy(dst=out[start : start + rows], src=tile[0:rows])


# nkilint: x: float32[N, 256]
@nki.jit
def each_tile(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, rows in tiles(x.shape[0]):
        copied(out, x, start, rows)
    return out


# nkilint: x: float32[N, 256]
@nki.jit
def each_tile_walked(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, rows in walked(x.shape[0]):
        copied(out, x, start, rows)
    return out


# nkilint: x: float32[N, 256]
@nki.jit
def tiles_in_a_comprehension(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, rows in [(start, rows) for start, rows in tiles(x.shape[0])]:
        copied(out, x, start, rows)
    return out


# nkilint: x: float32[N, 256], N >= 256
@nki.jit
def without_the_last(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, rows in tiles(x.shape[0] - 128):
        copied(out, x, start, rows)
    return out  # expect: NKI703


# nkilint: x: float32[N, 256]
@nki.jit
def left_at_the_tail(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, rows in tiles(x.shape[0]):
        if rows < 128:
            break
        copied(out, x, start, rows)
    return out  # expect: NKI703 N % 128 == 0


# nkilint: x: float32[N, 256], N >= 128
@nki.jit
def gone_through_already(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    given = tiles(x.shape[0])
    total = 0
    for _, rows in given:
        total += rows
    for start, rows in given:
        copied(out, x, start, rows)
    return out  # expect: NKI702


def copied_tap(out, x, r, s):
    tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[r, s])
    nisa.dma_copy(dst=out[r, s], src=tile)


# nkilint: x: float32[R, S, 128, 256]
@nki.jit
def each_of_a_product(x):
    R, S, _, _ = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for _, (r, s) in enumerate(itertools.product(range(R), range(S))):
        copied_tap(out, x, r, s)
    return out


# nkilint: x: float32[R, S, 128, 256]
@nki.jit
def each_of_two_clauses(x):
    R, S, _, _ = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r, s in [(r, s) for r in range(R) for s in range(S)]:
        copied_tap(out, x, r, s)
    return out


# nkilint: x: float32[R, S, 128, 256], R >= 2, S >= 2
@nki.jit
def in_the_wrong_order(x):
    R, S, _, _ = x.shape
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for s, r in itertools.product(range(R), range(S)):
        tile = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[r, s])  # expect: NKI301 S <= R  # expect: NKI301 R <= S
    return out  # expect: NKI702


def after_what_is_sent(first):
    more = yield first
    yield more + 1


@nki.jit
def of_as_many_rows_as_are_sent(x):  # expect: NKI003
    assert x.shape == (128, 512)
    steps = after_what_is_sent(1)
    next(steps)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((steps.send(127), 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output
