"""Counterexamples that come to what they show: by loops, branches, dtypes and assertions."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def lost_in_two_loops(x):
    b, m, n = x.shape
    assert n == 64
    assert m % 128 == 0
    out = nl.ndarray((b, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(b):
        acc = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        for j in nl.sequential_range(m // 128):
            acc[...] = nl.load(x[i, nl.ds(128 * j, 128), :])  # expect-warning: NKI708 m == 128
        nl.store(out[i], value=acc)
    return out


@nki.jit
def kept_in_two_loops(x):
    b, m, n = x.shape
    assert n == 64
    assert m % 128 == 0
    out = nl.ndarray((b, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(b):
        acc = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        for j in nl.sequential_range(m // 128):
            acc[...] = nl.add(acc, nl.load(x[i, nl.ds(128 * j, 128), :]))
        nl.store(out[i], value=acc)
    return out


@nki.jit
def neighbours_in_parallel(x):
    """Only from the second iteration on is anything read that another one wrote."""
    m = x.shape[0]
    assert x.shape[1] == 64
    assert m % 128 == 0
    assert m >= 256
    out = nl.ndarray((m, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    last = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.affine_range(m // 128):
        t = nl.load(x[nl.ds(128 * i, 128), :])
        nl.store(out[nl.ds(128 * i, 128), :], value=nl.add(t, last))
        last[...] = nl.copy(t)  # expect: NKI601
    return out


@nki.jit
def neighbours_in_order(x):
    m = x.shape[0]
    assert x.shape[1] == 64
    assert m % 128 == 0
    assert m >= 256
    out = nl.ndarray((m, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    last = nl.zeros((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    for i in nl.sequential_range(m // 128):
        t = nl.load(x[nl.ds(128 * i, 128), :])
        nl.store(out[nl.ds(128 * i, 128), :], value=nl.add(t, last))
        last[...] = nl.copy(t)
    return out


@nki.jit
def bfloat16_only(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    if x.dtype == nl.bfloat16:
        nl.store(out[0:128, 0:64], value=nl.load(x[0:128, 1:65]))  # expect: NKI301
    else:
        nl.store(out, value=nl.load(x))
    return out


@nki.jit
def rows_meet(x):
    """Two rows apart, the same row is written."""
    m = x.shape[0]
    assert x.shape[1] == 64
    assert m >= 3
    out = nl.ndarray((m, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out[0:1, :], value=nl.load(x[0:1, :]))
    for i in nl.affine_range(m):
        nl.store(out[nl.ds(i % 2, 1), :], value=nl.load(x[nl.ds(i, 1), :]))  # expect: NKI602
    return out  # expect: NKI703


@nki.jit
def rows_do_not_meet(x):
    m = x.shape[0]
    assert x.shape[1] == 64
    out = nl.ndarray((m, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(m):
        nl.store(out[nl.ds(m - 1 - i, 1), :], value=nl.load(x[nl.ds(i, 1), :]))
    return out
