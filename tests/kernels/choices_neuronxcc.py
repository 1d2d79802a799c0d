"""Branches that no default takes, in Beta 1: each flag, mode, number, optional tensor and field by itself."""

from dataclasses import dataclass, field
from enum import Enum

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


class Norm(Enum):
    NONE = 0
    RMS = 1


@dataclass(frozen=True)
class Tiling:
    rows: int = 128
    wide: bool = False


@dataclass(frozen=True)
class Config:
    norm: Norm = Norm.NONE
    tiling: Tiling = field(default_factory=Tiling)


CONFIG = Config()


# --- found ---


# nkilint: x: float32[128, 256]
@nki.jit
def shifted_by_a_flag(x, shifted=False):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if shifted:
        nl.store(out, value=nl.load(x[:, 1:257]))  # expect-warning: NKI301 not shifted
    else:
        nl.store(out, value=nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def nothing_stored_in_one_mode(x, mode="copy"):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if mode == "copy":
        nl.store(out, value=tile)
    elif mode == "exp":
        tile = nl.exp(tile)
    return out  # expect-warning: NKI702 mode != 'exp'


# nkilint: x: float32[128, 256]
@nki.jit
def norm_of_too_many_partitions(x, config=CONFIG):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if config.norm == Norm.RMS:
        spare = nl.zeros((256, 1), dtype=nl.float32, buffer=nl.sbuf)  # expect-warning: NKI101 config.norm != Norm.RMS
        print(spare)
    nl.store(out, value=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def field_of_a_field(x, config=CONFIG):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    columns = 512 if config.tiling.wide else 256
    nl.store(out, value=nl.load(x[:, 0:256]))
    if config.tiling.wide:
        nl.store(out[:, 0:columns], value=nl.load(x[:, 0:columns]))  # expect-warning: NKI301 not config.tiling.wide  # expect-warning: NKI301 not config.tiling.wide
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def three_parts(x, parts=2):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if parts == 3:
        for i in nl.affine_range(3):
            nl.store(out[:, nl.ds(85 * i, 85)], value=nl.load(x[:, nl.ds(85 * i, 85)]))
    else:
        nl.store(out, value=nl.load(x))
    return out  # expect-warning: NKI703 parts != 3


# nkilint: x: float32[128, 256], scale: float32[128, 2]
@nki.jit
def scale_of_two_columns(x, scale=None):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if scale is not None:
        tile = nisa.tensor_scalar(tile, op0=nl.multiply, operand0=nl.load(scale))  # expect: NKI205
    nl.store(out, value=tile)
    return out


# --- silent ---


# nkilint: x: float32[128, 256]
@nki.jit
def flag_in_range(x, halves=False):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if halves:
        for i in nl.affine_range(2):
            nl.store(out[:, nl.ds(128 * i, 128)], value=nl.load(x[:, nl.ds(128 * i, 128)]))
    else:
        nl.store(out, value=nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def stored_in_every_mode(x, mode="copy"):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if mode == "exp":
        nl.store(out, value=nl.exp(nl.load(x)))
    else:
        nl.store(out, value=nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def norm_of_rows(x, config=CONFIG):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if config.norm == Norm.RMS:
        tile = nl.load(x)
        mean = nl.mean(nl.square(tile), axis=1, keepdims=True)
        nl.store(out, value=nl.multiply(tile, nl.rsqrt(nl.add(mean, 1e-6))))
    else:
        nl.store(out, value=nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def wide_field(x, config=CONFIG):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    columns = 512 if config.tiling.wide else 256
    for i in nl.affine_range(512 // columns):
        nl.store(out[:, nl.ds(columns * i, columns)], value=nl.load(x[:, nl.ds(columns * i, columns)]))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def four_parts(x, parts=2):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if parts == 4:
        for i in nl.affine_range(4):
            nl.store(out[:, nl.ds(64 * i, 64)], value=nl.load(x[:, nl.ds(64 * i, 64)]))
    else:
        nl.store(out, value=nl.load(x))
    return out


# nkilint: x: float32[128, 256], scale: float32[128, 1]
@nki.jit
def scale_of_one_column(x, scale=None):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    if scale is not None:
        nl.store(out, value=nisa.tensor_scalar(nl.load(x), op0=nl.multiply, operand0=nl.load(scale)))
    else:
        nl.store(out, value=nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def flags_that_exclude_each_other(x, first=False, second=False):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert not (first and second)
    if first:
        nl.store(out, value=nl.exp(nl.load(x)))
    elif second:
        nl.store(out, value=nl.square(nl.load(x)))
    else:
        nl.store(out, value=nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def scale_by_a_number(x, scale=1.0):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.multiply(nl.load(x), scale))
    return out
