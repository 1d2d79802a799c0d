"""Caches that are read and written where tables, counters and registers say (NKI301, NKI306)."""

import nki
import nki.isa as nisa
import nki.language as nl

BLOCK = 128


def on_chip(source, shape, dtype=nl.int32):
    tile = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def scalar(value):
    tile = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=value)
    return tile


class Pager:
    """Hands out the blocks of a cache, one after the other."""

    def __init__(self, cache, first):
        self.cache = cache
        self.at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.memset(dst=self.at, value=first)

    def advance(self, count):
        nisa.tensor_scalar(dst=self.at, data=self.at, op0=nl.add, operand0=count)

    def copy_block(self, dst):
        nisa.dma_copy(dst=dst, src=self.cache.select(0, self.at))  # expect: NKI301


class Ring:
    """Hands out the blocks of a cache by the remainder of a counter."""

    def __init__(self, cache, blocks):
        self.cache, self.blocks = cache, blocks
        self.at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.memset(dst=self.at, value=0)

    def advance(self):
        nisa.tensor_scalar(dst=self.at, data=self.at, op0=nl.add, operand0=1)
        nisa.tensor_scalar(dst=self.at, data=self.at, op0=nl.bitwise_and, operand0=self.blocks - 1)

    def block(self):
        return self.cache.select(0, self.at)


# --- found ---


# nkilint: weights: bfloat16[128, 128], row: int32[1, 1]
@nki.jit
def columns_past_the_last_row(weights, row):
    out = nl.ndarray((128, 64), dtype=weights.dtype, buffer=nl.shared_hbm)
    at = on_chip(row, (1, 1))
    nisa.dma_copy(
        dst=out,
        src=weights.ap(pattern=[[128, 128], [1, 64]], offset=96, scalar_offset=at, indirect_dim=0),  # expect: NKI301
    )
    return out


# nkilint: tokens: bfloat16[4, 128], cache: bfloat16[2048, 128], position: int32[1, 1]
@nki.jit
def appended_past_the_end(tokens, cache, position):
    at = on_chip(position, (1, 1))
    new = on_chip(tokens, (4, 128), tokens.dtype)
    out = nl.ndarray((2048, 128), dtype=cache.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=cache)
    nisa.dma_copy(
        dst=out.ap(pattern=[[128, 4], [1, 128]], offset=2045 * 128, scalar_offset=at),  # expect: NKI301
        src=new,
    )
    return out


# nkilint: x: float32[256, 64]
@nki.jit
def offsets_shifted_by_a_tile(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 128, 2)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[64, 128], [1, 64]], vector_offset=rows))  # expect: NKI301
    return out


# nkilint: x: float32[8, 128, 64]
@nki.jit
def pager_that_goes_on(x):
    out = nl.ndarray((2, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    pager = Pager(x, 6)
    pager.copy_block(out[0])
    pager.advance(2)
    pager.copy_block(out[1])
    return out


# nkilint: x: float32[R, 256], row: int32[1, 1]
@nki.jit
def tile_of_some_rows(x, row):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    at = on_chip(row, (1, 1))
    nisa.dma_copy(
        dst=out,
        src=x.ap(pattern=[[256, 64], [1, 256]], offset=32 * 256, scalar_offset=at),  # expect-warning: NKI301 R >= 96
    )
    return out


# nkilint: x: float32[4, 128, 256]
@nki.jit
def row_before_the_first(x):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    at = scalar(3)
    nisa.tensor_scalar(dst=at, data=at, op0=nl.subtract, operand0=4)
    nisa.dma_copy(dst=out, src=x.select(0, at))  # expect: NKI301
    return out


# nkilint: x: float32[4, 128, 256]
@nki.jit
def loop_of_the_device_past_the_batch(x):
    out = nl.ndarray((5, 128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.dynamic_range(5):  # expect: NKI904
        nisa.dma_copy(dst=out.select(0, i), src=x.select(0, i))  # expect: NKI301
    return out


# nkilint: x: float32[2, 4, 128, 64], head: int32[1, 1]
@nki.jit
def slice_before_the_dynamic_head(x, head):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    at = on_chip(head, (1, 1))
    nisa.tensor_scalar(dst=at, data=at, op0=nl.bitwise_and, operand0=3)
    nisa.tensor_scalar(dst=at, data=at, op0=nl.add, operand0=1)
    nisa.dma_copy(dst=out, src=x[1].select(0, at))  # expect-warning: NKI301 tile[...] <= 3
    return out


# nkilint: cache: bfloat16[64, 128, 128], table: int32[1, 1]
@nki.jit
def block_number_cut_off_too_late(cache, table):
    out = nl.ndarray((BLOCK, 128), dtype=cache.dtype, buffer=nl.shared_hbm)
    number = on_chip(table, (1, 1))
    nisa.tensor_scalar(dst=number, data=number, op0=nl.bitwise_and, operand0=127)
    nisa.dma_copy(dst=out, src=cache.select(0, number))  # expect-warning: NKI301 tile[...] <= 63
    return out


# nkilint: x: float32[2048, 64], row: int32[1, 1]
@nki.jit
def tile_of_a_row_that_is_clipped(x, row):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    at = on_chip(row, (1, 1))
    nisa.tensor_scalar(dst=at, data=at, op0=nl.maximum, operand0=0, op1=nl.minimum, operand1=2047)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[64, 128], [1, 64]], scalar_offset=at))  # expect-warning: NKI301 tile[...] <= 1920
    return out


# --- silent ---


# nkilint: cache: bfloat16[64, 128, 128], table: int32[1, 16]
@nki.jit
def block_numbers_cut_off_in_time(cache, table):
    out = nl.ndarray((16, BLOCK, 128), dtype=cache.dtype, buffer=nl.shared_hbm)
    numbers = on_chip(table, (1, 16))
    nisa.tensor_scalar(dst=numbers, data=numbers, op0=nl.bitwise_and, operand0=63)
    for i in range(16):
        nisa.dma_copy(dst=out[i], src=cache.select(0, numbers[0:1, i : i + 1]))
    return out


# nkilint: weights: bfloat16[256, 128], row: int32[1, 1]
@nki.jit
def half_of_the_columns(weights, row):
    out = nl.ndarray((128, 64), dtype=weights.dtype, buffer=nl.shared_hbm)
    at = on_chip(row, (1, 1))
    nisa.dma_copy(
        dst=out,
        src=weights.ap(pattern=[[128, 128], [1, 64]], offset=64, scalar_offset=at, indirect_dim=0),
    )
    return out


# nkilint: tokens: bfloat16[4, 128], cache: bfloat16[2048, 128], position: int32[1, 1]
@nki.jit
def appended_where_the_caller_says(tokens, cache, position):
    at = on_chip(position, (1, 1))
    new = on_chip(tokens, (4, 128), tokens.dtype)
    out = nl.ndarray((2048, 128), dtype=cache.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=cache)
    nisa.dma_copy(dst=out.ap(pattern=[[128, 4], [1, 128]], scalar_offset=at), src=new)
    return out


# nkilint: x: float32[256, 64]
@nki.jit
def odd_rows(x):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 1, 2)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[64, 128], [1, 64]], vector_offset=rows))
    return out


# nkilint: x: float32[8, 128, 256]
@nki.jit
def every_second_batch(x):
    out = nl.ndarray((4, 128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    at = scalar(0)
    for step in range(4):
        nisa.dma_copy(dst=out[step], src=x.select(0, at))
        nisa.tensor_scalar(dst=at, data=at, op0=nl.add, operand0=2)
    return out


# nkilint: x: float32[4, 128, 64]
@nki.jit
def ring_of_blocks(x):
    out = nl.ndarray((9, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    ring = Ring(x, 4)
    for i in range(9):
        nisa.dma_copy(dst=out[i], src=ring.block())
        ring.advance()
    return out


# nkilint: x: float32[R, 256], row: int32[1, 1], R >= 96
@nki.jit
def tile_of_enough_rows(x, row):
    out = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    at = on_chip(row, (1, 1))
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[256, 64], [1, 256]], offset=32 * 256, scalar_offset=at))
    return out


# nkilint: x: float32[4, 128, 256], batch: int32[1, 1]
@nki.jit
def no_batch_beyond_the_last(x, batch):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    at = on_chip(batch, (1, 1))
    nisa.tensor_scalar(dst=at, data=at, op0=nl.maximum, operand0=0, op1=nl.minimum, operand1=3)
    nisa.dma_copy(dst=out, src=x.select(0, at))
    return out


# nkilint: x: float32[4, 128, 256]
@nki.jit
def loop_of_the_device(x):
    out = nl.ndarray((4, 128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.dynamic_range(4):  # expect: NKI904
        nisa.dma_copy(dst=out.select(0, i), src=x.select(0, i))
    return out


# nkilint: x: float32[2, 4, 128, 64], head: int32[1, 1]
@nki.jit
def dynamic_head_of_a_slice(x, head):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    at = on_chip(head, (1, 1))
    nisa.tensor_scalar(dst=at, data=at, op0=nl.bitwise_and, operand0=3)
    nisa.dma_copy(dst=out, src=x[1].select(0, at))
    return out


# nkilint: x: float32[2048, 64], row: int32[1, 1]
@nki.jit
def tile_of_a_row_that_leaves_a_tile(x, row):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    at = on_chip(row, (1, 1))
    nisa.tensor_scalar(dst=at, data=at, op0=nl.maximum, operand0=0, op1=nl.minimum, operand1=2048 - 128)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[64, 128], [1, 64]], scalar_offset=at))
    return out
