"""What iterations and programs share (NKI601-604), in `neuronxcc.nki`. Each marked line is reported.

`affine_range` promises that its iterations do not depend on one another. A sum of matrix products in PSUM, and `+=` on
a tile, are the exceptions.
"""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def running_sum(x):
    """Each tile adds to the one before: iterations depend on one another."""
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    sums = nl.ndarray((9, nl.par_dim(128), 512), dtype=x.dtype, buffer=nl.sbuf)
    sums[0] = nl.load(x[0])
    for i in nl.affine_range(8):
        sums[i + 1] = nl.add(sums[i], nl.load(x[i]))  # expect: NKI601
        # `for i in nl.sequential_range(8)`
        nl.store(output[i], value=sums[i + 1])
    return output


@nki.jit
def last_one_stays(x):
    """All iterations write the same tile, and in parallel no one knows which of them comes last."""
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(8):
        nl.store(output, value=nl.load(x[i]))  # expect: NKI602
        # An output with an index for `i`, or `nl.sequential_range`
    return output


@nki.jit
def same_rows(x):
    """Every program of the grid writes the same rows."""
    assert x.shape == (128 * nl.num_programs(0), 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ds(nl.program_id(0) * 128, 128)
    nl.store(output, value=nl.load(x[rows, 0:512]))  # expect: NKI603
    # `output` with as many rows as `x`, and `output[rows, 0:512]`
    return output


@nki.jit
def same_work(x):
    """Every program of the grid does all of the work."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x))  # expect: NKI605
    # rows of `x` and `output` by `nl.program_id(0)`, or a launch without a grid
    return output


def run(x):
    """Four programs, one for each 128 rows."""
    return same_rows[4](x)


@nki.jit
def in_order_for_nothing(x):
    """No iteration reads or overwrites what another wrote: `affine_range` lets them overlap."""
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(4):  # expect: NKI604
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=nl.exp(nl.load(x[nl.ds(i * 128, 128), 0:512])))
    return output


if __name__ == "__main__":
    same_work[4](np.zeros((128, 512), dtype=np.float32))
