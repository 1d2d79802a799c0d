"""Options of kernels that are off by default: what they would do if somebody set them."""

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Literal, NamedTuple

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

EPS = {"fast": 1e-3, "exact": 1e-6}


class Act(Enum):
    NONE = "none"
    GELU = "gelu"
    SWIGLU = "swiglu"


class Level(IntEnum):
    OFF = 0
    SOME = 1
    ALL = 2


class Window(NamedTuple):
    left: int = 0
    right: int = 0


@dataclass
class Flash:
    causal: bool = True
    dropout: float = 0.0
    tile: int = 128
    act: Act = Act.NONE


@dataclass
class Model:
    flash: Flash = field(default_factory=Flash)
    tied: bool = True


def activated(tile, act):
    """The tile after its activation."""
    if act == Act.NONE:
        return tile
    gate = nl.silu(tile[:, 0:128])
    return nl.multiply(gate, tile[:, 129:257])  # expect-warning: NKI301 act != Act.GELU


def scaled_by_rows(tile):
    squares = nl.mean(nl.square(tile), axis=1, keepdims=True)
    return nl.multiply(tile, nl.rsqrt(squares + EPS["exact"]))


def centred(tile):
    return nl.subtract(tile, nl.mean(tile, axis=0, keepdims=True))  # expect-warning: NKI213 norm != 'layer'


def padded(columns, pad):
    return columns + 1 if pad else columns


# --- found ---


# nkilint: x: float32[128, 256]
@nki.jit
def activation_by_member(x, act=Act.NONE):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[:, 0:128], activated(nl.load(x), act)[:, 0:128])
    nl.store(out[:, 128:256], nl.load(x[:, 128:256]))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def norm_by_name(x, norm: Literal["rms", "layer", "none"] = "rms"):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if norm == "rms":
        tile = scaled_by_rows(tile)
    elif norm == "layer":
        tile = centred(tile)
    nl.store(out, tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def padded_where_asked(x, pad=False):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    tile[:, 0 : padded(255, pad)] = nl.load(x[:, 0 : padded(255, pad)])
    tile[:, 255 : padded(256, pad)] = nl.load(x[:, 255 : padded(256, pad)])  # expect-warning: NKI301 not pad  # expect-warning: NKI301 not pad
    nl.store(out, tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def field_of_a_field(x, model=Model()):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if not model.flash.causal:
        nl.store(out[:, 0:255], tile)  # expect-warning: NKI204 model.flash.causal
    else:
        nl.store(out, tile)
    return out  # expect-warning: NKI703 model.flash.causal


# nkilint: x: float32[128, 256], w: float32[256, 256]
@nki.jit
def transposed_weights(x, w, transpose_w=False):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    sums = nl.zeros((128, 256), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(2):
        left = nisa.nc_transpose(nl.load(x[:, nl.ds(128 * k, 128)]))
        rows = nl.load(w[nl.ds(128 * k, 128), :])
        right = nisa.nc_transpose(rows) if transpose_w else rows  # expect-warning: NKI102 not transpose_w
        sums += nisa.nc_matmul(nl.copy(left), right[0:128, 0:256])  # expect-warning: NKI301 not transpose_w
    nl.store(out, nl.copy(sums))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def mask_of_a_bound(x, length=None):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:256]
    if length is None:
        nl.store(out, nl.load(x))
    else:
        nl.store(out[i, j], nl.load(x[i, j], mask=(j < length)), mask=(j < length))
    return out  # expect-warning: NKI703 length is None or length >= 256


# nkilint: x: float32[128, 256]
@nki.jit
def level_of_three(x, level=Level.OFF):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if level == Level.ALL:
        spare = nl.zeros((129, 1), dtype=nl.float32, buffer=nl.sbuf)  # expect-warning: NKI101 level != Level.ALL
        print(spare)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def window_of_a_tuple(x, window=Window()):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if window.left > 0:
        nl.store(out, nl.load(x[:, 1:257]))  # expect-warning: NKI301 window.left != 1
    else:
        nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def accumulated_where_asked(x, total=None):
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for c in nl.sequential_range(2):
        part = nl.sum(nl.load(x[:, nl.ds(128 * c, 128)]), axis=1, keepdims=True)
        if total is not None:
            acc[...] = part  # expect-warning: NKI708 total is None
        else:
            acc[...] = nl.add(acc, part)
    nl.store(out, acc)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def bound_where_asked(x, scaled=True, scale=2.0):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if scaled:
        result = nl.multiply(nl.load(x), scale)
    nl.store(out, result)  # expect-warning: NKI808 scaled
    return out


# --- silent ---


# nkilint: x: float32[128, 256]
@nki.jit
def activation_by_member_well(x, act=Act.GELU):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if act == Act.GELU:
        tile = nl.gelu(tile)
    elif act == Act.SWIGLU:
        tile[:, 0:128] = nl.multiply(nl.silu(tile[:, 0:128]), tile[:, 128:256])
    nl.store(out, tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def norm_by_name_well(x, norm: Literal["rms", "none"] = "rms"):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if norm == "rms":
        tile = nl.multiply(tile, nl.rsqrt(nl.mean(nl.square(tile), axis=1, keepdims=True)))
    elif norm != "none":
        raise ValueError(f"no such norm: {norm}")
    nl.store(out, tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def padded_where_asked_well(x, pad=False):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 257), dtype=x.dtype, buffer=nl.sbuf)
    tile[:, 0:256] = nl.load(x)
    nl.store(out, tile[:, 1:257] if pad else tile[:, 0:256])
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def field_of_a_field_well(x, model=Model()):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    if not model.flash.causal:
        nl.store(out[:, 0:255], tile[:, 0:255])
        nl.store(out[:, 255:256], tile[:, 255:256])
    else:
        nl.store(out, tile)
    return out


# nkilint: x: float32[128, 256], w: float32[256, 256]
@nki.jit
def transposed_weights_well(x, w, transpose_w=False):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    sums = nl.zeros((128, 256), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(2):
        left = nisa.nc_transpose(nl.load(x[:, nl.ds(128 * k, 128)]))
        if transpose_w:
            right = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
            for c in nl.affine_range(2):
                block = nl.load(w[nl.ds(128 * c, 128), nl.ds(128 * k, 128)])
                right[:, nl.ds(128 * c, 128)] = nisa.nc_transpose(block)
            sums += nisa.nc_matmul(nl.copy(left), right)
        else:
            sums += nisa.nc_matmul(nl.copy(left), nl.load(w[nl.ds(128 * k, 128), :]))
    nl.store(out, nl.copy(sums))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def mask_of_a_bound_well(x, length=None):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:256]
    tile = nl.zeros((128, 256), dtype=x.dtype, buffer=nl.sbuf)
    if length is None:
        tile[...] = nl.load(x)
    else:
        tile[i, j] = nl.load(x[i, j], mask=(j < length))
    nl.store(out, tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def level_of_three_well(x, level=Level.OFF):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = 128 // (int(level) + 1)
    spare = nl.zeros((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    print(spare)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def window_of_a_tuple_well(x, window=Window()):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    assert window.left <= 1
    if window.left > 0:
        nl.store(out[:, 0:255], nl.load(x[:, 1:256]))
        nl.store(out[:, 255:256], nl.load(x[:, 0:1]))
    else:
        nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def returned_early_well(x, checked=False):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if checked:
        nl.store(out, nl.exp(nl.load(x)))
        return out
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def bound_where_asked_well(x, scaled=True, scale=2.0):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if scaled:
        result = nl.multiply(nl.load(x), scale)
    else:
        result = nl.load(x)
    nl.store(out, result)
    return out
