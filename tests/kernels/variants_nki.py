"""Branches that no default reaches: the parameter that each hangs on is given another value."""

from dataclasses import dataclass
from enum import Enum

import nki
import nki.isa as nisa
import nki.language as nl


class Act(Enum):
    RELU = 0
    GELU = 1
    SILU = 2


@dataclass
class Config:
    wide: bool = False
    act: Act = Act.RELU
    rows: int = 64


class Scratch(nl.NKIObject):
    def __init__(self, deep):
        self.deep = deep

    def take(self, rows):
        if self.deep:
            spare(rows)


def spare(rows):
    tile = nl.ndarray((rows, 64), dtype=nl.float32, buffer=nl.sbuf)  # expect-warning: NKI101 not wide
    nisa.memset(dst=tile, value=0.0)


def copied(x):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out


def spare_where(condition, rows):
    if condition:
        tile = nl.ndarray((rows, 64), dtype=nl.float32, buffer=nl.sbuf)  # expect-warning: NKI101 not deep
        nisa.memset(dst=tile, value=0.0)


# nkilint: x: float32[64, 256]
@nki.jit
def flag_through_a_helper(x, wide=False):
    if wide:
        spare(256)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def flag_handed_on(x, deep=False):
    spare_where(deep, 256)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def flag_handed_on_in_range(x, deep=False):
    spare_where(deep, 128)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def member(x, act=Act.RELU):
    rows = 64
    if act == Act.GELU:
        rows = 256
    tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 act != Act.GELU
    nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def member_in_range(x, act=Act.RELU):
    rows = 64
    if act == Act.GELU:
        rows = 128
    tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def member_in_a_dict(x, act=Act.RELU):
    out = copied(x)
    if act == Act.SILU:
        nisa.dma_copy(dst=out[0:64, 1:257], src=x)  # expect-warning: NKI301 act != Act.SILU
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def field(x, config=Config()):
    if config.wide:
        tile = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 not config.wide
        nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def field_of_an_annotated_object(x, config: Config):
    if config.act == Act.GELU:
        tile = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 config.act != Act.GELU
        nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def field_in_range(x, config=Config()):
    if config.wide and config.act == Act.GELU:
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def text(x, mode="plain"):
    if mode == "wide":
        tile = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 mode != 'wide'
        nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def text_that_is_refused(x, mode="plain"):
    if mode == "wide":
        raise ValueError("no wide ones")
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def one_within_another(x, a=False, b=False):
    if a:
        if b:
            tile = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 not a or not b
            nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def both_at_once(x, a=False, b=False):
    if a and b:
        tile = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 not a or not b
        nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def both_are_refused(x, a=False, b=False):
    assert not (a and b)
    if a and b:
        tile = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=tile, value=0.0)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def something_for_none(x, bias=None):
    out = copied(x)
    if bias != None:
        tile = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=bias)  # expect-warning: NKI204 bias is None or bias.shape[0]*bias.shape[1] == 16384
        nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def something_for_none_that_is_asserted(x, bias=None):
    out = copied(x)
    if bias != None:
        assert bias.shape == (64, 256)
        tile = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=bias)
        nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def attribute_of_an_object(x, wide=False):
    scratch = Scratch(wide)
    scratch.take(256)
    return copied(x)


# nkilint: x: float32[64, 256]
@nki.jit
def shorter_loop(x, half=False):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    count = 1 if half else 2
    for i in range(count):
        nisa.dma_copy(dst=out[:, 128 * i : 128 * i + 128], src=x[:, 128 * i : 128 * i + 128])
    return out  # expect-warning: NKI703 not half


# nkilint: x: float32[64, 256]
@nki.jit
def loop_of_the_same_length(x, half=False):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    count = 4 if half else 2
    width = 256 // count
    for i in range(count):
        nisa.dma_copy(dst=out[:, width * i : width * i + width], src=x[:, width * i : width * i + width])
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def operator_on_tiles(x, twice=False):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if twice:
        tile = tile + tile  # expect-warning: NKI803 not twice
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def parts_by_name(x, kind="whole"):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
    if kind == "whole":
        nisa.dma_copy(dst=tile, src=x)
    elif kind == "half":
        nisa.dma_copy(dst=tile[:, 0:128], src=x[:, 0:128])
    nisa.dma_copy(dst=out, src=tile)  # expect-warning: NKI701 kind != 'half'
    return out


# nkilint: x: float32[64, 256]
@nki.jit
def halves_by_name(x, kind="whole"):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
    if kind == "whole":
        nisa.dma_copy(dst=tile, src=x)
    elif kind == "halves":
        nisa.dma_copy(dst=tile[:, 0:128], src=x[:, 0:128])
        nisa.dma_copy(dst=tile[:, 128:256], src=x[:, 128:256])
    else:
        raise ValueError(kind)
    nisa.dma_copy(dst=out, src=tile)
    return out
