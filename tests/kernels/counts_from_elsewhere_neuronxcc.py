"""Loops that other modules, files and objects count, ladders of powers of two, and what is wrong inside of them."""

import json
import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
from scheduling import plan_of, tiles_of


class Schedule:
    """What is done in turn, as a file lists it."""

    def __init__(self, path):
        with open(path) as file:
            self.steps = json.load(file)


def steps_of(plan):
    for step in plan.steps:
        if step.active:
            yield step


def halved(tile, width, least):
    """Sums of the first columns, until `least` are left."""
    if width <= least:
        return tile
    half = width // 2
    return halved(nl.add(tile[:, 0:half], tile[:, half + 1 : half + half + 1]), half, least)  # expect: NKI301


# --- found ---


# nkilint: x: float32[128, 512]
@nki.jit
def taken_from_a_queue(x, queue):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for job in queue.drain():
        nl.store(out[:, 0:256], nl.load(x[:, 0:512]))  # expect: NKI204
        print(job)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def zipped_with_a_count(x):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for tile, i in zip(tiles_of(x.shape), range(4)):
        wide = nl.load(x[:, 385:513])  # expect: NKI301
        nl.store(out[:, 0:128], nl.multiply(wide, 2.0))
        print(tile, i)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def steps_of_a_file(x, path):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for step in Schedule(path).steps:
        tall = nl.ndarray((nl.tile_size.pmax * 2, 512), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
        print(step, tall)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def active_steps_of_a_plan(x, name):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    for step in steps_of(plan_of(name)):
        tile = nisa.activation(op=nl.exp, data=tile, scale=factr)  # expect: NKI808
        print(step)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def parts_of_a_table(x, table):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    parts = []
    for _ in table.values():
        parts.append(nl.load(x[0:256, 0:128]))  # expect: NKI301  # expect: NKI101
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def pages_of_blocks(x, table):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for block in table.blocks():
        for page in block.pages:
            nl.store(x[:, 0:1], nl.load(x[:, 1:2]))  # expect: NKI207
            print(page)
    nl.store(out, nl.load(x))
    return out


@nki.jit
def halves_in_a_helper(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, halved(nl.load(x), 512, 64))
    return out


@nki.jit
def distances_of_a_ladder(x, stages):
    n = 1 << stages
    assert x.shape == (128, n)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    for s in nl.static_range(stages):
        d = 1 << s
        nl.store(out[:, d : d + n], nl.load(x[:, 0:n]))  # expect: NKI301
    return out


@nki.jit
def rows_by_the_power_of_a_program(x, depth):
    assert x.shape == (1 << depth, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    here = nl.program_id(0)
    assert nl.num_programs(0) == 1 << depth
    nl.store(out[here, 0:64], nl.load(x[here + 1, 0:64]))  # expect: NKI301
    return out


@nki.jit
def partitions_of_a_power(x, depth):
    assert 8 <= depth
    rows = 2**depth
    assert x.shape == (rows, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(rows)[:, None]
    j = nl.arange(64)[None, :]
    nl.store(out[i, j], nl.load(x[i, j]))  # expect: NKI101
    return out


@nki.jit
def last_level_left_out(x, depth):
    assert depth >= 1
    assert x.shape == (128, 2**depth)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    half = 2 ** (depth - 1)
    for i in nl.affine_range(half):
        nl.store(out[:, i : i + 1], nl.load(x[:, i : i + 1]))
    return out  # expect: NKI703


# --- silent ---


def halved_well(tile, width, least):
    if width <= least:
        return tile
    half = width // 2
    return halved_well(nl.add(tile[:, 0:half], tile[:, half:width]), half, least)


# nkilint: x: float32[128, 512]
@nki.jit
def taken_from_a_queue_well(x, queue):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    while queue:
        queue.pop()
        nl.store(out[:, 0:256], nl.load(x[:, 256:512]))
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def zipped_with_a_count_well(x):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for tile, i in zip(tiles_of(x.shape), range(4)):
        nl.store(out[:, 128 * i : 128 * i + 128], nl.load(x[:, 128 * i : 128 * i + 128]))
        print(tile)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def steps_of_a_file_well(x, path):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for step in Schedule(path).steps:
        tall = nl.ndarray((nl.tile_size.pmax, 512), dtype=x.dtype, buffer=nl.sbuf)
        print(step, tall)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def active_steps_of_a_plan_well(x, name):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    for step in steps_of(plan_of(name)):
        tile = nisa.activation(op=nl.exp, data=tile, scale=0.5)
        print(step)
    nl.store(out, tile)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def parts_in_a_comprehension_well(x, table):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    parts = [nl.load(x[0:128, 0:128]) for _ in table.values()]
    for i, part in enumerate(parts):
        nl.store(out[:, 0:128], part)
        print(i)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def until_something_is_there_well(x, table):  # expect: NKI003
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(100):
        if table.get(i):
            break
        nl.store(out[:, i : i + 1], nl.load(x[:, i : i + 1]))
    nl.store(out, nl.load(x))
    return out


@nki.jit
def halves_in_a_helper_well(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, halved_well(nl.load(x), 512, 64))
    return out


@nki.jit
def distances_of_a_ladder_well(x, stages):
    n = 1 << stages
    assert x.shape == (128, n)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x))
    for s in nl.static_range(stages):
        d = 1 << s
        nl.store(out[:, d:n], nl.load(x[:, 0 : n - d]))
    return out


@nki.jit
def rows_by_the_power_of_a_program_well(x, depth):
    assert x.shape == (1 << depth, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    here = nl.program_id(0)
    assert nl.num_programs(0) == 1 << depth
    nl.store(out[here, 0:64], nl.load(x[here, 0:64]))
    return out


@nki.jit
def partitions_of_a_power_well(x, depth):
    assert depth < 8
    rows = 2**depth
    assert x.shape == (rows, 64)
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(rows)[:, None]
    j = nl.arange(64)[None, :]
    nl.store(out[i, j], nl.load(x[i, j]))
    return out


@nki.jit
def both_levels(x, depth):
    assert x.shape == (128, 2 ** (depth + 1))
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    half = 2**depth
    for i in nl.affine_range(half):
        nl.store(out[:, i : i + 1], nl.load(x[:, i : i + 1]))
        nl.store(out[:, half + i : half + i + 1], nl.load(x[:, half + i : half + i + 1]))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def stages_by_a_logarithm(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    stages = int(math.log2(x.shape[1]))
    for s in range(stages):
        d = 1 << s
        tile[:, 0 : 512 - d] = nl.add(tile[:, 0 : 512 - d], tile[:, d:512])
    nl.store(out, tile)
    return out
