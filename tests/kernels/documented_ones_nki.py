"""Sizes in docstrings: a size of 1 may stand for what is broadcast somewhere, and is no ground for an error."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def broadcast_before(act, bias, tokens: int):  # expect: NKI003
    """Adds.

    Args:
        act (nl.ndarray): [tokens, 512]
        bias (nl.ndarray): [1, 512]
    """
    assert 2 <= tokens and tokens <= 128
    out = nl.ndarray((tokens, 512), dtype=act.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((tokens, 512), dtype=act.dtype, buffer=nl.sbuf)
    b = nl.ndarray((tokens, 512), dtype=act.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=act)
    nisa.dma_copy(dst=b, src=bias[:tokens, :])
    nisa.tensor_tensor(dst=t, data1=t, op=nl.add, data2=b)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def of_two_rows(act, bias, tokens: int):
    """Adds.

    Args:
        act (nl.ndarray): [tokens, 512]
        bias (nl.ndarray): [2, 512]
    """
    assert 3 <= tokens and tokens <= 128
    out = nl.ndarray((tokens, 512), dtype=act.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((tokens, 512), dtype=act.dtype, buffer=nl.sbuf)
    b = nl.ndarray((tokens, 512), dtype=act.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=act)
    nisa.dma_copy(dst=b, src=bias[:tokens, :])  # expect: NKI301
    nisa.tensor_tensor(dst=t, data1=t, op=nl.add, data2=b)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def too_wide_all_the_same(act, bias):
    """Adds.

    Args:
        act (nl.ndarray): [128, 512]
        bias (nl.ndarray): [1, 512]
    """
    t = nl.ndarray((256, 512), dtype=act.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.memset(dst=t, value=0.0)
    out = nl.ndarray((1, 512), dtype=act.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=bias)
    return out
