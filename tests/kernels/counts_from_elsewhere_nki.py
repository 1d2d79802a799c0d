"""Loops that other modules, files and objects count, ladders of powers of two, and what is wrong inside of them."""

import json
from pathlib import Path

import nki
import nki.isa as nisa
import nki.language as nl
from scheduling import plan_of, tiles_of


def made(rows, columns, dtype=nl.float32):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=nl.sbuf)  # expect: NKI101


def result(x):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)


def copied(out, x):
    nisa.dma_copy(dst=out, src=x)
    return out


def steps_of(path):
    return json.loads(Path(path).read_text())["steps"]


class Job:
    def __init__(self, tile, scale):
        self.tile, self.scale = tile, scale

    def run(self):
        nisa.tensor_scalar(dst=self.tile, data=self.tile, op0=nl.multiply, operand0=self.scale, axis=0)  # expect: NKI208


def folded(tile, width):
    """Sums in halves, by recursion."""
    half = width // 2
    if half == 0:
        return tile
    nisa.tensor_tensor(dst=tile[:, 0:half], data1=tile[:, 0:half], data2=tile[:, width - half + 1 : width + 1], op=nl.add)  # expect: NKI301
    return folded(tile, half)


# --- found ---


# nkilint: x: float32[128, 512]
@nki.jit
def steps_of_a_file(x, path):  # expect: NKI003
    tile = made(128, 512)
    nisa.dma_copy(dst=tile, src=x)
    for step in steps_of(path):
        nisa.activation(dst=tile, op=nl.exp, data=tile[:, 0:511])  # expect: NKI204
        print(step)
    return copied(result(x), tile)


# nkilint: x: float32[128, 512]
@nki.jit
def tiles_of_another_module(x):  # expect: NKI003
    for i, tile in enumerate(tiles_of(x.shape)):
        sums = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.psum)
        left = made(128, 128, nl.bfloat16)
        nisa.memset(dst=left, value=0.0)
        nisa.nc_matmul(dst=sums, stationary=left, moving=made(128, 1024, nl.bfloat16))  # expect: NKI103
        print(i, tile)
    return copied(result(x), x)


# nkilint: x: float32[128, 512]
@nki.jit
def jobs_of_a_plan(x, name):  # expect: NKI003
    tile = made(128, 512)
    nisa.dma_copy(dst=tile, src=x)
    for scale in plan_of(name).scales:
        Job(tile, 2.0).run()
        print(scale)
    return copied(result(x), tile)


# nkilint: x: float32[128, 512]
@nki.jit
def pages_within_blocks(x, table):  # expect: NKI003
    out = copied(result(x), x)
    for block in table.blocks():
        for page in range(block.count):
            nisa.dma_copy(dst=out[page, 0:512], src=x[128, 0:512])  # expect: NKI301
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def as_many_as_a_tuple_has(x, parts: tuple):
    out = copied(result(x), x)
    for _ in range(len(parts)):
        nisa.dma_copy(dst=out[:, 0:128], src=x[:, 0:129])  # expect: NKI204
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def name_in_a_loop_over_a_plan(x, name):  # expect: NKI003
    out = copied(result(x), x)
    for step in plan_of(name):
        if step.active:
            nisa.dma_copy(dst=out[:, 0:width], src=x[:, 0:128])  # expect: NKI808
    return out


@nki.jit
def folded_by_recursion(x):
    assert x.shape == (128, 512)
    tile = made(128, 512, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    return copied(result(x), folded(tile, 512))


@nki.jit
def partners_of_a_stage(x, stages):
    n = 2**stages
    assert x.shape == (128, n) and stages >= 1
    tile = made(128, n, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    for s in range(stages):
        stride = 1 << s
        nisa.tensor_copy(dst=tile[:, n - stride : n], src=tile[:, n - stride + 1 : n + 1])  # expect: NKI301
    return copied(result(x), tile)


@nki.jit
def half_of_a_ladder(x, stages):
    assert stages >= 2
    n = 1 << stages
    assert x.shape == (n, 64)
    out = result(x)
    for i in range(1 << (stages - 1)):
        nisa.dma_copy(dst=out[i : i + 1, :], src=x[i : i + 1, :])
    return out  # expect: NKI703


@nki.jit
def programs_of_a_power(x, depth):
    assert x.shape == (128 << depth, 64)
    out = result(x)
    count, here = nl.num_programs(0), nl.program_id(0)
    assert count == 1 << depth
    nisa.dma_copy(dst=out[nl.ds(here * 128, 128), :], src=x[nl.ds(here * 128 + 1, 128), :])  # expect: NKI301
    return out


@nki.jit
def tile_of_a_power_of_blocks(x, depth):
    assert depth >= 2 and x.shape == (128, 64)
    spare = made(64 << depth, 4)
    nisa.memset(dst=spare, value=0.0)
    return copied(result(x), x)


# --- silent ---


def folded_well(tile, width):
    half = width // 2
    if half == 0:
        return tile
    nisa.tensor_tensor(dst=tile[:, 0:half], data1=tile[:, 0:half], data2=tile[:, width - half : width], op=nl.add)
    return folded_well(tile, half)


class GoodJob(Job):
    def run(self):
        nisa.tensor_scalar(dst=self.tile, data=self.tile, op0=nl.multiply, operand0=self.scale)


# nkilint: x: float32[128, 512]
@nki.jit
def steps_of_a_file_well(x, path):  # expect: NKI003
    tile = made(128, 512)
    nisa.dma_copy(dst=tile, src=x)
    for step in steps_of(path):
        nisa.activation(dst=tile, op=nl.exp, data=tile)
        print(step)
    return copied(result(x), tile)


# nkilint: x: float32[128, 512]
@nki.jit
def tiles_of_another_module_well(x):  # expect: NKI003
    for i, tile in enumerate(tiles_of(x.shape)):
        sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
        left, right = made(128, 128, nl.bfloat16), made(128, 512, nl.bfloat16)
        nisa.memset(dst=left, value=0.0)
        nisa.memset(dst=right, value=0.0)
        nisa.nc_matmul(dst=sums, stationary=left, moving=right)
        print(i, tile)
    return copied(result(x), x)


# nkilint: x: float32[128, 512]
@nki.jit
def jobs_of_a_plan_well(x, name):  # expect: NKI003
    tile = made(128, 512)
    nisa.dma_copy(dst=tile, src=x)
    for scale in plan_of(name).scales:
        GoodJob(tile, 2.0).run()
        print(scale)
    return copied(result(x), tile)


# nkilint: x: float32[128, 512]
@nki.jit
def pages_within_blocks_well(x, table):  # expect: NKI003
    out = copied(result(x), x)
    for block in table.blocks():
        for page in range(block.count):
            nisa.dma_copy(dst=out[page, 0:512], src=x[127, 0:512])
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def as_many_as_a_tuple_has_well(x, parts: tuple):
    out = copied(result(x), x)
    for _ in range(len(parts)):
        nisa.dma_copy(dst=out[:, 0:128], src=x[:, 128:256])
    return out


@nki.jit
def folded_by_recursion_well(x):
    assert x.shape == (128, 512)
    tile = made(128, 512, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    return copied(result(x), folded_well(tile, 512))


@nki.jit
def partners_of_a_stage_well(x, stages):
    n = 2**stages
    assert x.shape == (128, n) and stages >= 1
    tile = made(128, n, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    for s in range(stages):
        stride = 1 << s
        nisa.tensor_copy(dst=tile[:, n - stride : n], src=tile[:, 0:stride])
    return copied(result(x), tile)


@nki.jit
def whole_of_a_ladder(x, stages):
    n = 1 << stages
    assert x.shape == (n, 64)
    out = result(x)
    for i in range(1 << stages):
        nisa.dma_copy(dst=out[i : i + 1, :], src=x[i : i + 1, :])
    return out


@nki.jit
def programs_of_a_power_well(x, depth):
    assert x.shape == (128 << depth, 64)
    out = result(x)
    count, here = nl.num_programs(0), nl.program_id(0)
    assert count == 1 << depth
    nisa.dma_copy(dst=out[nl.ds(here * 128, 128), :], src=x[nl.ds(here * 128, 128), :])
    return out


@nki.jit
def tile_of_a_small_power_of_blocks(x, depth):
    assert depth <= 1 and x.shape == (128, 64)
    spare = made(64 << depth, 4)
    nisa.memset(dst=spare, value=0.0)
    return copied(result(x), x)
