"""Programs of a launch grid, and what call sites say about the inputs."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def spmd_add(a, b):
    output = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    row, column = nl.program_id(0) * 128, nl.program_id(1) * 512
    ip = row + nl.arange(128)[:, None]
    jf = column + nl.arange(512)[None, :]
    total = nl.load(a[ip, jf]) + nl.load(b[ip, jf])  # expect-warning: NKI301 128*num_programs(0) <= a.shape[0]  # expect-warning: NKI301 512*num_programs(1) <= a.shape[1]  # expect-warning: NKI301 128*num_programs(0) <= b.shape[0]  # expect-warning: NKI301 512*num_programs(1) <= b.shape[1]
    nl.store(output[ip, jf], value=total)
    return output  # expect-warning: NKI703 a.shape[1] <= 512*num_programs(1)  # expect-warning: NKI703 a.shape[0] <= 128*num_programs(0)


def whole():
    a = np.zeros((256, 1024), dtype=np.float32)
    return spmd_add[2, 2](a, a)


@nki.jit
def wrong_launch(x):
    assert x.shape[0] % 128 == 0
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // 128):
        rows = nl.ds(i * 128, 128)
        nl.store(output[rows, :], value=nl.load(x[rows, :]))
    return output


if __name__ == "__main__":
    wrong_launch(np.ones([256, 32], np.float16))
    wrong_launch(np.ones([200, 32], np.float16))  # expect: NKI807
