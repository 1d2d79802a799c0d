"""Sizes, places and counts that numpy and torch compute on the host."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


# --- found ---


# nkilint: x: float32[128, C]
@nki.jit
def quarters_of_any_width(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    width = x.shape[1] // 4
    for start in np.arange(4) * (x.shape[1] // 4):
        nl.store(out[:, nl.ds(start, width)], value=nl.load(x[:, nl.ds(start, width)]))
    return out  # expect-warning: NKI703 C % 4 == 0


# nkilint: x: float32[128, 256]
@nki.jit
def taps_of_a_window(x):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    for tap in np.arange(-1, 2):
        acc += nl.load(x[0:128, nl.ds(tap + 1, 256)])  # expect: NKI301
    nl.store(out, value=acc)
    return out


# nkilint: x: float32[256, 64]
@nki.jit
def reversed_blocks(x):
    out = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for block, start in enumerate(np.arange(0, 256, 128)[::-1]):
        nl.store(out[nl.ds(128 * block, 128), :], value=nl.load(x[nl.ds(start + 128, 128), :]))  # expect: NKI301
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def mean_of_sizes(x):  # expect: NKI003
    size = np.mean([128, 64])
    tile = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI811
    out = nl.ndarray((128, 96), dtype=x.dtype, buffer=nl.shared_hbm)
    tile[...] = nl.load(x[:, 0:96])
    nl.store(out, value=tile)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def log_of_the_width(x):
    steps = int(math.log2(x.shape[1]))
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for step in range(steps + 1):
        nl.store(out[:, 0:1], value=nl.load(x[:, nl.ds(2**step, 1)]))  # expect: NKI301  # expect: NKI708
    return out  # expect: NKI703


# nkilint: x: float32[300, 64]
@nki.jit
def whole_tiles_only(x):
    out = nl.ndarray((300, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    starts = np.arange(x.shape[0] // 128) * 128
    for start in starts:
        nl.store(out[nl.ds(start, 128), :], value=nl.load(x[nl.ds(start, 128), :]))
    return out  # expect: NKI703


# nkilint: x: float32[128, 512]
@nki.jit
def table_of_shapes(x):
    shapes = np.array([[128, 64], [256, 32]])
    for rows, columns in shapes:
        spare = nl.zeros((rows, columns), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
        print(spare)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def place_looked_up(x):
    places = {"first": 0, "second": 256, "third": 512}
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[:, nl.ds(places["third"], 256)]))  # expect: NKI301
    return out


# nkilint: x: float32[64, 512]
@nki.jit
def padded_to_a_tile(x):
    rows = -(-x.shape[0] // 128) * 128
    out = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[0 : x.shape[0], :], value=nl.load(x))
    return out  # expect: NKI703


# --- silent ---


# nkilint: x: float32[128, C], C % 4 == 0
@nki.jit
def quarters(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    width = x.shape[1] // 4
    for start in np.arange(4) * width:
        nl.store(out[:, nl.ds(start, width)], value=nl.load(x[:, nl.ds(start, width)]))
    return out


# nkilint: x: float32[128, 258]
@nki.jit
def taps_of_a_window_inside(x):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 256), dtype=nl.float32, buffer=nl.sbuf)
    for tap in np.arange(-1, 2):
        acc += nl.load(x[0:128, nl.ds(tap + 1, 256)])
    nl.store(out, value=acc)
    return out


# nkilint: x: float32[256, 64]
@nki.jit
def blocks_from_the_end(x):
    out = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for block, start in enumerate(np.arange(0, 256, 128)[::-1]):
        nl.store(out[nl.ds(128 * block, 128), :], value=nl.load(x[nl.ds(start, 128), :]))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def mean_as_an_integer(x):
    size = int(np.mean([128, 64]))
    out = nl.ndarray((128, size), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[:, 0:size]))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def halves_of_halves(x):  # expect: NKI003
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[:, 0:1], value=nl.load(x[:, 0:1]))
    for step in range(int(math.log2(x.shape[1]))):
        nl.store(out[:, nl.ds(2**step, 2**step)], value=nl.load(x[:, nl.ds(2**step, 2**step)]))
    return out


# nkilint: x: float32[R, 64]
@nki.jit
def all_tiles_with_a_mask(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = nl.mgrid[0:128, 0:64]
    for i in nl.affine_range(int(np.ceil(x.shape[0] / 128))):
        tile = nl.load(x[128 * i + rows, columns], mask=(128 * i + rows < x.shape[0]))
        nl.store(out[128 * i + rows, columns], value=tile, mask=(128 * i + rows < x.shape[0]))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def shapes_that_fit(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    start = 0
    for rows, columns in np.array([[128, 192], [128, 320]]):
        nl.store(out[0:rows, nl.ds(start, columns)], value=nl.load(x[0:rows, nl.ds(start, columns)]))
        start += columns
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def places_of_a_table(x):
    places = {"first": 0, "second": 256}
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for place in places.values():
        nl.store(out[:, nl.ds(place, 256)], value=nl.load(x[:, nl.ds(place, 256)]))
    return out


# nkilint: x: float32[64, 512]
@nki.jit
def padded_with_zeros(x):
    rows = -(-x.shape[0] // 128) * 128
    out = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[0 : x.shape[0], :], value=nl.load(x))
    nl.store(out[x.shape[0] : rows, :], value=nl.zeros((rows - x.shape[0], 512), dtype=x.dtype, buffer=nl.sbuf))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def roots_of_sizes(x):
    side = int(np.sqrt(x.shape[1] * 2))
    out = nl.ndarray((128, side), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[:, 0:side]))
    return out
