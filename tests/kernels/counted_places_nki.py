"""Integers that comparisons, searches, remainders and shifts make: as indices (NKI301), and in the type that they are put into
(NKI212)."""

import nki
import nki.isa as nisa
import nki.language as nl


def on_chip(source, shape, dtype=None):
    tile = nl.ndarray(shape, dtype=dtype or source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def numbers(count, first=0, step=1, columns=1, dtype=nl.int32):
    made = nl.ndarray((count, columns), dtype=dtype, buffer=nl.sbuf)
    nisa.iota(made, [[1, columns]], first, step)
    return made


def gathered(table, rows, count=64):
    out = nl.ndarray((count, table.shape[1]), dtype=table.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect: NKI301  # expect: NKI301  # expect: NKI301
    return out


def changed(tile, op, operand, **more):
    nisa.tensor_scalar(dst=tile, data=tile, op0=op, operand0=operand, **more)
    return tile


class Bounded(nl.NKIObject):
    """Row numbers that a method keeps to a range."""

    def __init__(self, source, count):
        self.rows = on_chip(source, (count, 1))

    def wrapped(self, size):
        return changed(self.rows, nl.bitwise_and, size - 1)

    def capped(self, last):
        return changed(changed(self.rows, nl.maximum, 0), nl.minimum, last)


def selected(table, rows, count=64):
    out = nl.ndarray((count, table.shape[1]), dtype=table.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))
    return out


# --- found ---


# nkilint: table: float32[100, 64]
@nki.jit
def twice_by_a_shift(table):
    return gathered(table, changed(numbers(64), nl.left_shift, 1))


# nkilint: table: float32[128, 64]
@nki.jit
def sum_with_itself(table):
    rows = numbers(64, 1)
    nisa.tensor_tensor(dst=rows, data1=rows, data2=rows, op=nl.add)
    return gathered(table, rows)


# nkilint: table: float32[128, 64]
@nki.jit
def two_more_by_a_second_operation(table):
    rows = changed(numbers(64), nl.multiply, 2, op1=nl.add, operand1=2)
    return gathered(table, rows)


# nkilint: table: float32[63, 64]
@nki.jit
def backwards_from_the_last(table):
    return gathered(table, changed(numbers(64), nl.subtract, 63, reverse0=True))


# nkilint: table: float32[100, 64], where: int32[64, 1]
@nki.jit
def wrapped_by_an_object(table, where):
    out = nl.ndarray((64, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = Bounded(where, 64).wrapped(128)
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect-warning: NKI301 tile[...] <= 99
    return out


# nkilint: table: float32[100, 64], where: int32[64, 1]
@nki.jit
def capped_by_an_object(table, where):
    out = nl.ndarray((64, 64), dtype=table.dtype, buffer=nl.shared_hbm)
    rows = Bounded(where, 64).capped(table.shape[0])
    nisa.dma_copy(dst=out, src=table.vector_select(0, rows))  # expect-warning: NKI301 tile[...] <= 99
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def counted_into_signed_bytes(x):
    out = nl.ndarray((128, 1), dtype=nl.int8, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.int8, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 1, 1)  # expect: NKI212
    nisa.dma_copy(dst=out, src=rows)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def products_into_bytes(x):
    out = nl.ndarray((64, 8), dtype=nl.uint8, buffer=nl.shared_hbm)
    places = numbers(64, 0, 8, 8)
    small = nl.ndarray((64, 8), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy(dst=small, src=places)  # expect: NKI212
    nisa.dma_copy(dst=out, src=small)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def nothing_less_one(x):
    out = nl.ndarray((64, 1), dtype=nl.uint16, buffer=nl.shared_hbm)
    below = nl.ndarray((64, 1), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=below, data=numbers(64), op0=nl.add, operand0=-1)  # expect: NKI212
    nisa.dma_copy(dst=out, src=below)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def mark_in_bytes(x, missing=-1):
    out = nl.ndarray((128, 16), dtype=nl.uint8, buffer=nl.shared_hbm)
    marks = nl.ndarray((128, 16), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.memset(dst=marks, value=missing)  # expect: NKI212
    nisa.dma_copy(dst=out, src=marks)
    return out


# --- silent ---


# nkilint: table: float32[127, 64]
@nki.jit
def twice_by_a_shift_inside(table):
    return selected(table, changed(numbers(64), nl.left_shift, 1))


# nkilint: table: float32[129, 64]
@nki.jit
def sum_with_itself_inside(table):
    rows = numbers(64, 1)
    nisa.tensor_tensor(dst=rows, data1=rows, data2=rows, op=nl.add)
    return selected(table, rows)


# nkilint: table: float32[64, 64]
@nki.jit
def lesser_of_two(table):
    rows, others = numbers(64), numbers(64, 64, -1)
    nisa.tensor_tensor(dst=rows, data1=rows, data2=others, op=nl.minimum)
    return selected(table, rows)


# nkilint: table: float32[64, 64]
@nki.jit
def backwards_to_the_first(table):
    return selected(table, changed(numbers(64), nl.subtract, 63, reverse0=True))


# nkilint: table: float32[128, 64], where: int32[64, 1]
@nki.jit
def wrapped_to_what_there_is(table, where):
    return selected(table, Bounded(where, 64).wrapped(128))


# nkilint: table: float32[100, 64], where: int32[64, 1]
@nki.jit
def capped_at_the_last(table, where):
    return selected(table, Bounded(where, 64).capped(table.shape[0] - 1))


# nkilint: table: float32[2, 64], where: int32[64, 1]
@nki.jit
def one_of_two_by_a_comparison(table, where):
    """A comparison gives 0 or 1."""
    return selected(table, changed(on_chip(where, (64, 1)), nl.greater, 7))


# nkilint: x: float32[128, 512]
@nki.jit
def counted_into_bytes(x):
    out = nl.ndarray((128, 1), dtype=nl.int8, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.int8, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 0, 1)
    nisa.dma_copy(dst=out, src=rows)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def products_into_words(x):
    out = nl.ndarray((64, 8), dtype=nl.uint16, buffer=nl.shared_hbm)
    small = nl.ndarray((64, 8), dtype=nl.uint16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=small, src=numbers(64, 0, 8, 8))
    nisa.dma_copy(dst=out, src=small)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def mark_in_signed_bytes(x, missing=-1):
    out = nl.ndarray((128, 16), dtype=nl.int8, buffer=nl.shared_hbm)
    marks = nl.ndarray((128, 16), dtype=nl.int8, buffer=nl.sbuf)
    nisa.memset(dst=marks, value=missing)
    nisa.dma_copy(dst=out, src=marks)
    return out
