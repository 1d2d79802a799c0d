"""Rests that nothing reads: of tiles, and of branches that the kernel takes on purpose."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def stored_with_its_rest(x):
    m, n = x.shape
    assert m == 32 and n <= 512
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((32, n), dtype=x.dtype, buffer=nl.sbuf)
    for j in range(n // 4):
        nisa.dma_copy(dst=a[:, j * 4 : (j + 1) * 4], src=x[0:32, j * 4 : (j + 1) * 4])
    nisa.dma_copy(dst=out[0:32, :], src=a)  # expect-warning: NKI701 n % 4 == 0
    return out


@nki.jit
def left_out_on_purpose(x):
    m, n = x.shape
    assert m == 32 and n <= 512
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((32, n), dtype=x.dtype, buffer=nl.sbuf)
    if n % 2 == 1:
        nisa.dma_copy(dst=a[:, 0:n], src=x[0:32, 0:n])
    else:
        nisa.memset(a, 0.0)
    if n % 3 == 2:
        nisa.dma_copy(dst=a[:, 1 : n - 1], src=x[0:32, 1 : n - 1])
    nisa.dma_copy(dst=out[0:32, :], src=a)
    return out
