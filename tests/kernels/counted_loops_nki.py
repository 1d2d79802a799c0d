"""`while` loops that go on as long as a whole tile fits, or count before all else."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def as_long_as_one_fits(x):
    columns = x.shape[1]
    assert x.shape[0] == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    start = 0
    while start + 256 <= columns:
        nisa.dma_copy(dst=out[:, start : start + 256], src=x[:, start : start + 256])
        start += 256
    return out  # expect-warning: NKI703 x.shape[1] % 256 == 0


@nki.jit
def and_then_the_rest(x):
    columns = x.shape[1]
    assert x.shape[0] == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    start = 0
    while columns - start >= 256:
        nisa.dma_copy(dst=out[:, start : start + 256], src=x[:, start : start + 256])
        start += 256
    if start < columns:
        nisa.dma_copy(dst=out[:, start:columns], src=x[:, start:columns])
    return out


@nki.jit
def backwards(x):
    columns = x.shape[1]
    assert x.shape[0] == 128 and columns % 64 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    start = columns
    while start > 0:
        start -= 64
        nisa.dma_copy(dst=out[:, start : start + 64], src=x[:, start : start + 64])
    return out


@nki.jit
def backwards_and_too_far(x):
    columns = x.shape[1]
    assert x.shape[0] == 128 and columns % 64 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    start = columns
    while start > 0:
        start -= 64
        nisa.dma_copy(dst=out[:, start : start + 65], src=x[:, start : start + 65])  # expect: NKI301  # expect: NKI301
    return out
