"""Buffers that take turns in the iterations of a loop."""

import nki
import nki.isa as nisa
import nki.language as nl


def buffer(columns, dtype):
    return nl.ndarray((128, columns), dtype=dtype, buffer=nl.sbuf)


def rows_of(x, i, columns):
    return x[i * 128 : (i + 1) * 128, 0:columns]


def turned(a, b):
    return b, a


@nki.jit
def swapped(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    n = rows // 128
    nisa.dma_copy(dst=here, src=rows_of(x, 0, columns))
    for i in range(n):
        if i + 1 < n:
            nisa.dma_copy(dst=ahead, src=rows_of(x, i + 1, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=here)
        here, ahead = ahead, here
    return out


@nki.jit
def swapped_before_it_is_loaded(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    for i in range(rows // 128):
        here, ahead = ahead, here
        nisa.dma_copy(dst=here, src=rows_of(x, i, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=here)
    return out


@nki.jit
def first_is_not_loaded(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    n = rows // 128
    for i in range(n):
        if i + 1 < n:
            nisa.dma_copy(dst=ahead, src=rows_of(x, i + 1, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=here)  # expect: NKI701
        here, ahead = ahead, here
    return out


@nki.jit
def never_swapped(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    n = rows // 128
    nisa.dma_copy(dst=here, src=rows_of(x, 0, columns))
    for i in range(n):
        if i + 1 < n:
            nisa.dma_copy(dst=ahead, src=rows_of(x, i + 1, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=here)
    return out


@nki.jit
def swapped_twice(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    n = rows // 128
    nisa.dma_copy(dst=here, src=rows_of(x, 0, columns))
    for i in range(n):
        nisa.dma_copy(dst=rows_of(out, i, columns), src=ahead)  # expect: NKI701
        here, ahead = ahead, here
        nisa.dma_copy(dst=ahead, src=rows_of(x, i, columns))
        here, ahead = ahead, here
    return out


@nki.jit
def ring_of_three(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    assert rows >= 256
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    a, b, c = [buffer(columns, x.dtype) for _ in range(3)]
    n = rows // 128
    nisa.dma_copy(dst=a, src=rows_of(x, 0, columns))
    nisa.dma_copy(dst=b, src=rows_of(x, 1, columns))
    for i in range(n):
        if i + 2 < n:
            nisa.dma_copy(dst=c, src=rows_of(x, i + 2, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=a)
        a, b, c = b, c, a
    return out


@nki.jit
def ring_the_other_way_round(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    assert rows >= 256
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    a, b, c = [buffer(columns, x.dtype) for _ in range(3)]
    n = rows // 128
    nisa.dma_copy(dst=a, src=rows_of(x, 0, columns))
    nisa.dma_copy(dst=b, src=rows_of(x, 1, columns))
    for i in range(n):
        if i + 2 < n:
            nisa.dma_copy(dst=c, src=rows_of(x, i + 2, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=a)  # expect: NKI701 rows >= 384
        a, b, c = c, a, b
    return out


@nki.jit
def list_that_goes_round(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    ring = [buffer(columns, x.dtype) for _ in range(2)]
    n = rows // 128
    nisa.dma_copy(dst=ring[0], src=rows_of(x, 0, columns))
    for i in range(n):
        if i + 1 < n:
            nisa.dma_copy(dst=ring[1], src=rows_of(x, i + 1, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=ring[0])
        ring.append(ring.pop(0))
    return out


@nki.jit
def list_swapped_in_place(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    ring = [buffer(columns, x.dtype) for _ in range(2)]
    n = rows // 128
    nisa.dma_copy(dst=ring[0], src=rows_of(x, 0, columns))
    for i in range(n):
        if i + 1 < n:
            nisa.dma_copy(dst=ring[1], src=rows_of(x, i + 1, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=ring[0])
        ring[0], ring[1] = ring[1], ring[0]  # expect: NKI803
    return out


@nki.jit
def new_list_each_time(x):  # expect: NKI003
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    ring = [buffer(columns, x.dtype) for _ in range(2)]
    n = rows // 128
    nisa.dma_copy(dst=ring[0], src=rows_of(x, 0, columns))
    for i in range(n):
        if i + 1 < n:
            nisa.dma_copy(dst=ring[1], src=rows_of(x, i + 1, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=ring[0])
        ring = ring[1:] + ring[:1]
    return out


class Buffers:
    def __init__(self, columns, dtype):
        self.here, self.ahead = buffer(columns, dtype), buffer(columns, dtype)

    def swap(self):
        self.here, self.ahead = self.ahead, self.here


@nki.jit
def object_that_swaps(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    both = Buffers(columns, x.dtype)
    n = rows // 128
    nisa.dma_copy(dst=both.here, src=rows_of(x, 0, columns))
    for i in range(n):
        if i + 1 < n:
            nisa.dma_copy(dst=both.ahead, src=rows_of(x, i + 1, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=both.here)
        both.swap()
    return out


@nki.jit
def last_one_is_read_after_the_loop(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    assert rows >= 128
    out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    n = rows // 128
    for i in range(n):
        nisa.dma_copy(dst=ahead, src=rows_of(x, i, columns))
        here, ahead = ahead, here
    nisa.dma_copy(dst=out, src=here)
    return out


@nki.jit
def the_other_one_is_read_after_the_loop(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    assert rows >= 128
    out = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    n = rows // 128
    for i in range(n):
        nisa.dma_copy(dst=ahead, src=rows_of(x, i, columns))
        here, ahead = ahead, here
    nisa.dma_copy(dst=out, src=ahead)  # expect: NKI701 rows >= 256
    return out


@nki.jit
def running_sum(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total, other = buffer(columns, nl.float32), buffer(columns, nl.float32)
    nisa.memset(dst=total, value=0.0)
    for i in range(rows // 128):
        tile = buffer(columns, x.dtype)
        nisa.dma_copy(dst=tile, src=rows_of(x, i, columns))
        nisa.tensor_tensor(dst=other, data1=total, data2=tile, op=nl.add)
        total, other = other, total
    nisa.dma_copy(dst=out, src=total)
    return out


@nki.jit
def in_an_inner_loop(x):
    planes, rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((planes, rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    n = rows // 128
    for p in range(planes):
        here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
        nisa.dma_copy(dst=here, src=x[p, 0:128, 0:columns])
        for i in range(n):
            if i + 1 < n:
                nisa.dma_copy(dst=ahead, src=x[p, (i + 1) * 128 : (i + 2) * 128, 0:columns])
            nisa.dma_copy(dst=out[p, i * 128 : (i + 1) * 128, 0:columns], src=here)
            here, ahead = ahead, here
    return out


@nki.jit
def narrower_second_one(x):  # expect: NKI003
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    assert columns >= 2
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns - 1, x.dtype)
    for i in range(rows // 128):
        nisa.dma_copy(dst=here, src=rows_of(x, i, columns))
        nisa.dma_copy(dst=rows_of(out, i, columns), src=here)
        here, ahead = ahead, here
    return out


@nki.jit
def fixed_number_of_turns(x):
    assert x.shape == (640, 256)
    out = nl.ndarray((640, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(256, x.dtype), buffer(256, x.dtype)
    nisa.dma_copy(dst=here, src=rows_of(x, 0, 256))
    for i in range(5):
        if i < 4:
            nisa.dma_copy(dst=ahead, src=rows_of(x, i + 1, 256))
        nisa.dma_copy(dst=rows_of(out, i, 256), src=here)
        here, ahead = ahead, here
    return out


@nki.jit
def swapped_sometimes(x):  # expect: NKI003
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    nisa.memset(dst=here, value=0.0)
    for i in range(rows // 128):
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=here)
        if i % 3 == 0:
            here, ahead = ahead, here
    return out


@nki.jit
def swapped_with_new(x):  # expect: NKI003
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    nisa.memset(dst=here, value=0.0)
    for i in range(rows // 128):
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=here)
        here, ahead = ahead, buffer(columns, x.dtype)
    return out


@nki.jit
def three_names_two_move(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    a, b, c = buffer(columns, x.dtype), buffer(columns, x.dtype), buffer(columns, x.dtype)
    nisa.memset(dst=c, value=0.0)
    for i in range(rows // 128):
        nisa.dma_copy(dst=a, src=x[i * 128:(i + 1) * 128, 0:columns])
        nisa.tensor_tensor(dst=b, data1=a, data2=c, op=nl.add)
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=b)
        b, c = c, b
    return out


@nki.jit
def same_tensor_twice(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    a = buffer(columns, x.dtype)
    b = a
    for i in range(rows // 128):
        nisa.dma_copy(dst=a, src=x[i * 128:(i + 1) * 128, 0:columns])
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=b)
        a, b = b, a
    return out


@nki.jit
def outer_swap(x):
    planes, rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((planes, rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    for p in range(planes):
        for i in range(rows // 128):
            nisa.dma_copy(dst=here, src=x[p, i * 128:(i + 1) * 128, 0:columns])
            nisa.dma_copy(dst=out[p, i * 128:(i + 1) * 128, 0:columns], src=here)
            here, ahead = ahead, here
    return out


@nki.jit
def parts_of_one(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 1024
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    both = nl.ndarray((128, 2 * columns), dtype=x.dtype, buffer=nl.sbuf)
    here, ahead = both[:, 0:columns], both[:, columns:2 * columns]
    n = rows // 128
    nisa.dma_copy(dst=here, src=x[0:128, 0:columns])
    for i in range(n):
        if i + 1 < n:
            nisa.dma_copy(dst=ahead, src=x[(i + 1) * 128:(i + 2) * 128, 0:columns])
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=here)
        here, ahead = ahead, here
    return out


@nki.jit
def by_helper(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    nisa.memset(dst=here, value=0.0)
    for i in range(rows // 128):
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=here)  # expect: NKI701 rows == 128
        here, ahead = turned(here, ahead)
    return out


@nki.jit
def stepped(x):
    rows, columns = x.shape
    assert rows % 256 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    nisa.memset(dst=here, value=0.0)
    for i in range(0, rows // 128, 2):
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=here)  # expect: NKI701 rows == 256
        nisa.dma_copy(dst=out[(i + 1) * 128:(i + 2) * 128, 0:columns], src=here)
        here, ahead = ahead, here
    return out


@nki.jit
def by_while(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    nisa.memset(dst=here, value=0.0)
    i = 0
    while i < rows // 128:
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=here)  # expect: NKI701 rows == 128
        here, ahead = ahead, here
        i += 1
    return out


@nki.jit
def swapped_and_replaced(x):  # expect: NKI003
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    here, ahead = buffer(columns, x.dtype), buffer(columns, x.dtype)
    nisa.memset(dst=here, value=0.0)
    nisa.memset(dst=ahead, value=0.0)
    for i in range(rows // 128):
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=here)
        here, ahead = ahead, here
        if i == 3:
            here = buffer(columns, x.dtype)
    return out


@nki.jit
def one_list_in_two_names(x):
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 2048
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    ring = [buffer(columns, x.dtype), buffer(columns, x.dtype)]
    same = ring
    nisa.memset(dst=ring[0], value=0.0)
    for i in range(rows // 128):
        nisa.dma_copy(dst=out[i * 128:(i + 1) * 128, 0:columns], src=same[0])  # expect: NKI701 rows == 128
        ring.reverse()
    return out


def filled(output):
    zeros = nl.ndarray(output.shape, dtype=output.dtype, buffer=nl.sbuf)
    nisa.memset(dst=zeros, value=0.0)
    nisa.dma_copy(dst=output, src=zeros)


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def outputs_that_are_swapped(x):
    """Whichever name a tensor is returned by."""
    first = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    second = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(x.shape[1]):
        first, second = second, first
        filled(second)
    return first, second  # expect: NKI702 N >= 2


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def outputs_that_are_swapped_often_enough(x):
    first = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    second = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(x.shape[1] + 1):
        first, second = second, first
        filled(second)
    return first, second
