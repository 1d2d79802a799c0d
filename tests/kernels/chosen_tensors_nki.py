"""Names that stand for one of two tensors by a flag of the caller: what is asked of each, is asked where it is that one."""

import nki
import nki.isa as nisa
import nki.language as nl


def result(rows=128):
    return nl.ndarray((rows, 512), dtype=nl.float32, buffer=nl.shared_hbm)


# --- found ---


# nkilint: a: float32[128, 512], b: float32[64, 512]
@nki.jit
def pattern_beyond_the_smaller(a, b, flat):
    output = result()
    chosen = a if flat else b
    nisa.dma_copy(dst=output, src=chosen.ap([[512, 128], [1, 512]]))  # expect-warning: NKI301 flat
    return output


# nkilint: a: float32[128, 512], b: float32[64, 512]
@nki.jit
def rows_beyond_the_smaller(a, b, flat):
    output = result()
    if flat:
        chosen = b
    else:
        chosen = a
    for i in range(128):
        nisa.dma_copy(dst=output[i : i + 1, :], src=chosen[i : i + 1, :])  # expect-warning: NKI301 not flat
    return output


# nkilint: a: float32[128, 512], b: float32[R, 512]
@nki.jit
def patterns_of_some_sizes(a, b, flat):
    output = result()
    chosen = a if flat else b
    nisa.dma_copy(dst=output, src=chosen.ap([[512, 128], [1, 512]]))  # expect-warning: NKI301 flat or R >= 128
    return output


# --- silent ---


# nkilint: a: float32[128, 512], b: float32[256, 512]
@nki.jit
def pattern_within_both(a, b, flat):
    output = result()
    chosen = a if flat else b
    nisa.dma_copy(dst=output, src=chosen.ap([[512, 128], [1, 512]]))
    return output


# nkilint: a: float32[128, 512], b: float32[64, 512]
@nki.jit
def rows_of_each(a, b, flat):
    rows = 128 if flat else 64
    output = result(rows)
    chosen = a if flat else b
    nisa.dma_copy(dst=output, src=chosen.ap([[512, rows], [1, 512]]))
    return output
