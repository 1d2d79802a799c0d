"""Sizes that docstrings give as products: what hangs on their parts is known."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def heads_beside_each_other(q, heads: int):
    """
    Args:
        q: input of shape [128, heads * depth]
    """
    depth = q.shape[1] // heads
    assert depth <= 512
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    for h in range(heads):
        t = nl.ndarray((128, depth), dtype=q.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=q[:, h * depth : h * depth + depth])
        nisa.dma_copy(dst=out[:, h * depth : h * depth + depth], src=t)
    return out


@nki.jit
def heads_moved_by_one(q, heads: int):
    """
    Args:
        q: input of shape [128, heads * depth]
    """
    depth = q.shape[1] // heads
    assert depth <= 512
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    for h in range(heads):
        t = nl.ndarray((128, depth), dtype=q.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=q[:, h * depth : h * depth + depth])
        nisa.dma_copy(dst=out[:, h * depth + 1 : h * depth + depth + 1], src=t)  # expect: NKI301
    return out  # expect: NKI703


@nki.jit
def heads_below_each_other(q, k):
    """
    Args:
        q: shape (heads * depth, n)
        k: shape (depth, n)
    """
    d, n = k.shape
    assert n <= 512
    out = nl.ndarray(q.shape, dtype=q.dtype, buffer=nl.shared_hbm)
    assert d <= 128
    for h in range(q.shape[0] // d):
        t = nl.ndarray((d, n), dtype=q.dtype, buffer=nl.sbuf)
        u = nl.ndarray((d, n), dtype=q.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=q[h * d : h * d + d, :])
        nisa.dma_copy(dst=u, src=k)
        nisa.tensor_tensor(dst=t, data1=t, data2=u, op=nl.add)
        nisa.dma_copy(dst=out[h * d : h * d + d, :], src=t)
    return out


@nki.jit
def two_halves(q):
    """
    Args:
        q: shape (128, 2 * n)
    """
    p, m = q.shape
    n = m // 2
    assert n <= 512
    out = nl.ndarray((p, n), dtype=q.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((p, n), dtype=q.dtype, buffer=nl.sbuf)
    u = nl.ndarray((p, n), dtype=q.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=q[:, 0:n])
    nisa.dma_copy(dst=u, src=q[:, n:m])
    nisa.tensor_tensor(dst=t, data1=t, data2=u, op=nl.add)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def one_more_than_two_halves(q):
    """
    Args:
        q: shape (128, 2 * n + 1)
    """
    p, m = q.shape
    n = m // 2
    assert n <= 512
    out = nl.ndarray((p, n), dtype=q.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((p, n), dtype=q.dtype, buffer=nl.sbuf)
    u = nl.ndarray((p, n), dtype=q.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=q[:, 0:n])
    nisa.dma_copy(dst=u, src=q[:, n:m])  # expect: NKI204
    nisa.tensor_tensor(dst=t, data1=t, data2=u, op=nl.add)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def a_difference_says_nothing(q):
    """
    Args:
        q: shape (128, n - 1)
    """
    p, m = q.shape
    out = nl.ndarray((p, m), dtype=q.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((p, 512), dtype=q.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=q)  # expect-warning: NKI204 m == 512
    nisa.dma_copy(dst=out, src=t)
    return out
