"""Versions of `nki` (NKI902-904), checked for the newest one. Each marked line is reported."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def removed_argument(x, y):
    """Reading and adding to what is there went from `dma_copy` to `dma_compute` in 0.3."""
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    nisa.dma_copy(dst=output, src=y, dst_rmw_op=nl.add)  # expect: NKI902
    # `nisa.dma_compute(dst=output, srcs=[x, y], reduce_op=nl.add)` in the place of both
    return output


@nki.jit
def order_of_an_older_version(x, y):
    """The last two arguments of `dma_compute` changed places in 0.3."""
    assert x.shape == (128, 512) and y.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    nisa.dma_compute(output, [x, y], [1.0, 0.5], nl.add)  # expect: NKI903
    # `nisa.dma_compute(output, [x, y], nl.add, scales=[1.0, 0.5])`
    return output


@nki.jit
def loop_of_beta_1(x):
    """The ranges of `nl` are `range` by other names, and will go."""
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(4):  # expect: NKI904
        # `range(4)`
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128), 0:512])
        nisa.dma_copy(dst=output[nl.ds(i * 128, 128), 0:512], src=tile)
    return output
