"""Parts of tensors whose place counters and tables give: what is known of the place stays inside (NKI301)."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, shape, dtype=nl.int32):
    tile = nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


class Table(nl.NKIObject):
    """Rows of a tensor, some of which stand before the ones that are looked up."""

    def __init__(self, rows, reserved=0):
        self.rows = rows
        self.reserved = reserved

    def lookup(self, number, count=1):
        width = self.rows.shape[1]
        begin = self.reserved * width
        return self.rows.ap([[width, count], [1, width]], begin, scalar_offset=number)  # expect-warning: NKI301 N >= 24  # expect: NKI301


# --- found ---


# nkilint: cache: float32[64, 256], at: int32[1, 1]
@nki.jit
def block_behind_a_place(cache, at):
    out = nl.ndarray((32, 256), dtype=cache.dtype, buffer=nl.shared_hbm)
    place = loaded(at, (1, 1))
    nisa.dma_copy(dst=out, src=cache.ap(pattern=[[256, 32], [1, 256]], offset=40 * 256, scalar_offset=place))  # expect: NKI301
    return out


# nkilint: rows: float32[100, 64], at: int32[1, 1]
@nki.jit
def reserved_rows_of_a_table(rows, at):
    out = nl.ndarray((4, 64), dtype=rows.dtype, buffer=nl.shared_hbm)
    table = Table(rows, reserved=98)
    nisa.dma_copy(dst=out, src=table.lookup(loaded(at, (1, 1)), 4))
    return out


# nkilint: x: float32[512, 128], at: int32[1, 1]
@nki.jit
def half_behind_each_program(x, at):
    """The second program begins where the first one ends, so what follows its offset is half of the rows."""
    assert nl.num_programs(0) == 2
    out = nl.ndarray((2, 128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    place = loaded(at, (1, 1))
    first = nl.program_id(0) * 400
    rows = x.ap(pattern=[[128, 128], [1, 128]], offset=first * 128, scalar_offset=place)  # expect: NKI301
    nisa.dma_copy(dst=out[nl.program_id(0)], src=rows)
    return out


# nkilint: x: float32[16, 128, 64]
@nki.jit
def counter_doubled_too_often(x):
    out = nl.ndarray((5, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=at, value=1)
    step = 0
    while step < 5:
        nisa.dma_copy(dst=out[step], src=x.select(0, at))  # expect: NKI301
        nisa.tensor_tensor(dst=at, data1=at, data2=at, op=nl.add)
        step += 1
    return out


# nkilint: pages: float32[32, 128, 64], table: int32[1, 8]
@nki.jit
def page_after_the_one_in_the_table(pages, table, ahead=1):
    out = nl.ndarray((128, 64), dtype=pages.dtype, buffer=nl.shared_hbm)
    numbers = loaded(table, (1, 8))
    nisa.tensor_scalar(dst=numbers, data=numbers, op0=nl.bitwise_and, operand0=31)
    nisa.tensor_scalar(dst=numbers, data=numbers, op0=nl.add, operand0=ahead)
    nisa.dma_copy(dst=out, src=pages.select(0, numbers[0:1, 2:3]))  # expect-warning: NKI301 tile[...] <= 31
    return out


# nkilint: x: float32[N, 256], at: int32[1, 1]
@nki.jit
def window_of_some_rows(x, at):
    out = nl.ndarray((16, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    window = Table(x, reserved=8).lookup(loaded(at, (1, 1)), 16)
    nisa.dma_copy(dst=out, src=window)
    return out


# nkilint: x: float32[300, 64]
@nki.jit
def every_third_row_from_the_second(x):
    out = nl.ndarray((100, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((100, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 3, 3)
    parts = [x.vector_select(0, rows)]  # expect: NKI301
    for part in parts:
        nisa.dma_copy(dst=out, src=part)
    return out


# nkilint: x: float32[96, 128]
@nki.jit
def two_rows_for_each_place(x):
    """The place of the last one is in bounds, what it reads is not."""
    out = nl.ndarray((48, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((48, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 1, 2)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[128, 48], [1, 256]], vector_offset=rows))  # expect: NKI301
    return out


# nkilint: x: float32[64, 128]
@nki.jit
def place_that_one_of_two_branches_moves(x, wide=False):
    out = nl.ndarray((32, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=at, value=32)
    if wide:
        nisa.tensor_scalar(dst=at, data=at, op0=nl.add, operand0=16)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[128, 32], [1, 128]], scalar_offset=at))  # expect-warning: NKI301 not wide
    return out


# nkilint: scores: float32[128, 2048], at: int32[1, 1]
@nki.jit
def columns_behind_a_dynamic_column(scores, at):
    out = nl.ndarray((128, 256), dtype=scores.dtype, buffer=nl.shared_hbm)
    tile = loaded(scores, (128, 2048), scores.dtype)
    column = loaded(at, (1, 1))
    nisa.tensor_scalar(dst=column, data=column, op0=nl.maximum, operand0=0, op1=nl.minimum, operand1=2047)
    narrow = nl.ndarray((128, 256), dtype=scores.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(
        dst=narrow,
        src=tile.ap(pattern=[[2048, 128], [1, 256]], scalar_offset=column, indirect_dim=1),  # expect-warning: NKI301 tile[...] <= 1792
    )
    nisa.dma_copy(dst=out, src=narrow)
    return out


# --- silent ---


# nkilint: cache: float32[64, 256], at: int32[1, 1]
@nki.jit
def block_that_fits(cache, at):
    out = nl.ndarray((32, 256), dtype=cache.dtype, buffer=nl.shared_hbm)
    place = loaded(at, (1, 1))
    nisa.dma_copy(dst=out, src=cache.ap(pattern=[[256, 32], [1, 256]], offset=32 * 256, scalar_offset=place))
    return out


# nkilint: rows: float32[100, 64], at: int32[1, 1]
@nki.jit
def rows_behind_the_reserved_ones(rows, at):
    out = nl.ndarray((4, 64), dtype=rows.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=Table(rows, reserved=96).lookup(loaded(at, (1, 1)), 4))
    return out


# nkilint: x: float32[512, 128], at: int32[1, 1]
@nki.jit
def half_of_each_program(x, at):
    assert nl.num_programs(0) == 2
    out = nl.ndarray((2, 128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    place = loaded(at, (1, 1))
    first = nl.program_id(0) * 256
    rows = x.ap(pattern=[[128, 128], [1, 128]], offset=first * 128, scalar_offset=place)
    nisa.dma_copy(dst=out[nl.program_id(0)], src=rows)
    return out


# nkilint: x: bfloat16[128, 512], at: int32[1, 1]
@nki.jit
def pairs_of_half_the_rows(x, at):
    out = nl.ndarray((64, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    place = loaded(at, (1, 1))
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[256, 64], [1, 256]], scalar_offset=place, dtype=nl.float32))
    return out


# nkilint: x: float32[17, 128, 64]
@nki.jit
def counter_doubled(x):
    out = nl.ndarray((5, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=at, value=1)
    step = 0
    while step < 5:
        nisa.dma_copy(dst=out[step], src=x.select(0, at))
        nisa.tensor_tensor(dst=at, data1=at, data2=at, op=nl.add)
        step += 1
    return out


# nkilint: pages: float32[32, 128, 64], table: int32[1, 8]
@nki.jit
def page_after_the_one_in_the_table_or_the_first(pages, table, ahead=1):
    out = nl.ndarray((8, 128, 64), dtype=pages.dtype, buffer=nl.shared_hbm)
    numbers = loaded(table, (1, 8))
    nisa.tensor_scalar(dst=numbers, data=numbers, op0=nl.add, operand0=ahead)
    nisa.tensor_scalar(dst=numbers, data=numbers, op0=nl.bitwise_and, operand0=31)
    for i in range(8):
        nisa.dma_copy(dst=out[i], src=pages.select(0, numbers[0:1, i : i + 1]))
    return out


@nki.jit
def window_of_enough_rows(x, at):
    """x: [N, 256]; at: [1, 1]"""
    assert x.shape[1] == 256
    assert x.shape[0] > 23, "a window of 16 rows and 8 before it"
    out = nl.ndarray((16, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=Table(x, reserved=8).lookup(loaded(at, (1, 1)), 16))
    return out


# nkilint: x: float32[300, 64]
@nki.jit
def every_third_row(x):
    out = nl.ndarray((100, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((100, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 2, 3)
    parts = [x.vector_select(0, rows)]
    for part in parts:
        nisa.dma_copy(dst=out, src=part)
    return out


# nkilint: x: float32[96, 128]
@nki.jit
def two_rows_for_each_place_but_the_last(x):
    out = nl.ndarray((48, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((48, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 0, 2)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[128, 48], [1, 256]], vector_offset=rows))
    return out


# nkilint: x: float32[64, 128]
@nki.jit
def place_that_one_of_two_branches_chooses(x, wide=False):
    out = nl.ndarray((32, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    at = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    if wide:
        nisa.memset(dst=at, value=16)
    else:
        nisa.memset(dst=at, value=32)
    nisa.dma_copy(dst=out, src=x.ap(pattern=[[128, 32], [1, 128]], scalar_offset=at))
    return out


# nkilint: scores: float32[128, 2048], at: int32[1, 1]
@nki.jit
def columns_that_are_there(scores, at):
    out = nl.ndarray((128, 256), dtype=scores.dtype, buffer=nl.shared_hbm)
    tile = loaded(scores, (128, 2048), scores.dtype)
    column = loaded(at, (1, 1))
    nisa.tensor_scalar(dst=column, data=column, op0=nl.maximum, operand0=0, op1=nl.minimum, operand1=2048 - 256)
    narrow = nl.ndarray((128, 256), dtype=scores.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=narrow, src=tile.ap(pattern=[[2048, 128], [1, 256]], scalar_offset=column, indirect_dim=1))
    nisa.dma_copy(dst=out, src=narrow)
    return out
