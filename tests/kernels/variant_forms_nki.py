"""Branches that no default reaches: compared numbers, members by value, fields together, floats for None."""

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Optional

import nki
import nki.isa as nisa
import nki.language as nl


class Layout(IntEnum):
    ROWS = 0
    COLUMNS = 1


class Kind(Enum):
    PLAIN = "plain"
    GATED = "gated"


@dataclass
class Options(nl.NKIObject):
    layout: Layout = Layout.ROWS
    gated: bool = False
    scale: Optional[float] = None


def copied(x):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out


def scratch(rows):
    tile = nl.ndarray((rows, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    return tile


# nkilint: x: float32[64, 256]
@nki.jit
def negated_flag(x, fast=True):
    out = copied(x)
    if not fast:
        nisa.dma_copy(dst=out, src=x[:, 0:200])  # expect-warning: NKI204 fast
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def conditional_expression(x, wide=False):
    rows = 200 if wide else 100
    tile = nl.ndarray((rows, 4), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 not wide
    nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def int_enum(x, layout=Layout.ROWS):
    out = copied(x)
    if layout == Layout.COLUMNS:
        nisa.dma_copy(dst=out, src=x[1:65, :])  # expect-warning: NKI301 layout != Layout.COLUMNS
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def by_value(x, kind=Kind.PLAIN):
    out = copied(x)
    if kind.value == "gated":
        nisa.dma_copy(dst=out, src=x[0:64, 1:257])  # expect-warning: NKI301 kind != Kind.GATED
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def a_number(x, stages=1):
    out = copied(x)
    if stages > 2:
        nisa.dma_copy(dst=out, src=x[0:64, 1:257])  # expect-warning: NKI301 stages != 4
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def a_scale(x, scale: Optional[float] = None):
    out = copied(x)
    if scale != None and scale != 1.0:
        nisa.tensor_scalar(dst=out, data=x, op0=nl.multiply, operand0=scale)  # expect-warning: NKI201 scale is None  # expect-warning: NKI201 scale is None
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def object_field(x, options=Options()):
    out = copied(x)
    if options.layout == Layout.COLUMNS and options.gated:
        scratchy = nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 options.layout != Layout.COLUMNS or not options.gated
        nisa.memset(dst=scratchy, value=0.0)
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def name_in_branch(x, debug=False):
    out = copied(x)
    if debug:
        nisa.memset(dst=tilde, value=0.0)  # expect: NKI808
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def bound_in_branch(x, debug=True):
    out = copied(x)
    if debug:
        tile = scratch(64)
    nisa.tensor_copy(dst=tile, src=tile)  # expect-warning: NKI808 debug  # expect-warning: NKI808 debug
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def elif_chain(x, mode="a"):
    out = copied(x)
    if mode == "a":
        width = 256
    elif mode == "b":
        width = 257
    else:
        width = 1
    nisa.dma_copy(dst=out[:, 0:width], src=x[:, 0:width])  # expect-warning: NKI301 mode != 'b'  # expect-warning: NKI301 mode != 'b'
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def in_a_tuple(x, mode="a"):
    out = copied(x)
    if mode in ("b", "c"):
        nisa.activation(dst=out, op=nl.exp, data=x)  # expect-warning: NKI201 mode != 'c'  # expect-warning: NKI201 mode != 'c'
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def second_output(x, with_stats=False):
    out = copied(x)
    if with_stats:
        stats = nl.ndarray((64, 2), dtype=nl.float32, buffer=nl.shared_hbm)
        t = scratch(64)
        nisa.dma_copy(dst=stats[:, 0:1], src=t[:, 0:1])
        return out, stats  # expect-warning: NKI703 not with_stats
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def negated_flag_good(x, fast=True):
    out = copied(x)
    if not fast:
        nisa.dma_copy(dst=out, src=x[:, 0:256])
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def conditional_expression_good(x, wide=False):
    rows = 128 if wide else 100
    tile = nl.ndarray((rows, 4), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def int_enum_good(x, layout=Layout.ROWS):
    out = copied(x)
    if layout == Layout.COLUMNS:
        nisa.dma_copy(dst=out, src=x[0:64, :])
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def a_number_refused(x, stages=1):
    assert stages <= 2
    out = copied(x)
    if stages > 2:
        nisa.dma_copy(dst=out, src=x[0:64, 1:257])
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def a_scale_good(x, scale: Optional[float] = None):
    out = copied(x)
    if scale != None and scale != 1.0:
        t = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x)
        nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=scale)
        nisa.dma_copy(dst=out, src=t)
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def object_field_refused(x, options=Options()):
    out = copied(x)
    assert not options.gated, "not yet"
    if options.layout == Layout.COLUMNS and options.gated:
        scratchy = nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=scratchy, value=0.0)
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def bound_in_both(x, debug=True):
    out = copied(x)
    if debug:
        tile = scratch(64)
    else:
        tile = scratch(32)
    nisa.tensor_copy(dst=tile, src=tile)
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def bound_and_used_under_one_flag(x, debug=True):
    out = copied(x)
    if debug:
        tile = scratch(64)
    nisa.dma_copy(dst=out, src=x)
    if debug:
        nisa.tensor_copy(dst=tile, src=tile)
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def elif_chain_good(x, mode="a"):
    out = copied(x)
    if mode == "a":
        width = 256
    elif mode == "b":
        width = 255
    else:
        width = 1
    nisa.dma_copy(dst=out[:, 0:width], src=x[:, 0:width])
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def second_output_good(x, with_stats=False):
    out = copied(x)
    if with_stats:
        stats = nl.ndarray((64, 2), dtype=nl.float32, buffer=nl.shared_hbm)
        t = scratch(64)
        nisa.dma_copy(dst=stats, src=t[:, 0:2])
        return out, stats
    return out
