"""Places of ranges whose length is a size."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def last_of_range(x):
    n, m = x.shape
    assert n <= 128 and m == 4
    out = nl.ndarray((n, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    last = range(2, n)[-1]  # expect-warning: NKI301 n >= 3
    nisa.dma_copy(dst=out, src=x)
    nisa.dma_copy(dst=out[last], src=x[last])
    return out


@nki.jit
def last_of_range_that_is_there(x):
    n, m = x.shape
    assert 3 <= n <= 128 and m == 4
    out = nl.ndarray((n, 4), dtype=x.dtype, buffer=nl.shared_hbm)
    last = range(2, n)[-1]
    nisa.dma_copy(dst=out, src=x)
    nisa.dma_copy(dst=out[last], src=x[last])
    return out
