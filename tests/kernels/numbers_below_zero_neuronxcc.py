"""Numbers of which a kernel says how far below zero they may go: nobody takes these for sizes."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def asserted(x, n):
    assert x.shape == (128, 200) and -20 <= n <= 20
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, n : n + 64]))  # expect: NKI301 n >= 0
    return out


@nki.jit
def refused(x, n):
    if n < -20 or n > 20:
        raise ValueError("too far")
    assert x.shape == (128, 200)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, n : n + 64]))  # expect: NKI301 n >= 0
    return out


@nki.jit
def as_far_as_there_are_columns(x, n):
    columns = x.shape[1]
    assert x.shape[0] == 128 and -columns <= n and n + 1 <= columns
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, nl.ds(n, 1)]))  # expect: NKI301 n >= 0
    return out


@nki.jit
def counted_from_the_end(x, n):
    columns = x.shape[1]
    assert x.shape[0] == 128 and -columns <= n and n + 1 <= columns
    if n < 0:
        n += columns
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, n : n + 1]))
    return out


@nki.jit
def shifted(x, n):
    assert x.shape == (128, 200) and -20 <= n <= 20
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, n + 20 : n + 84]))
    return out


@nki.jit
def of_any_size(x, n):
    assert x.shape[0] == 128 and n + 64 <= x.shape[1]
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, n : n + 64]))
    return out


@nki.jit
def bounded_by_zero(x, n):
    assert x.shape == (128, 200) and 0 <= n <= 20
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, n : n + 64]))
    return out
