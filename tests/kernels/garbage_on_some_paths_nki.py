"""What nothing wrote, summed on several paths: the output needs all of them, not the first one alone."""

import nki
import nki.isa as nisa
import nki.language as nl


def every_other(x):
    """A tile of which every other column is written."""
    tile = nl.ndarray((128, x.shape[1]), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(0, x.shape[1], 2):
        nisa.dma_copy(dst=tile[:, i : i + 1], src=x[:, i : i + 1])
    return tile


def nothing(x):
    total = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    return total


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def in_a_branch_and_after_it(x):
    N = x.shape[1]
    total, tile = nothing(x), every_other(x)
    for again in range(2):
        if again == 1 or N % 2 == 0:
            part = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_reduce(dst=part, op=nl.add, data=tile, axis=1)  # expect: NKI701 N == 1
            nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def in_a_branch_alone(x):
    N = x.shape[1]
    total, tile = nothing(x), every_other(x)
    if N % 2 == 0:
        nisa.tensor_reduce(dst=total, op=nl.add, data=tile, axis=1)  # expect: NKI701 N % 2 != 0
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[128, N], N <= 512
@nki.jit
def what_was_written(x):
    N = x.shape[1]
    total, tile = nothing(x), every_other(x)
    if N > 1:
        nisa.tensor_copy(dst=total, src=tile[:, 0:1])
    if N > 2:
        nisa.tensor_tensor(dst=total, data1=total, data2=tile[:, 2:3], op=nl.add)
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=total)
    return out
