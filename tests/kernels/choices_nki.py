"""Branches that no default takes: each flag, mode, optional tensor and field of a configuration by itself."""

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
class Tiling(nl.NKIObject):
    rows: int = 128
    fused: bool = False


@dataclass
class Config(nl.NKIObject):
    tiling: Tiling = field(default_factory=Tiling)
    activation: Optional[str] = None


CONFIG = Config()


def result(x):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)


def loaded(source, rows=128, columns=256):
    tile = nl.ndarray((rows, columns), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


# --- found ---


# nkilint: x: float32[128, 256]
@nki.jit
def transposed_by_a_flag(x, transpose=False):
    out = result(x)
    tile = loaded(x)
    if transpose:
        turned = nl.ndarray((256, 128), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 not transpose
        nisa.memset(dst=turned, value=0.0)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256], bias: float32[256]
@nki.jit
def bias_of_one_dimension(x, bias=None):
    out = result(x)
    tile = loaded(x)
    if bias is not None:  # expect: NKI803
        shift = loaded(bias.reshape((1, 256)), 1)
        nisa.tensor_tensor(dst=tile, data1=tile, data2=shift, op=nl.add)  # expect: NKI203
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def another_layout(x, layout=Layout.ROWS):
    out = result(x)
    tile = loaded(x)
    if layout == Layout.COLUMNS:
        nisa.dma_copy(dst=out[:, 0:256], src=tile[:, 0:255])  # expect-warning: NKI204 layout != Layout.COLUMNS
    else:
        nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def mode_without_a_store(x, mode="copy"):
    out = result(x)
    tile = loaded(x)
    if mode == "copy":
        nisa.dma_copy(dst=out, src=tile)
    elif mode == "negate":
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=-1.0)
    return out  # expect-warning: NKI702 mode != 'negate'


# nkilint: x: float32[128, 256]
@nki.jit
def accumulator_that_is_cleared_in_one_branch(x, fresh=True):
    out = result(x)
    total = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    if fresh:
        nisa.memset(dst=total, value=0.0)
    nisa.tensor_tensor(dst=total, data1=total, data2=loaded(x), op=nl.add)  # expect-warning: NKI701 fresh
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def name_of_one_branch(x, scale=1.0):
    out = result(x)
    tile = loaded(x)
    if scale == 1.0:
        source = tile
    nisa.dma_copy(dst=out, src=source)  # expect: NKI808
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def field_of_a_configuration(x, config=CONFIG):
    out = result(x)
    tile = loaded(x)
    if config.activation is not None:  # expect: NKI803
        nisa.activation(dst=out, op=nl.exp, data=tile)  # expect-warning: NKI201 config.activation is None
    else:
        nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def flag_deep_in_a_configuration(x, config=CONFIG):
    out = result(x)
    tile = loaded(x)
    if config.tiling.fused:
        nisa.dma_copy(dst=out[0:128, 0:256], src=x[0:128, 1:257])  # expect-warning: NKI301 not config.tiling.fused
    else:
        nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def two_flags_of_which_one_matters(x, first=False, second=False):
    out = result(x)
    tile = loaded(x)
    if first:
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    if second:
        nisa.activation(dst=tile, op=nl.exp, data=tile, bias=loaded(x[:, 0:2], columns=2))  # expect-warning: NKI205 not second
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def number_of_parts(x, parts=2):
    out = result(x)
    if parts == 3:
        for i in range(3):
            nisa.dma_copy(dst=out[:, nl.ds(86 * i, 86)], src=x[:, nl.ds(86 * i, 86)])  # expect-warning: NKI301 parts != 3  # expect-warning: NKI301 parts != 3
    else:
        nisa.dma_copy(dst=out, src=x)
    return out


# --- silent ---


# nkilint: x: float32[128, 256]
@nki.jit
def smaller_by_a_flag(x, small=False):
    out = result(x)
    tile = loaded(x)
    if small:
        half = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=half, src=tile[0:64, :])
        nisa.dma_copy(dst=out[0:64, :], src=half)
        nisa.dma_copy(dst=out[64:128, :], src=tile[64:128, :])
    else:
        nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256], bias: float32[128, 256]
@nki.jit
def bias_of_all_rows(x, bias=None):
    out = result(x)
    tile = loaded(x)
    if bias is not None:  # expect: NKI803
        nisa.tensor_tensor(dst=tile, data1=tile, data2=loaded(bias), op=nl.add)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def every_layout(x, layout=Layout.ROWS):
    out = result(x)
    tile = loaded(x)
    if layout == Layout.COLUMNS:
        for i in range(2):
            nisa.dma_copy(dst=out[:, nl.ds(128 * i, 128)], src=tile[:, nl.ds(128 * i, 128)])
    else:
        nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def every_mode_stores(x, mode="copy"):
    out = result(x)
    tile = loaded(x)
    if mode == "negate":
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=-1.0)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def begun_in_both_branches(x, fresh=True):
    out = result(x)
    total = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    if fresh:
        nisa.memset(dst=total, value=0.0)
    else:
        nisa.dma_copy(dst=total, src=x)
    nisa.tensor_tensor(dst=total, data1=total, data2=loaded(x), op=nl.add)
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def name_of_both_branches(x, scale=1.0):
    out = result(x)
    tile = loaded(x)
    source = tile
    if scale != 1.0:
        source = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=source, data=tile, op0=nl.multiply, operand0=scale)
    nisa.dma_copy(dst=out, src=source)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def each_activation(x, config=CONFIG):
    out = result(x)
    tile = loaded(x)
    if config.activation is not None:  # expect: NKI803
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def fused_or_not(x, config=CONFIG):
    out = result(x)
    if config.tiling.fused:
        nisa.dma_copy(dst=out, src=x)
    else:
        nisa.dma_copy(dst=out, src=loaded(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def one_of_two_is_enough(x, first=False, second=False):
    out = result(x)
    assert not (first and second)
    tile = loaded(x)
    if first:
        shift = loaded(x)
    elif second:
        shift = tile
    if first or second:
        nisa.tensor_tensor(dst=tile, data1=tile, data2=shift, op=nl.add)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def parts_that_fit(x, parts=2):
    assert 256 % parts == 0 and parts > 0
    out = result(x)
    for i in range(parts):
        nisa.dma_copy(dst=out[:, nl.ds(256 // parts * i, 256 // parts)], src=x[:, nl.ds(256 // parts * i, 256 // parts)])
    return out
