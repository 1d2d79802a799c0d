"""Loops from part to part of an input that leave out the first or the last of them."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def without_the_last(a):
    K, M = a.shape
    assert K % 128 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.sequential_range(K // 128 - 1):
        acc[...] = nl.add(acc, nl.load(a[nl.ds(k * 128, 128), :]))  # expect: NKI709
    nl.store(out, acc)
    return out


@nki.jit
def without_the_first(a):
    K, M = a.shape
    assert K % 128 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.sequential_range(1, K // 128):
        acc[...] = nl.add(acc, nl.load(a[nl.ds(k * 128, 128), :]))  # expect: NKI709
    nl.store(out, acc)
    return out


@nki.jit
def contraction(left, right):
    K, M = left.shape
    assert right.shape == (K, 512) and M == 128 and K % 128 == 0
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(K // 128 - 1):
        stationary = nl.load(left[nl.ds(k * 128, 128), :])  # expect: NKI709
        moving = nl.load(right[nl.ds(k * 128, 128), :])  # expect: NKI709
        total += nisa.nc_matmul(stationary, moving)
    nl.store(out, nl.copy(total))
    return out


@nki.jit
def columns(a):
    P, N = a.shape
    assert P == 128 and N == 4096
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.sequential_range(7):
        acc[...] = nl.add(acc, nl.sum(nl.load(a[:, nl.ds(k * 512, 512)]), axis=1, keepdims=True))  # expect: NKI709
    nl.store(out, acc)
    return out


@nki.jit
def the_last_alone(a):
    K, M = a.shape
    assert K % 128 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.sequential_range(K // 128 - 1):
        acc[...] = nl.add(acc, nl.load(a[nl.ds(k * 128, 128), :]))
    acc[...] = nl.add(acc, nl.load(a[nl.ds(K - 128, 128), :]))
    nl.store(out, acc)
    return out


@nki.jit
def a_result_without_it(a):
    K, M = a.shape
    assert K % 128 == 0 and M == 512
    out = nl.ndarray((K - 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for k in nl.affine_range(K // 128 - 1):
        nl.store(out[nl.ds(k * 128, 128), :], nl.load(a[nl.ds(k * 128, 128), :]))
    return out


@nki.jit
def one_half(a):
    K, M = a.shape
    assert K % 256 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.sequential_range(K // 256):
        acc[...] = nl.add(acc, nl.load(a[nl.ds(k * 128, 128), :]))
    nl.store(out, acc)
    return out


@nki.jit
def windows(a):
    P, N = a.shape
    assert P == 128 and N % 512 == 0
    out = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = nl.zeros((128, 1024), dtype=nl.float32, buffer=nl.sbuf)
    for k in nl.sequential_range(N // 512 - 1):
        acc[...] = nl.add(acc, nl.load(a[:, nl.ds(k * 512, 1024)]))
    nl.store(out, acc)
    return out


@nki.jit
def blocks_without_the_first(a):
    K, M = a.shape
    assert K % 512 == 0 and M == 512
    out = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for block in nl.sequential_range(1, K // 512):
        for k in nl.sequential_range(4):
            total[...] = nl.add(total, nl.load(a[nl.ds((block * 4 + k) * 128, 128), :]))  # expect: NKI709
    nl.store(out, value=total)
    return out


@nki.jit
def blocks_of_which_results_have_the_last(a):
    """Each block has a result, and the last one is none of them."""
    K, M = a.shape
    assert K % 512 == 0 and M == 512 and K >= 1024
    out = nl.ndarray((K // 512 - 1, 128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    for block in nl.affine_range(K // 512 - 1):
        total = nl.zeros((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
        for k in nl.sequential_range(4):
            total[...] = nl.add(total, nl.load(a[nl.ds((block * 4 + k) * 128, 128), :]))
        nl.store(out[block], value=total)
    return out
