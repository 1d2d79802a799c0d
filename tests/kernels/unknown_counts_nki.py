"""Loops that run nobody knows how often, and powers of two that are sizes, strides and counts."""

import os

import nki
import nki.isa as nisa
import nki.language as nl


def result(x):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)


# --- found ---


# nkilint: x: float32[128, 64]
@nki.jit
def repeated_by_a_setting(x, settings):  # expect: NKI003
    out = result(x)
    for _ in range(settings["repeat"]):
        spare = nl.ndarray((129, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
        nisa.memset(dst=spare, value=0.0)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def repeated_until_a_file_ends(x, path):  # expect: NKI003
    out = result(x)
    for line in open(path):
        nisa.dma_copy(dst=out[0:128, 0:64], src=x[0:128, 1:65])  # expect: NKI301
        print(line, nothing)  # expect: NKI808
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def rows_of_a_butterfly(x, depth: int):
    out = result(x)
    for i in range(2**depth):
        nisa.dma_copy(dst=out[i : i + 1, :], src=x[i : i + 1, :])  # expect-warning: NKI301 2**depth <= 128
    return out  # expect-warning: NKI703 2**depth >= 128


# nkilint: x: float32[128, 64]
@nki.jit
def strides_of_a_ladder(x, depth: int):
    out = result(x)
    assert depth <= 6
    for i in range(1 << depth):
        nisa.dma_copy(dst=out[nl.ds(2 * i, 2), :], src=x[nl.ds(2 * i + 1, 2), :])  # expect-warning: NKI301 2**depth <= 63
    return out  # expect: NKI703


# nkilint: x: float32[128, 64]
@nki.jit
def halves_at_a_time(x):
    out = result(x)
    width = 64
    while width > 1:
        width //= 2
        nisa.dma_copy(dst=out[:, nl.ds(width, width)], src=x[:, nl.ds(width, width)])
    return out  # expect: NKI703


# nkilint: x: float32[128, 64]
@nki.jit
def tile_of_a_power(x, depth: int):
    out = result(x)
    spare = nl.ndarray((1 << depth, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 2**depth <= 128
    nisa.memset(dst=spare, value=0.0)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def as_often_as_the_environment_says(x):  # expect: NKI003
    out = result(x)
    for _ in range(int(os.environ["REPEAT"])):
        nisa.tensor_copy(dst=out, src=x)  # expect: NKI201  # expect: NKI201
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def names_of_a_table(x, table):  # expect: NKI003
    out = result(x)
    for name, value in table.items():
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, source=x)  # expect: NKI208
        print(name, value)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def exchange_distance(x, stage: int):
    out = result(x)
    assert 0 <= stage <= 6
    distance = 1 << stage
    nisa.dma_copy(dst=out, src=x)
    nisa.dma_copy(dst=out[0:128, 0:1], src=x[nl.ds(distance, 128), 0:1])  # expect: NKI301
    return out


# --- silent ---


# nkilint: x: float32[128, 64]
@nki.jit
def repeated_by_a_setting_within(x, settings):  # expect: NKI003
    out = result(x)
    for _ in range(settings["repeat"]):
        spare = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=spare, value=0.0)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def all_rows_of_a_butterfly(x, depth: int):
    assert depth == 7
    out = result(x)
    for i in range(2**depth):
        nisa.dma_copy(dst=out[i : i + 1, :], src=x[i : i + 1, :])
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def rows_of_a_power_that_is_asserted(x, depth: int):
    assert 2**depth == x.shape[0]
    out = result(x)
    for i in range(1 << depth):
        nisa.dma_copy(dst=out[i : i + 1, :], src=x[i : i + 1, :])
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def all_halves_at_a_time(x):
    out = result(x)
    width = 64
    while width > 1:
        width //= 2
        nisa.dma_copy(dst=out[:, nl.ds(width, width)], src=x[:, nl.ds(width, width)])
    nisa.dma_copy(dst=out[:, 0:1], src=x[:, 0:1])
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def tile_of_a_small_power(x, depth: int):
    assert 0 <= depth and depth <= 7
    out = result(x)
    spare = nl.ndarray((1 << depth, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=spare, value=0.0)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def steps_of_a_table(x, table):  # expect: NKI003
    out = result(x)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for name, value in table.items():
        nisa.activation(dst=tile, op=nl.exp, data=tile)
        print(name, value)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def distance_inside(x, stage: int):
    assert 0 <= stage <= 6
    out = result(x)
    distance = 1 << stage
    nisa.dma_copy(dst=out, src=x)
    nisa.dma_copy(dst=out[0:64, 0:1], src=x[nl.ds(distance, 64), 0:1])
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def twice_a_power_is_the_next(x, depth: int):
    assert 0 <= depth <= 5
    out = result(x)
    nisa.dma_copy(dst=out, src=x)
    half, whole = 2**depth, 2 ** (depth + 1)
    nisa.dma_copy(dst=out[:, 0:whole], src=x[:, 0 : 2 * half])
    return out


def kept(t):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out


def fetched(x):
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    return t


@nki.jit
def first_iteration_uses_a_name_that_is_not_there(x, limit):  # expect: NKI003
    assert x.shape == (128, 64) and x.dtype == nl.float32
    t = fetched(x)
    while limit > 3:
        nisa.tensor_scalar(dst=t, data=missing_tile, op0=nl.multiply, operand0=0.5)  # expect: NKI808
        limit = limit // 3
    return kept(t)


@nki.jit
def first_iteration_makes_too_large_a_tile(x, limit):  # expect: NKI003
    assert x.shape == (128, 64) and x.dtype == nl.float32
    t = fetched(x)
    rows = 200
    while rows < limit:
        spare = nl.ndarray((rows, 64), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
        rows = rows * 2
    return kept(t)


@nki.jit
def halves_that_may_reach_too_far(x, width):  # expect: NKI003
    assert x.shape == (128, 64) and x.dtype == nl.float32
    t = fetched(x)
    while width > 1:
        half = width // 2
        part = t[:, half : 2 * half]  # expect-warning: NKI301 width <= 65
        nisa.tensor_tensor(dst=t[:, 0:half], data1=t[:, 0:half], data2=part, op=nl.add)
        width = half
    return kept(t)


@nki.jit
def first_iteration_is_right(x, width):  # expect: NKI003
    assert x.shape == (128, 64) and x.dtype == nl.float32 and width <= 64
    t = fetched(x)
    last = None
    while width > 1:
        half = width // 2
        if last != None:
            nisa.tensor_copy(dst=t[:, 0:half], src=last[:, 0:half])
        nisa.tensor_tensor(dst=t[:, 0:half], data1=t[:, 0:half], data2=t[:, half : 2 * half], op=nl.add)
        last, width = t, half
    return kept(t)
