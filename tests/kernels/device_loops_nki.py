"""Loops that the device runs: their steps, their indices, and what their bodies return."""

import nki
import nki.isa as nisa
import nki.language as nl


def copied(x):
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def number_in_a_tile(value):
    tile = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=value)
    return tile


def double(tile):
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)


# nkilint: x: float32[128, 64]
@nki.jit
def index_that_is_loaded(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, one = copied(x), number_in_a_tile(1)
    for i in nl.dynamic_range(8):  # expect: NKI904
        nisa.register_load(i, one)  # expect: NKI205
        double(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def index_by_another_name(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, one = copied(x), number_in_a_tile(1)
    for i in nl.dynamic_range(0, 8, 2):  # expect: NKI904
        same = i
        nisa.register_load(same, one)  # expect: NKI205
        double(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def register_after_the_index(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, one = copied(x), number_in_a_tile(1)
    for i in nl.dynamic_range(8):  # expect: NKI904
        after = i + 1
        nisa.register_load(after, one)
        double(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def index_that_is_moved(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, held = copied(x), nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=held, src=count)
    end = nisa.register_alloc(0)
    nisa.register_load(end, held)

    def body(i):
        nisa.register_move(dst=i, src=end)  # expect: NKI205
        double(tile)

    nl.fori_loop(0, end, body)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def step_in_a_register(x):  # expect: NKI003
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = copied(x)
    step = nisa.register_alloc(2)
    for _ in nl.dynamic_range(0, 8, step):  # expect: NKI904  # expect: NKI205
        double(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def steps_down(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = copied(x)
    for _ in nl.dynamic_range(8, 0, -2):  # expect: NKI904  # expect: NKI205
        double(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def any_step(x, step):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = copied(x)
    for _ in nl.dynamic_range(0, 8, step):  # expect: NKI904  # expect: NKI205 step >= 1
        double(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


def doubled(tile):
    double(tile)
    return tile


# nkilint: x: float32[128, 64]
@nki.jit
def body_with_a_result(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = copied(x)
    nl.fori_loop(0, 4, lambda i: doubled(tile))  # expect: NKI205
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def condition_that_is_forgotten(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, none = copied(x), number_in_a_tile(0)

    def body(more):
        double(tile)
        nisa.register_load(more, none)

    nl.while_loop(nisa.register_alloc(1), body)  # expect: NKI205
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def condition_that_is_loaded(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, none = copied(x), number_in_a_tile(0)

    def body(more):
        double(tile)
        nisa.register_load(more, none)
        return more

    nl.while_loop(nisa.register_alloc(1), body)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def index_that_is_read(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = copied(x)
    last = nisa.register_alloc(0)

    def body(i):
        nisa.register_move(last, i)
        double(tile)

    nl.fori_loop(0, 4, body, step=2)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def any_step_forward(x, step):
    assert step >= 1
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, one = copied(x), number_in_a_tile(1)
    register = nisa.register_alloc(0)
    for _ in nl.dynamic_range(0, 8, step):  # expect: NKI904
        nisa.register_load(register, one)
        double(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def instruction_as_result(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = copied(x)
    nl.fori_loop(0, 4, lambda i: nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0))
    nisa.dma_copy(dst=out, src=tile)
    return out
