"""Loops that run once wherever they run at all read one part, which is all that there is."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def one_head_for_each(q, k):
    q_heads, d, rows = q.shape
    heads, _, columns = k.shape
    assert q_heads == 1
    assert k.shape == (heads, d, columns)
    assert d <= 128
    assert rows == columns
    assert rows <= 512
    out = nl.ndarray((q_heads, d, rows), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in range(q_heads // heads):
        ours = nl.ndarray((d, rows), dtype=q.dtype, buffer=nl.sbuf)
        theirs = nl.ndarray((d, columns), dtype=k.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=ours, src=q[h])
        nisa.dma_copy(dst=theirs, src=k[0])
        nisa.tensor_tensor(dst=ours, data1=ours, data2=theirs, op=nl.add)
        nisa.dma_copy(dst=out[h], src=ours)
    return out  # expect: NKI702 heads == 1


@nki.jit
def the_first_head_for_all(q, k):
    heads, d, rows = q.shape
    assert k.shape == q.shape
    assert d <= 128
    assert rows <= 512
    out = nl.ndarray((heads, d, rows), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in range(heads):
        ours = nl.ndarray((d, rows), dtype=q.dtype, buffer=nl.sbuf)
        theirs = nl.ndarray((d, rows), dtype=k.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=ours, src=q[h])
        nisa.dma_copy(dst=theirs, src=k[0])  # expect: NKI709 heads == 1
        nisa.tensor_tensor(dst=ours, data1=ours, data2=theirs, op=nl.add)
        nisa.dma_copy(dst=out[h], src=ours)
    return out
