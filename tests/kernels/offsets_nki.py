"""Views at offsets that tiles hold: their static part stays inside, and so does what the tiles are known to hold (NKI301)."""

import nki
import nki.isa as nisa
import nki.language as nl


def index(value, dtype=nl.int32):
    made = nl.ndarray((1, 1), dtype=dtype, buffer=nl.sbuf)
    nisa.memset(dst=made, value=value)
    return made


def places(count, first=0, step=1):
    made = nl.ndarray((count, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(made, [[1, 1]], first, step)
    return made


def result(columns=512, rows=128):
    return nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)


# --- found ---


# nkilint: a: float32[512, 512], where: int32[1, 1]
@nki.jit
def static_part_beyond_the_end(a, where):
    output = result()
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=where)
    nisa.dma_copy(
        dst=output,
        src=a.ap(pattern=[[512, 128], [1, 512]], offset=450 * 512, scalar_offset=place),  # expect: NKI301
    )
    return output


# nkilint: a: float32[M, 512], where: int32[1, 1]
@nki.jit
def static_part_of_some_sizes(a, where):
    output = result()
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=where)
    nisa.dma_copy(
        dst=output,
        src=a.ap(pattern=[[512, 128], [1, 512]], offset=0, scalar_offset=place),  # expect-warning: NKI301 M >= 128
    )
    return output


# nkilint: a: float32[128, 512], where: int32[64, 1]
@nki.jit
def rows_longer_than_the_tensor(a, where):
    output = result(128 * 512 + 1, 64)
    place = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=where)
    nisa.dma_copy(
        dst=output,
        src=a.ap(pattern=[[512, 64], [1, 128 * 512 + 1]], offset=0, vector_offset=place),  # expect: NKI301
    )
    return output


# nkilint: a: float32[512, 512]
@nki.jit
def constant_offset_too_large(a):
    output = result()
    nisa.dma_copy(
        dst=output,
        src=a.ap(pattern=[[512, 128], [1, 512]], scalar_offset=index(385)),  # expect: NKI301
    )
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def counted_offsets_too_large(a):
    output = result(rows=64)
    nisa.dma_copy(dst=output, src=a.ap(pattern=[[512, 64], [1, 512]], vector_offset=places(64, 4, 2)))  # expect: NKI301
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def counted_rows_too_large(a):
    output = result(rows=64)
    nisa.dma_copy(dst=output, src=a.vector_select(0, places(64, 65)))  # expect: NKI301
    return output


# nkilint: a: float32[4, 128, 512]
@nki.jit
def batch_too_large(a):
    output = result()
    nisa.dma_copy(dst=output, src=a.select(0, index(4)))  # expect: NKI301
    return output


# nkilint: a: float32[4, 128, 512]
@nki.jit
def sum_too_large(a):
    output = result()
    place = index(3)
    second = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=second, data=place, op0=nl.add, operand0=2)
    nisa.dma_copy(dst=output, src=a.select(0, second))  # expect: NKI301
    return output


# nkilint: a: float32[4, 128, 512]
@nki.jit
def copy_of_a_constant_too_large(a):
    output = result()
    copied = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=index(7))
    nisa.dma_copy(dst=output, src=a.select(0, copied))  # expect: NKI301
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def negative_row(a):
    output = result(rows=64)
    nisa.dma_copy(dst=output, src=a.vector_select(0, places(64, -1)))  # expect: NKI301
    return output


# nkilint: a: float32[4, 128, 512]
@nki.jit
def too_large_in_a_loop(a):
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(4):
        nisa.dma_copy(dst=output[i], src=a.select(0, index(2 * i)))  # expect: NKI301
    return output


# --- silent ---


# nkilint: a: float32[512, 512], where: int32[1, 1]
@nki.jit
def offset_of_the_caller(a, where):
    output = result()
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=where)
    nisa.dma_copy(dst=output, src=a.ap(pattern=[[512, 128], [1, 512]], offset=384 * 512, scalar_offset=place))
    return output


# nkilint: a: float32[512, 512]
@nki.jit
def last_constant_offset(a):
    output = result(256)
    nisa.dma_copy(dst=output, src=a.ap(pattern=[[512, 128], [1, 256]], scalar_offset=index(3 * 128)))
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def every_second_row(a):
    output = result(rows=64)
    nisa.dma_copy(dst=output, src=a.ap(pattern=[[512, 64], [1, 512]], vector_offset=places(64, 0, 2)))
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def rows_from_the_end(a):
    output = result(rows=64)
    nisa.dma_copy(dst=output, src=a.vector_select(0, places(64, 127, -1)))
    return output


# nkilint: a: float32[4, 128, 512]
@nki.jit
def last_batch(a):
    output = result()
    nisa.dma_copy(dst=output, src=a.select(0, index(3)))
    return output


# nkilint: a: float32[4, 128, 512], where: int32[1, 1]
@nki.jit
def masked_batch(a, where):
    output = result()
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=where)
    nisa.tensor_scalar(dst=place, data=place, op0=nl.bitwise_and, operand0=3)
    nisa.dma_copy(dst=output, src=a.select(0, place))
    return output


# nkilint: a: float32[4, 128, 512], where: int32[1, 1]
@nki.jit
def overwritten_index(a, where):
    output = result()
    place = index(9)
    nisa.dma_copy(dst=place, src=where)
    nisa.dma_copy(dst=output, src=a.select(0, place))
    return output


# nkilint: a: float32[4, 128, 512]
@nki.jit
def counted_on_in_a_loop(a):
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    place = index(0)
    for i in range(4):
        nisa.dma_copy(dst=output[i], src=a.select(0, place))
        nisa.tensor_scalar(dst=place, data=place, op0=nl.add, operand0=1)
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def some_of_the_counted_rows(a):
    output = result(rows=64)
    chosen = places(128, 0, 2)
    nisa.dma_copy(dst=output, src=a.vector_select(0, chosen[0:64, 0:1]))
    return output


# nkilint: a: float32[4, 128, 512]
@nki.jit
def in_range_in_a_loop(a):
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(4):
        nisa.dma_copy(dst=output[i], src=a.select(0, index(3 - i)))
    return output


# nkilint: a: float32[128, 512]
@nki.jit
def rows_of_another_axis(a):
    output = result(columns=64)
    nisa.dma_copy(
        dst=output,
        src=a.ap(pattern=[[512, 128], [1, 64]], vector_offset=places(128), indirect_dim=1),  # expect: NKI306
    )
    return output


# nkilint: a: float32[512, 512]
@nki.jit
def constant_offset_and_the_same_dtype(a):
    output = result()
    nisa.dma_copy(
        dst=output,
        src=a.ap(pattern=[[512, 128], [1, 512]], scalar_offset=index(385), dtype=a.dtype),  # expect: NKI301
    )
    return output


# nkilint: a: float32[512, 512]
@nki.jit
def last_offset_and_the_same_dtype(a):
    output = result()
    nisa.dma_copy(dst=output, src=a.ap(pattern=[[512, 128], [1, 512]], scalar_offset=index(384), dtype=a.dtype))
    return output


# nkilint: a: float32[128, 512], where: int32[1, 1]
@nki.jit
def rows_of_two_cores_and_the_same_dtype(a, where):
    """Each core stores to its own rows, wherever along them."""
    assert nl.num_programs(0) == 2
    output = nl.ndarray((256, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=where)
    core = nl.program_id(0)
    for i in range(2):
        nisa.dma_copy(dst=output[128 * core : 128 * core + 128, 512 * i : 512 * i + 512], src=a)
    column = output.ap(
        pattern=[[1024, 128], [1, 1]], offset=core * 128 * 1024, scalar_offset=place, indirect_dim=1, dtype=nl.float32
    )
    nisa.dma_copy(dst=column, src=a[:, 0:1])
    return output
