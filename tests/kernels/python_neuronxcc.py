"""Python as kernels use it: closures, classes, helpers, comprehensions, defaults."""

from dataclasses import dataclass
from enum import Enum

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


class Kind(Enum):
    ROWS = 0
    COLUMNS = 1


@dataclass(frozen=True)
class Tiling:
    rows: int = 128
    columns: int = 512

    @property
    def elements(self):
        return self.rows * self.columns

    def count(self, shape):
        return shape[0] // self.rows, shape[1] // self.columns


def kernel_assert(condition, message):
    assert condition, f"kernel: {message}"


def load_scaled(x, place, tiling, *, scale=1.0):
    row, column = place
    tile = nl.load(x[nl.ds(row * tiling.rows, tiling.rows), nl.ds(column * tiling.columns, tiling.columns)])  # expect-warning: NKI301 x.shape[1] >= 512
    return tile if scale == 1.0 else nl.multiply(tile, scale)


@nki.jit
def through_helpers(x, kind=Kind.ROWS):
    tiling = Tiling(columns=256)
    kernel_assert(x.shape[0] % tiling.rows == 0 and x.shape[1] % tiling.columns == 0, "whole tiles")
    reveal(tiling.elements)  # revealed: 32768
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n_rows, n_columns = tiling.count(x.shape)
    reveal(n_rows)  # revealed: x.shape[0] // 128
    for i in nl.affine_range(n_rows):
        tiles = [load_scaled(x, (i, j), tiling, scale=2.0) for j in range(2)]
        reveal(tiles[1])  # revealed: float32[128, 256] @ sbuf
        if kind is Kind.COLUMNS:
            reveal(kind)  # revealed: a Kind
        nl.store(output[nl.ds(i * 128, 128), 0:256], value=tiles[0])
    return output  # expect: NKI703


class Addresses:
    """Hands out bytes of a partition, one tensor after the other."""

    def __init__(self):
        self.next = 0

    def take(self, size):
        start, self.next = self.next, self.next + size
        return start


@nki.jit
def counters(x):
    assert x.shape == (512, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    addresses = Addresses()
    taken = 0

    def advance(by):
        nonlocal taken
        taken += by
        return taken

    for i in nl.static_range(2):
        reveal(addresses.take(256))  # revealed: 0 | 256
    for i in range(x.shape[0] // 128):
        advance(3)
        tile = nl.load(x[i * 128 : (i + 1) * 128, :])
        nl.store(output[i * 128 : (i + 1) * 128, :], value=tile)
    reveal(taken)  # revealed: 12
    return output


def recursive(n):
    return 1 if n <= 1 else n * recursive(n - 1)


@nki.jit
def control_flow(x, count=3):
    rows, columns = x.shape
    assert rows == 128
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    size = 0
    while size < 5:
        size += 2
    reveal(size)  # revealed: 6
    reveal(recursive(4))  # revealed: 24
    reveal(sum(k * k for k in range(count)))  # revealed: 5
    widest = max(columns, 64)
    reveal(widest)  # revealed: max(columns, 64)
    first, *rest = [columns // 2, 1, 2]
    reveal(rest)  # revealed: [1, 2]
    if columns % 2 == 0:
        half = columns // 2
        nl.store(output[:, 0:half], value=nl.load(x[:, 0:half]))
        nl.store(output[:, half:columns], value=nl.load(x[:, half:columns]))
    else:
        nl.store(output, value=nl.load(x))
    return output


@nki.jit
def misspelt(x):
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x[0:TILE_ROW, 0:64]))  # expect: NKI808 @ TILE_ROW
    return output
