"""What only the device knows decides nothing while a kernel is traced: registers, and indices of loops on the device."""

import nki
import nki.isa as nisa
import nki.language as nl


def added(tile, times=1.0):
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=times)


def number_of(count):
    tile = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=count)
    register = nisa.register_alloc(0)
    nisa.register_load(register, tile)
    return register


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def first_iteration_alone(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for i in nl.dynamic_range(3):  # expect: NKI904
        if i == 0:  # expect: NKI801
            added(tile)
        added(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def iteration_of_many(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for i in nl.dynamic_range(1, number_of(count), 2):  # expect: NKI904
        added(tile, 2.0 if i > 4 else 1.0)  # expect: NKI801
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def iteration_of_a_body(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)

    def body(i):
        if i >= 1:  # expect: NKI801
            added(tile)

    nl.fori_loop(0, 4, body)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def unrolled_as_often_as_a_register_says(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for _ in range(number_of(count)):  # expect: NKI801
        added(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def static_as_often_as_a_register_says(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for _ in nl.static_range(number_of(count)):  # expect: NKI801  # expect: NKI904
        added(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def branch_on_a_register(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    times = number_of(count)
    if times > 2:  # expect: NKI801
        added(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def as_often_as_a_register_says(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for _ in nl.dynamic_range(number_of(count)):  # expect: NKI904
        for i in range(3):
            if i == 0:
                added(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[512, 64], count: int32[1, 1]
@nki.jit
def offsets_in_a_register(x, count):  # expect: NKI003
    out = nl.ndarray((512, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.dynamic_range(0, 512, 128):  # expect: NKI904
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x.ap([[64, 128], [1, 64]], scalar_offset=i))
        nisa.dma_copy(dst=out.ap([[64, 128], [1, 64]], scalar_offset=i), src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def a_name_that_is_no_index_any_more(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for i in nl.dynamic_range(3):  # expect: NKI904
        i = 0
        if i == 0:
            added(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def element_of_a_tile(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    held = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=held, src=count)  # expect: NKI210
    if held[0, 0]:  # expect: NKI801
        added(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def slice_of_a_tile(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    added(tile, 2.0 if tile[0:1, 0:1] else 1.0)  # expect: NKI801
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64], count: int32[1, 1]
@nki.jit
def tiles_that_are_there(x, count):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = [nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf), None]
    nisa.dma_copy(dst=tiles[0], src=x)
    for i in range(2):
        if tiles[i]:
            added(tiles[i])
    nisa.dma_copy(dst=out, src=tiles[0])
    return out
