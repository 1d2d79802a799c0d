"""Loops that read as many parts of an input as it has, and move by less than a part (NKI709)."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


# nkilint: x: float32[N, 512], N % 128 == 0
@nki.jit
def by_rows_for_tiles(x):
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    rows, columns = nl.mgrid[0:128, 0:512]
    for i in nl.sequential_range(x.shape[0] // 128):
        total += nl.load(x[i + rows, columns])  # expect-warning: NKI709 N <= 128
    nl.store(output, value=total)
    return output


# nkilint: x: float32[N, 512], N % 128 == 0
@nki.jit
def by_tiles(x):
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    rows, columns = nl.mgrid[0:128, 0:512]
    for i in nl.sequential_range(x.shape[0] // 128):
        total += nl.load(x[i * 128 + rows, columns])
    nl.store(output, value=total)
    return output
