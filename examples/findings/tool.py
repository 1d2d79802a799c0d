"""What nkilint says about its own work (NKI002-004). Each marked line is reported."""

import nki
import nki.isa as nisa
import nki.language as nl
from proprietary_kernels import pick_rows


@nki.jit
def suppressed_for_nothing(x):
    """The comment silences a finding that is not there."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)  # noqa: NKI101  # expect: NKI002
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def left_open(x):  # expect: NKI003
    """`pick_rows` is in a module that is not there: how many rows it picks stays open, and so do the bounds."""
    assert x.shape == (128, 512)
    rows = pick_rows(x)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output[0:rows, :], src=x[0:rows, :])
    return output


# expect: NKI004
# nkilint: x: float33[M, 512]
@nki.jit
def misspelt_specification(x):
    """There is no such dtype, so nothing is assumed about `x`; write `float32[M, 512], M <= 128`."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output
