"""Flags and other values that the first iteration of a loop finds otherwise than those after it."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def summed_but_for_the_first(left, right):
    """
    left: (K, 128)
    right: (K, 512)
    """
    depth = left.shape[0]
    assert depth % 128 == 0 and depth >= 256
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    first = True
    for k in range(depth // 128):
        a = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf)
        b = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=left[nl.ds(k * 128, 128), :])
        nisa.dma_copy(dst=b, src=right[nl.ds(k * 128, 128), :])
        nisa.nc_matmul(dst=sums, stationary=a, moving=b, accumulate=not first)
        first = False
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=sums)
    nisa.dma_copy(dst=out, src=result)
    return out


@nki.jit
def begun_anew_each_time(left, right):
    """
    left: (K, 128)
    right: (K, 512)
    """
    depth = left.shape[0]
    assert depth % 128 == 0 and depth >= 256
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    first = False
    for k in range(depth // 128):
        a = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf)
        b = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=left[nl.ds(k * 128, 128), :])
        nisa.dma_copy(dst=b, src=right[nl.ds(k * 128, 128), :])
        nisa.nc_matmul(dst=sums, stationary=a, moving=b, accumulate=not first)  # expect: NKI506  # expect: NKI701
        first = True
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=sums)
    nisa.dma_copy(dst=out, src=result)
    return out


@nki.jit
def loaded_but_in_the_first(x):
    """x: (128, n)"""
    n = x.shape[1]
    assert n % 512 == 0
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    first = True
    for i in range(n // 512):
        if not first:
            nisa.dma_copy(dst=tile, src=x[:, nl.ds(i * 512, 512)])
        first = False
    nisa.dma_copy(dst=out, src=tile)  # expect-warning: NKI701 n >= 1024
    return out


@nki.jit
def differences(x):
    """x: (128, n)"""
    n = x.shape[1]
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    before = None
    for i in range(n):
        one = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=one, src=x[:, nl.ds(i, 1)])
        if before != None:  # noqa: E711
            other = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=other, src=x[:, nl.ds(before, 1)])
            nisa.tensor_tensor(dst=one, data1=one, data2=other, op=nl.subtract)
        before = i
        nisa.dma_copy(dst=out[:, nl.ds(i, 1)], src=one)
    return out


@nki.jit
def differences_to_one_too_far(x):
    """x: (128, n)"""
    n = x.shape[1]
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    before = None
    for i in range(n):
        one = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=one, src=x[:, nl.ds(i, 1)])
        if before != None:  # noqa: E711
            other = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=other, src=x[:, nl.ds(before, 1)])  # expect: NKI301
            nisa.tensor_tensor(dst=one, data1=one, data2=other, op=nl.subtract)
        before = i + 2
        nisa.dma_copy(dst=out[:, nl.ds(i, 1)], src=one)
    return out


@nki.jit
def stored_one_later(x):
    """x: (128, n)"""
    n = x.shape[1]
    assert n % 512 == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    prev = None
    for i in range(n // 512):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, nl.ds(i * 512, 512)])
        if prev != None:  # noqa: E711
            nisa.dma_copy(dst=out[:, nl.ds((i - 1) * 512, 512)], src=prev)
        prev = t
    nisa.dma_copy(dst=out[:, nl.ds(n - 512, 512)], src=prev)
    return out


@nki.jit
def the_last_one_is_not_stored(x):
    """x: (128, n)"""
    n = x.shape[1]
    assert n % 512 == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    prev = None
    for i in range(n // 512):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, nl.ds(i * 512, 512)])
        if prev != None:  # noqa: E711
            nisa.dma_copy(dst=out[:, nl.ds((i - 1) * 512, 512)], src=prev)
        prev = t
    return out  # expect: NKI703


@nki.jit
def stored_before_the_next_is_loaded(x):
    """x: (128, n)"""
    n = x.shape[1]
    assert n % 512 == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    prev = None
    for i in range(n // 512):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        if prev != None:  # noqa: E711
            nisa.dma_copy(dst=out[:, nl.ds((i - 1) * 512, 512)], src=prev)
        nisa.dma_copy(dst=t, src=x[:, nl.ds(i * 512, 512)])
        prev = t
    nisa.dma_copy(dst=out[:, nl.ds(n - 512, 512)], src=prev)
    return out


@nki.jit
def never_loaded(x):  # expect: NKI003
    """x: (128, n)"""
    n = x.shape[1]
    assert n % 512 == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    prev = None
    for i in range(n // 512):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        if prev != None:  # noqa: E711
            nisa.dma_copy(dst=out[:, nl.ds((i - 1) * 512, 512)], src=prev)
        prev = t
    nisa.memset(dst=t, value=0.0)
    nisa.dma_copy(dst=out[:, nl.ds(n - 512, 512)], src=prev)
    return out


@nki.jit
def half_loaded(x):  # expect: NKI003
    """x: (128, n)"""
    n = x.shape[1]
    assert n % 512 == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    prev = None
    for i in range(n // 512):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[:, 0:256], src=x[:, nl.ds(i * 512, 256)])
        if prev != None:  # noqa: E711
            nisa.dma_copy(dst=out[:, nl.ds((i - 1) * 512, 512)], src=prev)
        prev = t
    nisa.dma_copy(dst=out[:, nl.ds(n - 512, 512)], src=prev)  # expect: NKI701
    return out


@nki.jit
def written_through_the_name(x):
    """x: (128, n)"""
    n = x.shape[1]
    assert n % 512 == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    prev = None
    for i in range(n // 512):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, nl.ds(i * 512, 512)])
        if prev != None:  # noqa: E711
            nisa.tensor_tensor(dst=prev, data1=prev, data2=t, op=nl.add)
            nisa.dma_copy(dst=out[:, nl.ds((i - 1) * 512, 512)], src=prev)
        prev = t
    nisa.dma_copy(dst=out[:, nl.ds(n - 512, 512)], src=prev)
    return out


@nki.jit
def two_back(x):  # expect: NKI003
    """x: (128, n)"""
    n = x.shape[1]
    assert n % 512 == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    prev = None
    last = None
    for i in range(n // 512):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[:, nl.ds(i * 512, 512)])
        if last != None:
            nisa.dma_copy(dst=out[:, nl.ds((i - 2) * 512, 512)], src=last)
        last = prev
        prev = t
    return out


@nki.jit
def copied_on_from_a_half(x, n: int):  # expect: NKI003
    """x: (128, 512)"""
    assert n >= 1
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    prev = None
    for i in range(n):
        t = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        if i > 0:
            nisa.dma_copy(dst=t, src=prev)
        else:
            nisa.dma_copy(dst=t[:, 0:256], src=x[:, 0:256])
        prev = t
    nisa.dma_copy(dst=out, src=prev)  # expect-warning: NKI701 n >= 2
    return out
