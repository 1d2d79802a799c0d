"""Integers that are masked, shifted, counted and narrowed: what they hold as indices (NKI301) and as numbers (NKI212)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


def gathered(table, rows, columns=64):
    return nl.load(table[rows, nl.arange(columns)[None, :]])


# --- found ---


# nkilint: table: float32[256, 64], keys: int32[128, 1]
@nki.jit
def more_slots_than_rows(table, keys):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    slots = nl.bitwise_and(nl.load(keys), 511)
    nl.store(out, value=nl.load(table[slots, nl.arange(64)[None, :]]))  # expect-warning: NKI301 slots[...] <= 255
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def positions_into_bytes(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    places = nisa.iota(nl.arange(512)[None, :], dtype=nl.int8)  # expect: NKI212
    nl.store(out, value=nl.add(nl.load(x), places.broadcast_to((128, 512))))
    return out


# nkilint: table: float32[128, 64]
@nki.jit
def counted_from_one(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nisa.iota(nl.arange(128)[:, None] + 1, dtype=nl.int32)
    nl.store(out, value=nl.load(table[rows, nl.arange(64)[None, :]]))  # expect: NKI301
    return out


# nkilint: table: float32[128, 64]
@nki.jit
def doubled(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nisa.tensor_scalar(nisa.iota(nl.arange(128)[:, None], dtype=nl.int32), nl.multiply, 2)
    nl.store(out, value=nl.load(table[rows, nl.arange(64)[None, :]]))  # expect: NKI301
    return out


# nkilint: table: float32[64, 64]
@nki.jit
def below_zero(table):
    out = nl.ndarray((64, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nisa.iota(nl.arange(64)[:, None], dtype=nl.int32)
    before = nisa.tensor_scalar(rows, nl.subtract, 1)
    nl.store(out, value=nl.load(table[before, nl.arange(64)[None, :]]))  # expect: NKI301
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def constant_beyond_bytes(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    pad = nisa.memset((128, 1), 256, nl.uint8)  # expect: NKI212
    nl.store(out, value=nl.add(nl.load(x), pad))
    return out


# nkilint: table: float32[512, 64]
@nki.jit
def shifted_and_moved(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.left_shift(nisa.iota(nl.arange(128)[:, None], dtype=nl.int32), 2)
    nl.store(out, value=nl.load(table[nl.add(rows, 8), nl.arange(64)[None, :]]))  # expect: NKI301
    return out


# nkilint: table: float32[R, 64], R >= 8
@nki.jit
def table_of_some_size(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nisa.iota(2 * nl.arange(128)[:, None], dtype=nl.int32)
    nl.store(out, value=nl.load(table[rows, nl.arange(64)[None, :]]))  # expect-warning: NKI301 R >= 255
    return out


# nkilint: x: float32[128, 64], keys: int32[128, 1]
@nki.jit
def scattered_too_far(x, keys):
    out = nl.ndarray((256, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(2):
        nl.store(out[nl.ds(128 * i, 128), :], value=nl.load(x))
    slots = nl.bitwise_and(nl.load(keys), 0x1FF)
    nl.store(out[slots, nl.arange(64)[None, :]], value=nl.load(x))  # expect-warning: NKI301 slots[...] <= 255
    return out


# nkilint: table: float32[96, 64], keys: int32[128, 1]
@nki.jit
def clipped_one_too_late(table, keys):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.minimum(nl.maximum(nl.load(keys), 0), 96)
    nl.store(out, value=nl.load(table[rows, nl.arange(64)[None, :]]))  # expect-warning: NKI301 rows[...] <= 95
    return out


# nkilint: table: float32[96, 64], keys: int32[128, 1]
@nki.jit
def remainder_by_the_wrong_size(table, keys):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.mod(nl.bitwise_and(nl.load(keys), 0xFFFF), 128)
    nl.store(out, value=nl.load(table[rows, nl.arange(64)[None, :]]))  # expect-warning: NKI301 rows[...] <= 95
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def three_times_into_bytes(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nisa.iota(nl.arange(128)[:, None], dtype=nl.int32)
    thrice = nisa.tensor_scalar(rows, nl.multiply, 3, dtype=nl.uint8)  # expect: NKI212
    nl.store(out, value=nl.add(nl.load(x), thrice))
    return out


# --- silent ---


# nkilint: table: float32[256, 64], keys: int32[128, 1]
@nki.jit
def as_many_slots_as_rows(table, keys):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=gathered(table, nl.bitwise_and(nl.load(keys), 255)))
    return out


# nkilint: table: float32[256, 64], tokens: uint8[128, 1]
@nki.jit
def bytes_for_all_rows(table, tokens):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=gathered(table, nl.load(tokens)))
    return out


# nkilint: table: float32[128, 64], tokens: int8[128, 1]
@nki.jit
def absolute_values_cut_off(table, tokens):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.bitwise_and(nl.load(tokens), 127)
    nl.store(out, value=gathered(table, rows))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def positions_into_16_bits(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    places = nisa.iota(nl.arange(512)[None, :], dtype=nl.int16)
    nl.store(out, value=nl.add(nl.load(x), places.broadcast_to((128, 512))))
    return out


# nkilint: table: float32[129, 64]
@nki.jit
def counted_from_one_where_there_is_one_more(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nisa.iota(nl.arange(128)[:, None] + 1, dtype=nl.int32)
    nl.store(out, value=gathered(table, rows))
    return out


# nkilint: table: float32[255, 64]
@nki.jit
def doubled_within(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nisa.tensor_scalar(nisa.iota(nl.arange(128)[:, None], dtype=nl.int32), nl.multiply, 2)
    nl.store(out, value=gathered(table, rows))
    return out


# nkilint: table: float32[64, 64]
@nki.jit
def from_the_end(table):
    out = nl.ndarray((64, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nisa.iota(63 - nl.arange(64)[:, None], dtype=nl.int32)
    nl.store(out, value=gathered(table, rows))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def largest_byte(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    pad = nisa.memset((128, 1), 255, nl.uint8)
    nl.store(out, value=nl.add(nl.load(x), pad))
    return out


# nkilint: table: float32[512, 64]
@nki.jit
def shifted_with_lower_bits(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.left_shift(nisa.iota(nl.arange(128)[:, None], dtype=nl.int32), 2)
    nl.store(out, value=gathered(table, nl.bitwise_or(rows, 3)))
    return out


# nkilint: table: float32[R, 64], R >= 255
@nki.jit
def table_that_is_large_enough(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nisa.iota(2 * nl.arange(128)[:, None], dtype=nl.int32)
    nl.store(out, value=gathered(table, rows))
    return out


# nkilint: table: float32[100, 64], keys: int32[128, 1]
@nki.jit
def masked_where_outside(table, keys):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.minimum(nl.bitwise_and(nl.load(keys), 127), 99)
    nl.store(out, value=gathered(table, rows))
    return out


# nkilint: table: float32[128, 64], tokens: uint8[128, 1]
@nki.jit
def bytes_that_the_caller_keeps_small(table, tokens):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.load(tokens)
    nl.store(out, value=nl.load(table[rows, nl.arange(64)[None, :]]))
    return out


# nkilint: table: float32[128, 64], tokens: int8[128, 1]
@nki.jit
def signed_bytes_that_the_caller_keeps_positive(table, tokens):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.load(tokens)
    nl.store(out, value=nl.load(table[rows, nl.arange(64)[None, :]]))
    return out


# nkilint: table: float32[96, 64], keys: int32[128, 1]
@nki.jit
def clipped_in_time(table, keys):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = nl.minimum(nl.maximum(nl.load(keys), 0), 95)
    nl.store(out, value=gathered(table, rows))
    return out


# nkilint: table: float32[96, 64], keys: int32[128, 1]
@nki.jit
def clipped_at_one_end(table, keys):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=gathered(table, nl.minimum(nl.load(keys), 95)))
    return out
