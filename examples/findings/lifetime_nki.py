"""Sums in PSUM that begin on top of something else (NKI505) or start over (NKI506), in `nki`. The marked lines are
reported."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def sum_on_ones(left):
    """Up to NeuronCore-v3 only a matmul begins a sum."""
    assert left.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    x = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf)
    result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=x, src=left)
    nisa.memset(dst=sums, value=1.0)
    nisa.nc_matmul(dst=sums, stationary=x, moving=x, accumulate=True)  # expect: NKI505
    # `accumulate=False`, and the ones added by the copy to SBUF
    nisa.tensor_copy(dst=result, src=sums)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def two_products(left, right):
    """The second product was to be added to the first."""
    assert left.shape == (128, 128) and right.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    x = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.sbuf)
    y = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=x, src=left)
    nisa.dma_copy(dst=y, src=right)
    nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=False)
    nisa.nc_matmul(dst=sums, stationary=x, moving=y, accumulate=False)  # expect: NKI506
    nisa.tensor_copy(dst=result, src=sums)
    nisa.dma_copy(dst=output, src=result)
    return output
