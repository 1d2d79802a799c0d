"""Integers that are masked, shifted, counted and narrowed: what they hold as indices (NKI301) and as numbers (NKI212)."""

import nki
import nki.isa as nisa
import nki.language as nl


def new(shape, dtype=nl.int32, buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=dtype, buffer=buffer)


def result(shape, dtype=nl.float32):
    return new(shape, dtype, nl.shared_hbm)


def hashed(keys, bits):
    """The upper bits of a 16-bit key."""
    slots = new(keys.shape)
    nisa.tensor_scalar(dst=slots, data=keys, op0=nl.bitwise_and, operand0=0xFFFF, op1=nl.right_shift, operand1=16 - bits)
    return slots


# --- found ---


# nkilint: table: float32[256, 64], keys: int32[128, 1]
@nki.jit
def more_slots_than_rows(table, keys):
    out = result((128, 64))
    held = new((128, 1))
    nisa.dma_copy(dst=held, src=keys)
    nisa.dma_copy(dst=out, src=table.vector_select(0, hashed(held, 9)))  # expect-warning: NKI301 slots[...] <= 255
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def positions_into_bytes(x):
    out = result((128, 512))
    places = new((128, 512), nl.int8)
    nisa.iota(places, [[1, 512]])  # expect: NKI212
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def scaled_into_bytes(x):
    out = result((128, 512))
    places, small = new((128, 64)), new((128, 64), nl.uint8)
    nisa.iota(places, [[1, 64]])
    nisa.tensor_scalar(dst=small, data=places, op0=nl.multiply, operand0=4, op1=nl.add, operand1=4)  # expect: NKI212
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def constant_beyond_16_bits(x):
    out = result((128, 512))
    limit = new((128, 1), nl.int16)
    nisa.memset(dst=limit, value=40000)  # expect: NKI212
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: table: float32[512, 64]
@nki.jit
def channel_times_stride(table):
    out = result((128, 64))
    rows = new((128, 1))
    nisa.iota(rows, [[1, 1]], 0, 1)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.left_shift, operand0=2)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect-warning: NKI708
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.add, operand0=4)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect: NKI301
    return out


# nkilint: table: float32[64, 64], sums: int32[64, 1]
@nki.jit
def difference_that_may_be_negative(table, sums):
    out = result((64, 64))
    low, high, rows = new((64, 1)), new((64, 1)), new((64, 1))
    nisa.iota(low, [[1, 1]], 0, 1)
    nisa.iota(high, [[1, 1]], 1, 0)
    nisa.tensor_tensor(dst=rows, data1=low, data2=high, op=nl.subtract)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect: NKI301
    return out


# nkilint: table: float32[R, 64], R >= 8, R <= 512
@nki.jit
def rows_of_a_table_of_some_size(table):
    out = result((128, 64))
    rows = new((128, 1))
    nisa.iota(rows, [[1, 1]], 0, 2)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect-warning: NKI301 R >= 255
    return out


# nkilint: x: float32[128, N], N <= 2048
@nki.jit
def columns_counted_in_16_bits(x):
    out = result(x.shape)
    places = new(x.shape, nl.uint16)
    nisa.iota(places, [[64, x.shape[1]]])  # expect-warning: NKI212 N <= 1024
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: table: float32[16, 64]
@nki.jit
def negated(table):
    out = result((16, 64))
    rows = new((16, 1))
    nisa.iota(rows, [[1, 1]], 0, 1)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.multiply, operand0=-1)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect: NKI301
    return out


# nkilint: table: float32[96, 64], keys: int32[128, 1]
@nki.jit
def clipped_one_too_late(table, keys):
    out = result((128, 64))
    rows = new((128, 1))
    nisa.dma_copy(dst=rows, src=keys)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.maximum, operand0=0, op1=nl.minimum, operand1=96)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect-warning: NKI301 rows[...] <= 95
    return out


# nkilint: table: float32[96, 64], keys: int32[128, 1]
@nki.jit
def moved_after_clipping(table, keys):
    out = result((128, 64))
    rows = new((128, 1))
    nisa.dma_copy(dst=rows, src=keys)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.maximum, operand0=0, op1=nl.minimum, operand1=95)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.add, operand0=1)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect-warning: NKI301 rows[...] <= 95
    return out


# --- silent ---


# nkilint: table: float32[256, 64], keys: int32[128, 1]
@nki.jit
def as_many_slots_as_rows(table, keys):
    out = result((128, 64))
    held = new((128, 1))
    nisa.dma_copy(dst=held, src=keys)
    nisa.dma_copy(dst=out, src=table.vector_select(0, hashed(held, 8)))
    return out


# nkilint: table: float32[320, 64], tokens: uint8[128, 1]
@nki.jit
def bytes_moved_up_within(table, tokens):
    out = result((128, 64))
    held, wide = new((128, 1), nl.uint8), new((128, 1))
    nisa.dma_copy(dst=held, src=tokens)
    nisa.tensor_scalar(dst=wide, data=held, op0=nl.add, operand0=64)
    nisa.dma_copy(dst=out, src=table.vector_select(0, wide))
    return out


# nkilint: table: float32[128, 64], tokens: int8[128, 1]
@nki.jit
def bytes_without_their_sign(table, tokens):
    out = result((128, 64))
    held, rows = new((128, 1), nl.int8), new((128, 1))
    nisa.dma_copy(dst=held, src=tokens)
    nisa.tensor_scalar(dst=rows, data=held, op0=nl.bitwise_and, operand0=127)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def positions_into_16_bits(x):
    out = result((128, 512))
    places = new((128, 512), nl.int16)
    nisa.iota(places, [[1, 512]])
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def scaled_into_bytes_that_hold_it(x):
    out = result((128, 512))
    places, small = new((128, 64)), new((128, 64), nl.uint8)
    nisa.iota(places, [[1, 64]])
    nisa.tensor_scalar(dst=small, data=places, op0=nl.multiply, operand0=4, op1=nl.add, operand1=3)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def constant_of_16_bits_without_a_sign(x):
    out = result((128, 512))
    limit = new((128, 1), nl.uint16)
    nisa.memset(dst=limit, value=40000)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: table: float32[512, 64]
@nki.jit
def channel_with_lower_bits(table):
    out = result((128, 64))
    rows = new((128, 1))
    nisa.iota(rows, [[1, 1]], 0, 1)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.left_shift, operand0=2, op1=nl.bitwise_or, operand1=3)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))
    return out


# nkilint: table: float32[64, 64]
@nki.jit
def difference_from_the_last(table):
    out = result((64, 64))
    low, high, rows = new((64, 1)), new((64, 1)), new((64, 1))
    nisa.iota(low, [[1, 1]], 0, 1)
    nisa.iota(high, [[1, 1]], 63, 0)
    nisa.tensor_tensor(dst=rows, data1=high, data2=low, op=nl.subtract)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))
    return out


# nkilint: table: float32[R, 64], R >= 255
@nki.jit
def rows_of_a_table_that_has_them(table):
    out = result((128, 64))
    rows = new((128, 1))
    nisa.iota(rows, [[1, 1]], 0, 2)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))
    return out


# nkilint: table: float32[100, 64], keys: int32[128, 1]
@nki.jit
def remainders(table, keys):
    out = result((128, 64))
    held = new((128, 1))
    nisa.dma_copy(dst=held, src=keys)
    nisa.tensor_scalar(dst=held, data=held, op0=nl.bitwise_and, operand0=127)
    nisa.tensor_scalar(dst=held, data=held, op0=nl.minimum, operand0=99)
    nisa.dma_copy(dst=out, src=table.vector_select(0, held))
    return out


# nkilint: table: float32[16, 64]
@nki.jit
def negated_and_moved(table):
    out = result((16, 64))
    rows = new((16, 1))
    nisa.iota(rows, [[1, 1]], 0, 1)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.multiply, operand0=-1, op1=nl.add, operand1=15)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))
    return out


# nkilint: table: float32[300, 64], tokens: uint8[128, 1]
@nki.jit
def bytes_moved_up_that_the_caller_keeps_small(table, tokens):
    out = result((128, 64))
    held, wide = new((128, 1), nl.uint8), new((128, 1))
    nisa.dma_copy(dst=held, src=tokens)
    nisa.tensor_scalar(dst=wide, data=held, op0=nl.add, operand0=64)
    nisa.dma_copy(dst=out, src=table.vector_select(0, wide))
    return out


# nkilint: table: float32[128, 64], tokens: int8[128, 1]
@nki.jit
def signed_bytes_that_the_caller_keeps_positive(table, tokens):
    out = result((128, 64))
    held = new((128, 1), nl.int8)
    nisa.dma_copy(dst=held, src=tokens)
    nisa.dma_copy(dst=out, src=table.vector_select(0, held))
    return out


# nkilint: table: float32[96, 64], keys: int32[128, 1]
@nki.jit
def clipped_in_time(table, keys):
    out = result((128, 64))
    rows = new((128, 1))
    nisa.dma_copy(dst=rows, src=keys)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.maximum, operand0=0, op1=nl.minimum, operand1=95)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))
    return out
