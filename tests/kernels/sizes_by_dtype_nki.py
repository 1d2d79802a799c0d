"""Sizes that a dtype chooses, used where another test has said which dtype it is."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def as_large_as_chosen(q):
    rows, d = q.shape
    assert d <= 128 and rows <= 1023
    groups = (rows + 127) // 128
    g = min(4 if q.dtype == nl.float32 else 8, groups)
    out = nl.ndarray((d, 128 * g), dtype=q.dtype, buffer=nl.sbuf)
    nisa.memset(dst=out, value=0.0)
    result = nl.ndarray((d, 1), dtype=q.dtype, buffer=nl.shared_hbm)
    n = min(rows, 128 * g)
    if str(q.dtype) == str(nl.bfloat16):
        nisa.dma_copy(dst=out.ap([[128 * g, d], [1, n]]), src=q.ap([[1, d], [d, n]]))
    nisa.dma_copy(dst=result, src=out[:, 0:1])
    return result


@nki.jit
def larger_than_chosen(q):
    rows, d = q.shape
    assert d <= 128 and rows <= 1023
    groups = (rows + 127) // 128
    g = min(4 if q.dtype == nl.float32 else 8, groups)
    out = nl.ndarray((d, 128 * g), dtype=q.dtype, buffer=nl.sbuf)
    nisa.memset(dst=out, value=0.0)
    result = nl.ndarray((d, 1), dtype=q.dtype, buffer=nl.shared_hbm)
    if q.dtype == nl.float32:
        nisa.dma_copy(dst=out[:, 0:rows], src=q.ap([[1, d], [d, rows]]))  # expect-warning: NKI301 rows <= 512
    nisa.dma_copy(dst=result, src=out[:, 0:1])
    return result


@nki.jit
def chosen_by_a_flag(q, wide: bool):
    rows, d = q.shape
    assert d <= 128 and rows <= 1023
    groups = (rows + 127) // 128
    g = min(8 if wide else 4, groups)
    out = nl.ndarray((d, 128 * g), dtype=q.dtype, buffer=nl.sbuf)
    nisa.memset(dst=out, value=0.0)
    result = nl.ndarray((d, 1), dtype=q.dtype, buffer=nl.shared_hbm)
    if wide:
        nisa.dma_copy(dst=out[:, 0:rows], src=q.ap([[1, d], [d, rows]]))
    nisa.dma_copy(dst=result, src=out[:, 0:1])
    return result
