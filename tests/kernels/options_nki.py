"""Options of kernels that are off by default, in objects, tables and helpers: what they would do if somebody set them."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Optional

import nki
import nki.isa as nisa
import nki.language as nl


class Layout(Enum):
    ROWS = "rows"
    COLUMNS = "columns"


@dataclass
class Quant(nl.NKIObject):
    enabled: bool = False
    block: int = 128


@dataclass
class Options(nl.NKIObject):
    quant: Quant = field(default_factory=Quant)
    layout: Layout = Layout.ROWS
    bias: bool = False
    stages: int = 1


def made(rows, columns, dtype=nl.float32):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=nl.sbuf)  # expect-warning: NKI101 not first  # expect-warning: NKI101 mode != 'wide'


def fetched(x, rows=128, columns=256):
    tile = made(rows, columns, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def shown(tile):
    out = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


def plain(tile):
    return tile


def wide(tile):
    spare = made(130, 4)
    nisa.memset(dst=spare, value=0.0)
    return tile


STEPS = {"plain": plain, "wide": wide}


class Stage(nl.NKIObject):
    def __init__(self, options):
        self.options = options
        self.rows = 64 if options.bias else 128

    def run(self, tile):
        if self.options.quant.enabled:
            nisa.tensor_copy(dst=tile[:, 0:128], src=tile[:, 128:257])  # expect-warning: NKI204 not options.quant.enabled  # expect-warning: NKI301 not options.quant.enabled
        return tile


# --- found ---


# nkilint: x: float32[128, 256]
@nki.jit
def field_of_a_field(x, options=Options()):
    return shown(Stage(options).run(fetched(x)))


# nkilint: x: float32[128, 256]
@nki.jit
def by_a_table(x, mode="plain"):
    if mode == "wide":
        return shown(STEPS["wide"](fetched(x)))
    return shown(STEPS["plain"](fetched(x)))


# nkilint: x: float32[128, 256]
@nki.jit
def layout_by_a_member(x, layout=Layout.ROWS):
    tile = fetched(x)
    if layout != Layout.ROWS:
        turned = nl.ndarray((256, 128), dtype=x.dtype, buffer=nl.psum)  # expect-warning: NKI101 layout != Layout.COLUMNS
        nisa.nc_transpose(dst=turned, data=tile)  # expect-warning: NKI102 layout != Layout.COLUMNS
    return shown(tile)


# nkilint: x: float32[128, 256]
@nki.jit
def bias_for_none(x, bias=None):
    tile = fetched(x)
    if bias != None:  # noqa: E711
        column = made(128, 1)
        nisa.dma_copy(dst=column, src=bias)  # expect-warning: NKI204 bias is None or bias.shape[0]*bias.shape[1] == 128
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=column)
    return shown(tile)


# nkilint: x: float32[128, 256]
@nki.jit
def scale_for_none(x, scale: Optional[float] = None):
    tile = fetched(x)
    if scale is not None:  # expect: NKI803
        nisa.tensor_scalar(dst=tile[0:128, 0:256], data=tile[0:64, 0:256], op0=nl.multiply, operand0=scale)  # expect-warning: NKI203 scale is None
    return shown(tile)


# nkilint: x: float32[128, 256]
@nki.jit
def more_stages(x, stages=1):
    tile = fetched(x)
    for s in range(2):
        if stages > 1 and s == 1:
            nisa.tensor_copy(dst=tile[:, 0:1], src=tile[:, 256:257])  # expect-warning: NKI301 stages != 2
    return shown(tile)


# nkilint: x: float32[128, 256]
@nki.jit
def unless_it_is_checked(x, check=True):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if check:
        nisa.dma_copy(dst=out, src=x)
    return out  # expect-warning: NKI702 check


# nkilint: x: float32[128, 256]
@nki.jit
def dtype_of_the_result(x, dtype=None):
    tile = fetched(x)
    kept = dtype
    if dtype == None:  # noqa: E711
        kept = x.dtype
    else:
        nisa.activation(dst=tile, op=nl.exp, data=tile[:, 0:255])  # expect-warning: NKI204 dtype is None
    out = nl.ndarray((128, 256), dtype=kept, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def rows_of_two_flags(x, first=False, second=False):
    rows = 128
    if first:
        rows += 1
    if second:
        rows -= 1
    tile = made(rows, 4)
    nisa.memset(dst=tile, value=0.0)
    return shown(fetched(x))


# nkilint: x: float32[128, 256]
@nki.jit
def lost_where_it_is_not_summed(x, summed=True):
    total, part = made(128, 1), made(128, 1)
    nisa.memset(dst=total, value=0.0)
    for c in range(2):
        nisa.tensor_reduce(dst=part, op=nl.add, data=fetched(x[:, nl.ds(c * 128, 128)], 128, 128), axis=1)
        if summed:
            nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)
        else:
            nisa.tensor_copy(dst=total, src=part)  # expect-warning: NKI708 summed
    return shown(total)


# --- silent ---


class StageWell(Stage):
    def run(self, tile):
        if self.options.quant.enabled:
            nisa.tensor_copy(dst=tile[:, 0:128], src=tile[:, 128:256])
        return tile


# nkilint: x: float32[128, 256]
@nki.jit
def field_of_a_field_well(x, options=Options()):
    return shown(StageWell(options).run(fetched(x)))


# nkilint: x: float32[128, 256]
@nki.jit
def layout_by_a_member_well(x, layout=Layout.ROWS):
    tile = fetched(x)
    if layout != Layout.ROWS:
        for c in range(2):
            turned = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
            nisa.nc_transpose(dst=turned, data=tile[:, nl.ds(c * 128, 128)])
            nisa.tensor_copy(dst=tile[:, nl.ds(c * 128, 128)], src=turned)
    return shown(tile)


# nkilint: x: float32[128, 256]
@nki.jit
def bias_for_none_well(x, bias=None):
    tile = fetched(x)
    if bias != None:  # noqa: E711
        assert bias.shape == (128, 1)
        column = made(128, 1, bias.dtype)
        nisa.dma_copy(dst=column, src=bias)
        nisa.tensor_tensor(dst=tile[:, 0:1], data1=tile[:, 0:1], data2=column, op=nl.add)
    return shown(tile)


# nkilint: x: float32[128, 256]
@nki.jit
def scale_for_none_well(x, scale: Optional[float] = None):
    tile = fetched(x)
    if scale != None:  # noqa: E711
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=scale)
    return shown(tile)


# nkilint: x: float32[128, 256]
@nki.jit
def more_stages_well(x, stages=1):
    assert stages <= 2
    tile = fetched(x)
    for s in range(2):
        if stages > 1 and s == 1:
            nisa.tensor_copy(dst=tile[:, 0:1], src=tile[:, 255:256])
    return shown(tile)


# nkilint: x: float32[128, 256]
@nki.jit
def whether_it_is_checked_or_not(x, check=True):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if check:
        nisa.dma_copy(dst=out, src=x)
    else:
        nisa.dma_copy(dst=out, src=fetched(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def dtype_of_the_result_well(x, dtype=None):
    tile = fetched(x)
    kept = dtype
    if dtype == None:  # noqa: E711
        kept = x.dtype
    out = nl.ndarray((128, 256), dtype=kept, buffer=nl.shared_hbm)
    cast = made(128, 256, kept)
    nisa.tensor_copy(dst=cast, src=tile)
    nisa.dma_copy(dst=out, src=cast)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def rows_of_two_flags_well(x, first=False, second=False):
    rows = 127
    if first:
        rows += 1
    if second:
        rows -= 1
    tile = made(rows, 4)
    nisa.memset(dst=tile, value=0.0)
    return shown(fetched(x))


# nkilint: x: float32[128, 256]
@nki.jit
def summed_either_way(x, doubled=False):
    total, part = made(128, 1), made(128, 1)
    nisa.memset(dst=total, value=0.0)
    for c in range(2):
        nisa.tensor_reduce(dst=part, op=nl.add, data=fetched(x[:, nl.ds(c * 128, 128)], 128, 128), axis=1)
        if doubled:
            nisa.tensor_tensor(dst=part, data1=part, data2=part, op=nl.add)
        nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)
    return shown(total)


# nkilint: x: float32[128, 256]
@nki.jit
def refused_layouts(x, layout=Layout.ROWS, stages=1):
    if layout == Layout.COLUMNS and stages > 1:
        raise ValueError("one stage for columns")
    rows = 128
    if layout == Layout.COLUMNS:
        rows = 128 * stages
    tile = made(rows, 4)
    nisa.memset(dst=tile, value=0.0)
    return shown(fetched(x))
