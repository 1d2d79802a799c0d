"""Kernels with Python around them: sizes in dicts, named tuples, enumerations, and tuples that functions return."""

from enum import Enum
from typing import NamedTuple

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

CASES = {
    "sizes_of_a_dict": [((256, 64),)],
    "sizes_of_a_named_tuple": [((128, 512),)],
    "operator_of_a_member": [((128, 64),)],
    "halves_of_columns": [((128, 96),), ((128, 2),)],
    "tiles_in_a_list": [((256, 64),)],
    "tiles_under_names": [((128, 64), (128, 64))],
    "scaled_by_setting": [((128, 64),)],
}

ROWS = {"small": 64, "tall": 128}
SCALES = {"half": 0.5, "twice": 2.0}


class Cut(NamedTuple):
    begin: int
    size: int


class Mode(Enum):
    LARGEST = "largest"
    SMALLEST = "smallest"


def halves(n):
    """A number in two parts."""
    return n // 2, n - n // 2


def loaded(source, begin, rows):
    """Some rows of an HBM tensor in SBUF."""
    tile = nl.ndarray((rows, source.shape[1]), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[begin : begin + rows, :])
    return tile


@nki.jit
def sizes_of_a_dict(x):
    """A copy in tiles whose rows a dict names."""
    assert x.shape == (256, 64)
    size = ROWS["tall"]
    output = nl.ndarray((256, 64), dtype=np.float32, buffer=nl.shared_hbm)
    for i in range(x.shape[0] // size):
        tile = loaded(x, i * size, size)
        nisa.dma_copy(dst=output[i * size : (i + 1) * size, :], src=tile)
    return output


@nki.jit
def sizes_of_a_named_tuple(x):
    """Columns from a place on that a named tuple holds."""
    assert x.shape == (128, 512)
    cut = Cut(128, 256)
    output = nl.ndarray((128, cut.size), dtype=np.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, cut.size), dtype=np.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, cut.begin : cut.begin + cut.size])
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def operator_of_a_member(x):
    """The largest value of each row, as a member of an enumeration says."""
    assert x.shape == (128, 64)
    mode = Mode.LARGEST
    operators = {"largest": nl.maximum, "smallest": nl.minimum}
    output = nl.ndarray((128, 1), dtype=np.float32, buffer=nl.shared_hbm)
    tile = loaded(x, 0, 128)
    best = nl.ndarray((128, 1), dtype=np.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=best, op=operators[mode.value], data=tile, axis=1)
    nisa.dma_copy(dst=output, src=best)
    return output


@nki.jit
def halves_of_columns(x):
    """The second half of the columns before the first, of any number that is even."""
    rows, columns = x.shape
    assert rows == 128 and columns % 2 == 0 and columns <= 2048
    first, second = halves(columns)
    output = nl.ndarray((128, first + second), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, 0, 128)
    nisa.dma_copy(dst=output[:, 0:second], src=tile[:, first : first + second])
    nisa.dma_copy(dst=output[:, second : second + first], src=tile[:, 0:first])
    return output


@nki.jit
def tiles_in_a_list(x):
    """Tiles that a list holds, written in the opposite order."""
    assert x.shape == (256, 64)
    output = nl.ndarray((256, 64), dtype=np.float32, buffer=nl.shared_hbm)
    tiles = []
    for i in range(2):
        tile = loaded(x, i * 128, 128)
        tiles.append(tile)
    count = len(tiles)
    for i in range(count):
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tiles[count - 1 - i])
    return output


@nki.jit
def tiles_under_names(left, right):
    """Differences of tiles that a dict holds by name."""
    assert left.shape == (128, 64) and right.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=np.float32, buffer=nl.shared_hbm)
    held = {"left": loaded(left, 0, 128), "right": loaded(right, 0, 128)}
    result = nl.ndarray((128, 64), dtype=np.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=result, data1=held["left"], data2=held["right"], op=nl.subtract)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def scaled_by_setting(x):
    """Values times a factor that a dict names, in a tile whose sizes are put together."""
    assert x.shape == (128, 64)
    sizes = x.shape[:-1] + (64,)
    output = nl.ndarray(sizes, dtype=np.float32, buffer=nl.shared_hbm)
    tile = loaded(x, 0, x.shape[0])
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=SCALES["half"])
    nisa.dma_copy(dst=output, src=tile)
    return output
