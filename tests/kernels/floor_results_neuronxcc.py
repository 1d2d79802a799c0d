"""Results of a smaller size, of pooling and of windows, that leave out the end of an input (NKI709)."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


# nkilint: x: float32[128, M]
@nki.jit
def pooled(x):
    count = x.shape[1] // 4
    out = nl.ndarray((128, count), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(count):
        nl.store(out[0:128, nl.ds(i, 1)], nl.max(nl.load(x[0:128, nl.ds(4 * i, 4)]), axis=1, keepdims=True))
    return out


# nkilint: x: float32[128, M], y: float32[128, M]
@nki.jit
def multiplied_and_summed(x, y):
    out = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    total = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(x.shape[1] // 4):
        left = nl.load(x[0:128, nl.ds(4 * i, 4)])  # expect: NKI709 M % 4 == 0
        right = nl.load(y[0:128, nl.ds(4 * i, 4)])
        total[...] = nl.add(total, nl.sum(nl.multiply(left, right), axis=1, keepdims=True))
    nl.store(out, total)
    return out


# nkilint: x: float32[128, 8]
@nki.jit
def windows(x):
    out = nl.ndarray((128, 3), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(3):
        nl.store(out[0:128, nl.ds(i, 1)], nl.max(nl.load(x[0:128, nl.ds(2 * i, 3)]), axis=1, keepdims=True))
    return out


# nkilint: x: float32[128, 9]
@nki.jit
def windows_that_stop_early(x):
    out = nl.ndarray((128, 3), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(3):
        part = nl.load(x[0:128, nl.ds(2 * i, 3)])  # expect: NKI709
        nl.store(out[0:128, nl.ds(i, 1)], nl.max(part, axis=1, keepdims=True))
    return out
