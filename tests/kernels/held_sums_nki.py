"""What sums, products and reductions of integer tiles hold, element by element: in their types (NKI212), as indices (NKI301)."""

import nki
import nki.isa as nisa
import nki.language as nl


def ramp(columns, first=0, step=1, dtype=nl.int32, rows=128):
    made = nl.ndarray((rows, columns), dtype=dtype, buffer=nl.sbuf)
    nisa.iota(made, [[step, columns]], first, 0)
    return made


def like(tile, dtype=nl.int32):
    return nl.ndarray(tile.shape, dtype=dtype, buffer=nl.sbuf)


def shown(tile):
    output = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)
    return output


# --- found, and their twins beside them ---


@nki.jit
def product_beyond_bytes():
    columns = ramp(20)
    squares = like(columns, nl.uint8)
    nisa.tensor_tensor(dst=squares, data1=columns, data2=columns, op=nl.multiply)  # expect: NKI212
    return shown(squares)


@nki.jit
def sum_beyond_bytes():
    small, more = ramp(100), ramp(100, 100)
    total = like(small, nl.uint8)
    nisa.tensor_tensor(dst=total, data1=small, data2=more, op=nl.add)  # expect: NKI212
    return shown(total)


@nki.jit
def difference_below_zero():
    a, b = ramp(100), ramp(100, 1)
    d = like(a, nl.uint16)
    nisa.tensor_tensor(dst=d, data1=a, data2=b, op=nl.subtract)  # expect: NKI212
    return shown(d)


@nki.jit
def product_of_integers_that_are_exact():
    big = ramp(8192)
    p = like(big)
    nisa.tensor_tensor(dst=p, data1=big, data2=big, op=nl.multiply)
    return shown(p)


@nki.jit
def sum_in_a_helper():
    def_ = ramp(200)
    return shown(doubled(def_))


def doubled(tile):
    twice = like(tile, nl.uint8)
    nisa.tensor_tensor(dst=twice, data1=tile, data2=tile, op=nl.add)  # expect: NKI212
    return twice


@nki.jit
def reduced_sum():
    counts = ramp(100)
    total = nl.ndarray((128, 1), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=total, op=nl.add, data=counts, axis=1, keepdims=True)  # expect: NKI212
    return shown(total)


@nki.jit
def reduced_maximum():
    counts = ramp(300)
    most = nl.ndarray((128, 1), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=most, op=nl.maximum, data=counts, axis=1, keepdims=True)  # expect: NKI212
    return shown(most)


@nki.jit
def row_times_width_as_index(a):
    assert a.shape == (128, 512)
    out = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 0, 1)
    two = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=two, value=3)
    nisa.tensor_tensor(dst=rows, data1=rows, data2=two, op=nl.multiply)
    nisa.dma_copy(dst=out, src=a.vector_select(0, rows))  # expect: NKI301
    return out


@nki.jit
def shifted_out_of_bytes():
    counts = ramp(16)
    wide = like(counts, nl.uint8)
    nisa.tensor_scalar(dst=wide, data=counts, op0=nl.left_shift, operand0=5)  # expect: NKI212
    return shown(wide)


@nki.jit
def masked_and_then_moved():
    counts = ramp(1024)
    low = like(counts)
    nisa.tensor_scalar(dst=low, data=counts, op0=nl.bitwise_and, operand0=255)
    out = like(counts, nl.uint8)
    nisa.tensor_scalar(dst=out, data=low, op0=nl.add, operand0=1)  # expect: NKI212
    return shown(out)


@nki.jit
def product_within_bytes():
    columns = ramp(16)
    squares = like(columns, nl.uint8)
    nisa.tensor_tensor(dst=squares, data1=columns, data2=columns, op=nl.multiply)
    return shown(squares)


@nki.jit
def sum_within_bytes():
    small, more = ramp(100), ramp(100, 57)
    total = like(small, nl.uint8)
    nisa.tensor_tensor(dst=total, data1=small, data2=more, op=nl.add)
    return shown(total)


@nki.jit
def difference_not_below_zero():
    a, b = ramp(100, 99), ramp(100)
    d = like(a, nl.uint16)
    nisa.tensor_tensor(dst=d, data1=a, data2=b, op=nl.subtract)
    return shown(d)


@nki.jit
def product_within_floats():
    big = ramp(4096)
    p = like(big)
    nisa.tensor_tensor(dst=p, data1=big, data2=big, op=nl.multiply)
    return shown(p)


@nki.jit
def reduced_sum_in_range():
    counts = ramp(20)
    total = nl.ndarray((128, 1), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=total, op=nl.add, data=counts, axis=1, keepdims=True)
    return shown(total)


@nki.jit
def reduced_maximum_in_range():
    counts = ramp(256)
    most = nl.ndarray((128, 1), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=most, op=nl.maximum, data=counts, axis=1, keepdims=True)
    return shown(most)


@nki.jit
def row_times_two_as_index(a):
    assert a.shape == (128, 512)
    out = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 0, 1)
    two = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=two, value=2)
    nisa.tensor_tensor(dst=rows, data1=rows, data2=two, op=nl.multiply)
    nisa.dma_copy(dst=out, src=a.vector_select(0, rows))
    return out


@nki.jit
def shifted_within_bytes():
    counts = ramp(8)
    wide = like(counts, nl.uint8)
    nisa.tensor_scalar(dst=wide, data=counts, op0=nl.left_shift, operand0=5)
    return shown(wide)


@nki.jit
def masked_and_kept():
    counts = ramp(1024)
    out = like(counts, nl.uint8)
    nisa.tensor_scalar(dst=out, data=counts, op0=nl.bitwise_and, operand0=255)
    return shown(out)


@nki.jit
def maximum_of_two_tiles():
    a, b = ramp(100), ramp(100, 156)
    m = like(a, nl.uint8)
    nisa.tensor_tensor(dst=m, data1=a, data2=b, op=nl.maximum)
    return shown(m)


@nki.jit
def product_with_something_unknown(a):
    assert a.shape == (128, 64)
    t = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=a)
    p = like(t, nl.int8)
    nisa.tensor_tensor(dst=p, data1=t, data2=ramp(64), op=nl.multiply)
    return shown(p)


@nki.jit
def part_of_a_ramp():
    counts = ramp(512)
    low = nl.ndarray((128, 128), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy(dst=low, src=counts[:, 256:384])  # expect: NKI212
    return shown(low)


@nki.jit
def first_part_of_a_ramp():
    counts = ramp(512)
    low = nl.ndarray((128, 128), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_copy(dst=low, src=counts[:, 128:256])
    return shown(low)


@nki.jit
def squares_of_some_columns(a):
    assert a.shape[0] == 128 and a.shape[1] <= 64
    counts = ramp(a.shape[1])
    squares = like(counts, nl.uint8)
    nisa.tensor_tensor(dst=squares, data1=counts, data2=counts, op=nl.add)
    nisa.tensor_tensor(dst=squares, data1=counts, data2=ramp(a.shape[1], 200), op=nl.add)  # expect-warning: NKI212 a.shape[1] <= 28
    return shown(squares)


@nki.jit
def alternating(a):
    """(-1)^j without a power: 1 - 2 (j % 2)."""
    counts = ramp(512)
    low = like(counts)
    nisa.tensor_scalar(dst=low, data=counts, op0=nl.bitwise_and, operand0=1)
    nisa.tensor_scalar(dst=low, data=low, op0=nl.multiply, operand0=-2)
    signs = like(counts, nl.int8)
    nisa.tensor_scalar(dst=signs, data=low, op0=nl.add, operand0=1)
    return shown(signs)


@nki.jit
def greatest_of_products():
    counts = ramp(64)
    double = like(counts)
    nisa.tensor_scalar(dst=double, data=counts, op0=nl.multiply, operand0=5)
    most = nl.ndarray((128, 1), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=most, op=nl.maximum, data=double, axis=1, keepdims=True)  # expect: NKI212
    return shown(most)


@nki.jit
def places_by_rows(a):
    """row * 2 + p of tiles, in bounds: 127 + 127."""
    assert a.shape == (256, 64)
    out = nl.ndarray((128, 64), dtype=a.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 0, 1)
    both = like(rows)
    nisa.tensor_tensor(dst=both, data1=rows, data2=rows, op=nl.add)
    nisa.dma_copy(dst=out, src=a.vector_select(0, both))
    return out


@nki.jit
def places_by_rows_beyond(a):
    assert a.shape == (254, 64)
    out = nl.ndarray((128, 64), dtype=a.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 0, 1)
    both = like(rows)
    nisa.tensor_tensor(dst=both, data1=rows, data2=rows, op=nl.add)
    nisa.dma_copy(dst=out, src=a.vector_select(0, both))  # expect: NKI301
    return out
