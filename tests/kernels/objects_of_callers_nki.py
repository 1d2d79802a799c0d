"""Parameters that are objects which only callers make: what docstrings, methods and uses tell of them."""

from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl


@dataclass
class Blocks(nl.NKIObject):
    size: int = None
    twice: bool = False

    def __post_init__(self):
        self.count = 0
        self.setup()

    def setup(self):
        self.width = 64

    def derive(self, rows):
        self.count = rows // self.size


class Window(nl.NKIObject):
    base: nl.ndarray
    start: int

    def __init__(self, base: nl.ndarray):
        self.base = base
        self.start = 0
        self.rows, self.columns = base.shape

    def get(self, rows):
        return self.base[self.start : self.start + rows]  # expect-warning: NKI301 window.base.shape[0] >= 65


@dataclass
class Operands(nl.NKIObject):
    source: nl.ndarray
    window: nl.ndarray
    scale: nl.ndarray


@nki.jit
def class_by_docstring(x, blocks):
    """Args:
    x (nl.ndarray): [N, 64], rows.
    blocks (Blocks): what is known of them.
    """
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, blocks.width), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:128])
    nisa.dma_copy(dst=out, src=tile)  # expect-warning: NKI204 N == 128
    return out


@nki.jit
def number_of_no_default(x, blocks: Blocks):
    """The size is None until somebody says it, and the count until it was derived."""
    assert x.shape == (blocks.size * blocks.count, 64)
    reveal(blocks.width)  # revealed: 64
    out = nl.ndarray((blocks.size * blocks.count, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(blocks.count):
        tile = nl.ndarray((blocks.size, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 blocks.size <= 128
        rows = nl.ds(i * blocks.size, blocks.size)
        nisa.dma_copy(dst=tile, src=x[rows])
        nisa.dma_copy(dst=out[rows], src=tile)
    return out


@nki.jit
def object_for_a_tensor(window: nl.ndarray):
    """What is called a tensor is an object that holds one."""
    rows = window.base[0:128]  # expect-warning: NKI301 window.base.shape[0] >= 128
    out = nl.ndarray((128, window.columns), dtype=window.base.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=rows)
    return out


@nki.jit
def object_with_a_method(window: nl.ndarray):
    reveal(window.start)  # revealed: 0
    tile = nl.ndarray((64, window.columns), dtype=window.base.dtype, buffer=nl.sbuf)
    out = nl.ndarray((64, window.columns), dtype=window.base.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=window.get(65))  # expect: NKI204
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def object_of_no_class(window: nl.ndarray):  # expect: NKI003
    """No class of the project has this."""
    out = nl.ndarray((64, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=window.nowhere)
    return out


def scaled(source, scale):
    """Args:
    scale (nl.ndarray): [128, 4, 16], a factor for each.
    """
    tile = nl.ndarray(scale.shape, dtype=source.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 operands.scale.shape[0] <= 128
    nisa.dma_copy(dst=tile, src=source)
    return tile


@nki.jit
def rank_by_docstring_of_a_helper(operands: Operands):
    """How many dimensions a tensor has only a function says that gets it."""
    source, scale = operands.source, operands.scale
    assert source.shape == (100, 4, 16)
    shape = tuple(scale.shape)
    tile = nl.ndarray(shape, dtype=scale.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=scaled(scale, scale))
    reveal(len(scale.shape))  # revealed: 3
    out = nl.ndarray(tuple(scale.shape), dtype=source.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def whole_number(x: nl.ndarray, place: int):
    """What an annotation calls a number is one before it is used."""
    assert x.shape == (128, 64)
    width = 16 if isinstance(place, int) else 32
    reveal(width)  # revealed: 16
    out = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x[:, nl.ds(place, width)])  # expect-warning: NKI301 place <= 48
    return out


@nki.jit
def offset_by_number(x: nl.ndarray, place: int):
    """An offset that a number gives, and not a tile."""
    assert x.shape == (128, 64)
    tile = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.sbuf)
    out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    row = x.ap(pattern=[[64, 1], [1, 64]], offset=0, scalar_offset=place, indirect_dim=0)  # expect-warning: NKI301 place <= 127
    nisa.dma_copy(dst=tile, src=row)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def offset_too_far(x: nl.ndarray):
    assert x.shape == (128, 64)
    tile = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.sbuf)
    out = nl.ndarray((1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x.ap(pattern=[[64, 1], [1, 64]], offset=0, scalar_offset=127, indirect_dim=0))
    row = x.ap(pattern=[[64, 1], [1, 64]], offset=0, scalar_offset=128, indirect_dim=0)  # expect: NKI301
    nisa.dma_copy(dst=out, src=row)  # expect-warning: NKI708
    nisa.dma_copy(dst=out, src=tile)
    return out


@dataclass
class Inputs(nl.NKIObject):
    source: nl.ndarray
    scale: nl.ndarray = None
    bias: nl.ndarray = None


@nki.jit
def needed_in_spite_of_none(x: nl.ndarray, scale: nl.ndarray = None, bias: nl.ndarray = None):
    """Each iteration takes a scale; what is done without a bias is looked at without one."""
    rows, columns = x.shape
    assert rows % 128 == 0
    inputs = Inputs(source=x, scale=scale, bias=bias)
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        assert inputs.scale.shape[1] == 64
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=inputs.scale[nl.ds(i * 128, 128)])  # expect-warning: NKI301 rows <= scale.shape[0]
        if inputs.bias != None:  # noqa: E711
            assert inputs.bias.shape == (128, 64)
            nisa.dma_copy(dst=tile, src=inputs.bias)
        nisa.dma_copy(dst=out[nl.ds(i * 128, 128)], src=tile)
    return out
