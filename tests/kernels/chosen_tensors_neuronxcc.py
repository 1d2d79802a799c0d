"""Names that stand for one of two parts of a tensor, by a flag: each keeps the bounds of its own index."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


# nkilint: a: float32[256, 512]
@nki.jit
def rows_beyond_the_end(a, late):
    output = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    chosen = a[i + 129, j] if late else a[i, j]  # expect-warning: NKI301 not late
    nl.store(output[i, j], nl.load(chosen))
    return output


# nkilint: a: float32[256, 512], b: float32[128, 512]
@nki.jit
def rows_beyond_the_smaller(a, b, late):
    output = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    if late:
        chosen = a[i + 64, j]
    else:
        chosen = b[i + 64, j]  # expect-warning: NKI301 late
    nl.store(output[i, j], nl.load(chosen))
    return output


# nkilint: a: float32[256, 512]
@nki.jit
def last_rows_or_first(a, late):
    output = nl.ndarray((128, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    chosen = a[i + 128, j] if late else a[i, j]
    nl.store(output[i, j], nl.load(chosen))
    return output
