"""Iterations that meet by a quotient or a remainder of a symbolic size, which they do for every size, or for none."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def by_a_remainder(x, n):
    assert x.shape == (128, 2 * n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(2 * n):
        nl.store(out[0:128, nl.ds(i % n, 1)], nl.load(x[0:128, nl.ds(i, 1)]))  # expect: NKI602
    return out


@nki.jit
def by_a_quotient(x, n):
    assert x.shape == (128, 2 * n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(2 * n):
        nl.store(out[0:128, nl.ds(i // 2, 1)], nl.load(x[0:128, nl.ds(i, 1)]))  # expect: NKI602
    return out


@nki.jit
def once_around(x, n):
    """`i % n` is `i`."""
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(n):
        nl.store(out[0:128, nl.ds(i % n, 1)], nl.load(x[0:128, nl.ds(i, 1)]))
    return out


@nki.jit
def in_order(x, n):
    """Iterations of a sequential loop may write the same elements, unless all of them do."""
    assert x.shape == (128, 2 * n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(2 * n):
        nl.store(out[0:128, nl.ds(i // 2, 1)], nl.load(x[0:128, nl.ds(i, 1)]))  # expect: NKI708 n >= 2
    return out
