"""Sums that go on after they were read, in one loop or another: each has its condition."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def begun_anew_in_each_tile(left, right):
    depth, rows = left.shape
    other, columns = right.shape
    assert other == depth and depth % 128 == 0 and rows % 128 == 0 and columns % 512 == 0
    out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for m in range(rows // 128):
        for n in range(columns // 512):
            for k in range(depth // 128):
                a = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf)
                b = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=a, src=left[k * 128 : (k + 1) * 128, m * 128 : (m + 1) * 128])
                nisa.dma_copy(dst=b, src=right[k * 128 : (k + 1) * 128, n * 512 : (n + 1) * 512])
                nisa.nc_matmul(dst=total, stationary=a, moving=b, accumulate=k > 0)
            result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=total)
            nisa.dma_copy(dst=out[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512], src=result)
    return out


@nki.jit
def begun_anew_in_no_tile_but_the_first(left, right):
    depth, rows = left.shape
    other, columns = right.shape
    assert other == depth and depth % 128 == 0 and rows % 128 == 0 and columns % 512 == 0
    out = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for m in range(rows // 128):
        for n in range(columns // 512):
            for k in range(depth // 128):
                a = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf)
                b = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=a, src=left[k * 128 : (k + 1) * 128, m * 128 : (m + 1) * 128])
                nisa.dma_copy(dst=b, src=right[k * 128 : (k + 1) * 128, n * 512 : (n + 1) * 512])
                more = m + n + k > 0
                nisa.nc_matmul(total, a, b, accumulate=more)  # expect: NKI504 columns == 512  # expect: NKI504 rows == 128
            result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=total)
            nisa.dma_copy(dst=out[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512], src=result)
    return out
