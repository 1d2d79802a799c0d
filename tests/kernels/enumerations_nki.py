"""Members of enumerations that the caller chooses."""

from dataclasses import dataclass
from enum import Enum

import nki
import nki.isa as nisa
import nki.language as nl


class Width(Enum):
    NARROW = 1
    MIDDLE = 2
    WIDE = 3


COLUMNS = {Width.NARROW: 128, Width.MIDDLE: 256, Width.WIDE: 512}
TOO_MANY = {Width.NARROW: 128, Width.MIDDLE: 256, Width.WIDE: 640}


@dataclass
class Plan(nl.NKIObject):
    width: Width
    rows: int = 128


@nki.jit
def columns_of_a_table(x, width: Width):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    columns = COLUMNS[width]
    for i in range(512 // columns):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(i * columns, columns)])
        nisa.dma_copy(dst=output[:, nl.ds(i * columns, columns)], src=tile)
    return output


@nki.jit
def one_entry_too_large(x, width: Width):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    columns = TOO_MANY[width]
    tile = nl.ndarray((128, 640), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0:512], src=x)
    nisa.dma_copy(dst=tile[:, 0:columns], src=x[:, 0:columns])  # expect-warning: NKI301 width != Width.WIDE
    nisa.dma_copy(dst=output, src=tile[:, 0:512])
    return output


@nki.jit
def branches_on_a_member(x, plan: Plan):
    assert x.shape == (128, 512) and plan.rows == 128
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    if plan.width == Width.NARROW:
        for i in range(4):
            nisa.dma_copy(dst=tile[:, nl.ds(128 * i, 128)], src=x[:, nl.ds(128 * i, 128)])
    elif plan.width == Width.MIDDLE:
        for i in range(2):
            nisa.dma_copy(dst=tile[:, nl.ds(256 * i, 256)], src=x[:, nl.ds(256 * i, 256)])
    else:
        nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def member_without_a_branch(x, width: Width):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    if width == Width.NARROW:
        nisa.dma_copy(dst=tile, src=x)
    elif width == Width.WIDE:
        nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)  # expect-warning: NKI701 width != Width.MIDDLE
    return output


def kind_of(x):
    width = Width.NARROW
    if x.shape[1] > 256:
        width = Width.WIDE
    elif x.shape[1] > 128:
        width = Width.MIDDLE
    return width, x.shape[1]


class Choice(nl.NKIObject):
    def __init__(self, width):
        self.width = width

    def is_wide(self):
        return self.width == Width.WIDE


@nki.jit
def a_tile_where_a_branch_chose_so(x):
    assert x.shape[0] == 128 and x.shape[1] <= 512
    width, columns = kind_of(x)
    choice = Choice(width)
    spare = None
    if choice.is_wide():
        spare = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if choice.is_wide():
        nisa.dma_copy(dst=spare[:, 0:columns], src=x)
        nisa.tensor_copy(dst=tile, src=spare[:, 0:columns])
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def a_tile_where_a_branch_chose_otherwise(x):
    assert x.shape[0] == 128 and x.shape[1] <= 512
    width, columns = kind_of(x)
    choice = Choice(width)
    output = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    if not choice.is_wide():
        nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)  # expect-warning: NKI701 x.shape[1] <= 256
    return output
