"""Rows that tiles of indices choose: what is static in a subscript stays inside, and what is known of the indices does."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


def places(first, step, count=128):
    """A column of `count` integers that stand `step` apart."""
    return nisa.iota(first + step * nl.arange(count)[:, None], dtype=nl.int32)


class Gatherer:
    """Gathers the rows of a table, a part of their columns at a time."""

    def __init__(self, table, width):
        self.table, self.width = table, width

    def part(self, rows, number, count=128):
        i_p = nl.arange(count)[:, None]
        i_f = nl.arange(self.width)[None, :]
        return nl.load(self.table[rows[i_p, 0], number * self.width + i_f])  # expect: NKI301


# --- found ---


# nkilint: table: float32[1000, 500], rows: int32[128, 1]
@nki.jit
def last_columns_of_chosen_rows(table, rows):
    out = nl.ndarray((4, 128, 128), dtype=table.dtype, buffer=nl.shared_hbm)
    chosen = nl.load(rows)
    gatherer = Gatherer(table, 128)
    for number in nl.affine_range(4):
        nl.store(out[number], value=gatherer.part(chosen, number))
    return out


# nkilint: table: float32[1000, 512], rows: int32[64, 1]
@nki.jit
def rows_of_a_tile_that_has_half_as_many(table, rows):
    out = nl.ndarray((128, 512), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(512)[None, :]
    chosen = nl.load(rows)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))  # expect: NKI301
    return out


# nkilint: table: float32[256, 64]
@nki.jit
def every_second_row_from_the_third(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    chosen = places(2, 2)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))  # expect: NKI301
    return out


# nkilint: table: float32[256, 64]
@nki.jit
def rows_below_the_first(table):
    out = nl.ndarray((64, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(64)[:, None], nl.arange(64)[None, :]
    chosen = nl.subtract(places(0, 1, 64), 1)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))  # expect: NKI301
    return out


# nkilint: table: float32[96, 64], rows: int32[128, 1]
@nki.jit
def more_bits_than_there_are_rows(table, rows):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    chosen = nisa.tensor_scalar(nl.load(rows), op0=nl.bitwise_and, operand0=127)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))  # expect-warning: NKI301 chosen[...] <= 95
    return out


# nkilint: values: float32[128, 64]
@nki.jit
def scattered_one_too_far(values):
    out = nl.ndarray((128, 64), dtype=values.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(values))
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    target = places(1, 1)
    nl.store(out[target[i_p, 0], i_f], value=nl.load(values))  # expect: NKI301
    return out


# nkilint: pages: float32[16, 128, 64]
@nki.jit
def page_after_the_last(pages):
    out = nl.ndarray((128, 64), dtype=pages.dtype, buffer=nl.shared_hbm)
    number = nl.full((1, 1), 16, dtype=nl.int32, buffer=nl.sbuf)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    nl.store(out, value=nl.load(pages[number[0, 0], i_p, i_f]))  # expect: NKI301
    return out


# nkilint: table: float32[R, 64]
@nki.jit
def all_rows_that_a_tile_counts(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    chosen = places(0, 3)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))  # expect-warning: NKI301 R >= 382
    return out


# nkilint: table: float32[300, 64]
@nki.jit
def rows_of_each_tile(table):
    out = nl.ndarray((384, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    for tile in nl.affine_range(3):
        chosen = places(tile * 128, 1)
        nl.store(out[tile * 128 + i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))  # expect: NKI301
    return out


# nkilint: x: float32[64, 512], at: int32[64, 1]
@nki.jit
def rows_behind_the_limit_of_the_chosen_ones(x, at):
    out = nl.ndarray((64, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.minimum(nl.maximum(nl.load(at), 0), 60)
    i_p, i_f = nl.arange(64)[:, None], nl.arange(512)[None, :]
    nl.store(out, value=nl.load(x[first[i_p, 0] + 4, i_f]))  # expect-warning: NKI301 index[...] <= 63
    return out


# --- silent ---


# nkilint: table: float32[1000, 512], rows: int32[128, 1]
@nki.jit
def parts_of_chosen_rows(table, rows):
    out = nl.ndarray((4, 128, 128), dtype=table.dtype, buffer=nl.shared_hbm)
    chosen = nl.load(rows)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(128)[None, :]
    for number in nl.affine_range(4):
        nl.store(out[number], value=nl.load(table[chosen[i_p, 0], number * 128 + i_f]))
    return out


# nkilint: table: float32[1000, 512], rows: int32[64, 1]
@nki.jit
def as_many_rows_as_there_are(table, rows):
    count = rows.shape[0]
    out = nl.ndarray((count, 512), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(count)[:, None], nl.arange(512)[None, :]
    chosen = nl.load(rows)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))
    return out


# nkilint: table: float32[256, 64]
@nki.jit
def every_second_row_from_the_second(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    chosen = places(1, 2)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))
    return out


# nkilint: table: float32[256, 64]
@nki.jit
def rows_from_the_last(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    chosen = places(255, -2)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))
    return out


# nkilint: table: float32[96, 64], rows: int32[128, 1]
@nki.jit
def no_more_rows_than_there_are(table, rows):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    chosen = nisa.tensor_scalar(nl.load(rows), op0=nl.bitwise_and, operand0=63)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))
    return out


# nkilint: values: float32[128, 64]
@nki.jit
def scattered_in_reverse(values):
    out = nl.ndarray((128, 64), dtype=values.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(values))
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    target = places(127, -1)
    nl.store(out[target[i_p, 0], i_f], value=nl.load(values))
    return out


# nkilint: pages: float32[16, 128, 64]
@nki.jit
def last_page(pages):
    out = nl.ndarray((128, 64), dtype=pages.dtype, buffer=nl.shared_hbm)
    number = nl.full((1, 1), 15, dtype=nl.int32, buffer=nl.sbuf)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    nl.store(out, value=nl.load(pages[number[0, 0], i_p, i_f]))
    return out


# nkilint: table: float32[R, 64], R >= 382
@nki.jit
def enough_rows_for_a_tile_that_counts(table):
    out = nl.ndarray((128, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    chosen = places(0, 3)
    nl.store(out[i_p, i_f], value=nl.load(table[chosen[i_p, 0], i_f]))
    return out


# nkilint: table: float32[300, 64]
@nki.jit
def rows_of_each_tile_that_are_there(table):
    out = nl.ndarray((300, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    i_p, i_f = nl.arange(128)[:, None], nl.arange(64)[None, :]
    for tile in nl.affine_range(3):
        chosen = places(tile * 128, 1)
        inside = tile * 128 + i_p < 300
        part = nl.load(table[chosen[i_p, 0], i_f], mask=inside)
        nl.store(out[tile * 128 + i_p, i_f], value=part, mask=inside)
    return out


# nkilint: x: float32[64, 512], at: int32[1, 1]
@nki.jit
def window_that_a_limit_keeps_inside(x, at):
    out = nl.ndarray((64, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    first = nl.minimum(nl.maximum(nl.load(at), 0), 512 - 128)
    i_p, i_f = nl.arange(64)[:, None], nl.arange(128)[None, :]
    window = nisa.tensor_copy_dynamic_src(tile[i_p, first[0, 0] + i_f])
    nl.store(out, value=window)
    return out
