"""Attributes that an object of the project does not have (NKI808)."""

from dataclasses import dataclass, replace
from enum import Enum

import nki
import nki.isa as nisa
import nki.language as nl


class Mode(Enum):
    FAST = 1
    SLOW = 2


@dataclass
class Cfg(nl.NKIObject):
    tile: int = 512
    depth: int = 2


class Base:
    def size(self):
        return self.width  # subclasses have it


class Wide(Base):
    def __init__(self):
        self.width = 512


class Lazy:
    def __init__(self):
        self.a = 1

    def __getattr__(self, name):
        return 512


def body(x, n, out):
    t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[:, 0:n])
    nisa.dma_copy(dst=out, src=t)


@nki.jit
def typo(x, cfg=Cfg()):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    body(x, cfg.tiles, out)  # expect: NKI808
    return out


@nki.jit
def typo_in_branch(x, flag=False):
    cfg = Cfg(tile=512)
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    n = cfg.tile
    if flag:
        n = cfg.tiles  # expect-warning: NKI808 not flag
    body(x, n, out)
    return out


@nki.jit
def all_there(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    w = Wide()
    lazy = Lazy()
    c = replace(Cfg(), tile=512)
    c.extra = 512
    assert w.size() == 512 and getattr(c, "missing", 512) == 512 and not hasattr(c, "missing")
    try:
        n = c.nothing
    except AttributeError:
        n = 512
    body(x, c.extra, out)
    body(x, n, out)
    body(x, lazy.anything, out)
    body(x, Mode.FAST.value * 512, out)
    return out


@nki.jit
def set_later(x):
    cfg = Cfg()
    for i in range(2):
        cfg.last = 512
    setattr(cfg, "more", 512)
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    body(x, cfg.last, out)
    body(x, cfg.more, out)
    return out


@nki.jit
def sizes_of_an_input_that_is_copied(x):  # expect: NKI003
    rows, columns = x.shapes  # expect: NKI208
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)  # expect-warning: NKI204 x.shape[0]*x.shape[1] == 65536
    return out


@nki.jit
def dimensions_of_an_input_read_by_a_pattern(x):  # expect: NKI003
    if x.ndims > 2:  # expect: NKI208
        return x
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[512, 128], [1, 512]], offset=0))
    return out


def first_rows(source, rows):
    tile = nl.ndarray((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[0:rows, 0:1])  # expect-warning: NKI301 x.shape[0] >= 128
    return tile


def whole(tensor):
    return first_rows(rows=128, source=tensor)


@nki.jit
def sizes_of_an_input_of_a_helper(x):  # expect: NKI003
    rows, columns = x.shapes  # expect: NKI208
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(rows // 128):
        nisa.dma_copy(dst=out, src=whole(x))
    return out


def rows_of(plan):
    return plan.rows


@nki.jit
def sizes_of_a_plan_of_a_helper(x, plan):  # expect: NKI003
    assert x.shape == (128, 1)
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(plan.shapes + rows_of(plan)):
        nisa.dma_copy(dst=out, src=whole(x))
    return out


@nki.jit
def sizes_of_what_holds_a_tensor(x):  # expect: NKI003
    rows, columns = x.sizes
    x = x.tensor
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
