"""What tiles of integers are known to hold, as indices (NKI301) and in the type of what they are put into (NKI212)."""

import nki
import nki.isa as nisa
import nki.language as nl


def counted(count, first=0, step=1, dtype=nl.int32):
    made = nl.ndarray((count, 1), dtype=dtype, buffer=nl.sbuf)
    nisa.iota(made, [[1, 1]], first, step)
    return made


def result(a, rows=64):
    return nl.ndarray((rows, a.shape[1]), dtype=a.dtype, buffer=nl.shared_hbm)


# --- found ---


# nkilint: a: float32[128, 512]
@nki.jit
def twice_the_row(a):
    output = result(a)
    rows = counted(64)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.multiply, operand0=2, op1=nl.add, operand1=2)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))  # expect: NKI301
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def from_the_end(a):
    output = result(a)
    rows = counted(64)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.subtract, operand0=128, reverse0=True)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))  # expect: NKI301
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def sum_of_two_tiles(a):
    output = result(a)
    rows, first = counted(64), counted(64, 65, 0)
    nisa.tensor_tensor(dst=rows, data1=rows, data2=first, op=nl.add)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))  # expect: NKI301
    return output


@nki.jit
def rows_of_some_sizes(a):
    output = result(a)
    nisa.dma_copy(dst=output, src=a.vector_select(0, counted(64)))  # expect-warning: NKI301 a.shape[0] >= 64
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def overwritten_by_the_bad_one(a):
    output = result(a)
    rows = counted(64)
    nisa.memset(dst=rows, value=128)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))  # expect: NKI301
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def bytes_too_small(a):
    output = result(a)
    rows = nl.ndarray((64, 1), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.iota(rows, [[1, 1]], 0, 5)  # expect: NKI212
    nisa.dma_copy(dst=output, src=a[0:64, 0:512])
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def copied_into_bytes(a):
    output = result(a)
    small = nl.ndarray((64, 1), dtype=nl.int8, buffer=nl.sbuf)
    nisa.tensor_copy(dst=small, src=counted(64, 65))  # expect: NKI212
    nisa.dma_copy(dst=output, src=a[0:64, 0:512])
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def negative_without_a_sign(a):
    output = result(a)
    below = nl.ndarray((64, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=below, data=counted(64), op0=nl.subtract, operand0=1)  # expect: NKI212
    nisa.dma_copy(dst=output, src=a[0:64, 0:512])
    return output


# nkilint: a: float32[64, C]
@nki.jit
def columns_that_bytes_count(a):
    output = result(a)
    columns = nl.ndarray((64, a.shape[1]), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.iota(columns, [[1, a.shape[1]]])  # expect-warning: NKI212 C <= 256
    nisa.dma_copy(dst=output, src=a)
    return output


# nkilint: a: float32[R, C]
@nki.jit
def elements_by_rows(a):
    output = result(a, a.shape[0])
    for r in range(a.shape[0]):
        first = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.iota(first, [[1, 1]], offset=r * a.shape[1])  # expect-warning: NKI212 R*C <= C + 2147483647
    nisa.dma_copy(dst=output, src=a)
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def shifted_beyond(a):
    output = result(a)
    rows = counted(64)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.left_shift, operand0=2)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))  # expect: NKI301
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def index_beyond_the_tile_of_indices(a):
    output = result(a, 32)
    nisa.dma_copy(dst=output, src=a.vector_select(0, counted(48).slice(0, 32, 64)))  # expect: NKI301
    return output


# --- silent ---


# nkilint: a: float32[128, 512]
@nki.jit
def every_second(a):
    output = result(a)
    rows = counted(64)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.multiply, operand0=2, op1=nl.add, operand1=1)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))
    return output


# nkilint: a: float32[256, 512], where: uint8[64, 1]
@nki.jit
def bytes_of_the_caller(a, where):
    output = result(a)
    rows = nl.ndarray((64, 1), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=where)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))
    return output


# nkilint: a: float32[128, 512], where: int32[64, 1]
@nki.jit
def cut_off(a, where):
    output = result(a)
    rows = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=where)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.bitwise_and, operand0=127)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def no_further_than_the_last(a):
    output = result(a)
    rows = counted(64, 100)
    nisa.tensor_scalar(dst=rows, data=rows, op0=nl.minimum, operand0=127)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def skipped_where_outside(a):
    output = result(a)
    nisa.dma_copy(dst=output, src=a[0:64, 0:512])
    nisa.dma_copy(dst=output, src=a.vector_select(0, counted(64, 100)), oob_mode=nisa.oob_mode.skip)
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def overwritten_by_a_good_one(a):
    output = result(a)
    rows = counted(64, 500)
    nisa.memset(dst=rows, value=127)
    nisa.dma_copy(dst=output, src=a.vector_select(0, rows))
    return output


# nkilint: a: float32[128, 512], where: int32[64, 1]
@nki.jit
def one_of_two_tiles(a, where, other=False):
    output = result(a)
    counts, loaded = counted(64), nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=loaded, src=where)
    rows = counts if other else loaded
    nisa.memset(dst=rows, value=3)
    nisa.dma_copy(dst=output, src=a.vector_select(0, counts))
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def all_that_bytes_hold(a):
    output = result(a)
    columns = nl.ndarray((64, 256), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.iota(columns, [[1, 256]])
    nisa.dma_copy(dst=output, src=a[0:64, 0:512])
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def down_to_the_least(a):
    output = result(a)
    small = nl.ndarray((64, 1), dtype=nl.int8, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=small, data=counted(64), op0=nl.multiply, operand0=-2)
    nisa.dma_copy(dst=output, src=a[0:64, 0:512])
    return output


# nkilint: a: float32[64, C], C <= 256
@nki.jit
def asserted_columns(a):
    output = result(a)
    columns = nl.ndarray((64, a.shape[1]), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.iota(columns, [[1, a.shape[1]]])
    nisa.dma_copy(dst=output, src=a)
    return output


# nkilint: a: float32[64, C]
@nki.jit
def columns_by_chunks(a):
    """No axis is as long as what 32 bits count."""
    output = result(a)
    for c in range(a.shape[1] // 512):
        columns = nl.ndarray((64, 512), dtype=nl.int32, buffer=nl.sbuf)
        nisa.iota(columns, [[1, 512]], offset=c * 512)
    nisa.dma_copy(dst=output, src=a)
    return output


# nkilint: x: float32[128, N], N <= 300
@nki.jit
def filled_with_a_multiple_of_the_iteration(x):
    out = nl.ndarray((128, x.shape[1]), dtype=nl.int8, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, x.shape[1]), dtype=nl.int8, buffer=nl.sbuf)
    for i in range(x.shape[1]):
        nisa.memset(dst=tile[:, i : i + 1], value=i * 16)  # expect: NKI212 N <= 8
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, N]
@nki.jit
def filled_with_one_less_than_a_size(x):
    out = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 2), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.memset(dst=tile[:, 0:1], value=x.shape[1] - 1)
    nisa.memset(dst=tile[:, 1:2], value=x.shape[1] - 2)  # expect: NKI212 N >= 2
    nisa.dma_copy(dst=out, src=tile[:, 0:1])
    return out
