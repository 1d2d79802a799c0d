"""What only other values of a default reach: members that no test names, and texts that a helper compares."""

from enum import Enum

import nki
import nki.isa as nisa
import nki.language as nl


class Act(Enum):
    NONE = "none"
    GELU = "gelu"
    SWIGLU = "swiglu"


# nkilint: x: float32[128, 256]
@nki.jit
def member_of_no_test(x, act=Act.GELU):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if act == Act.NONE:
        nisa.dma_copy(dst=out, src=x)
        return out
    if act == Act.GELU:
        nisa.dma_copy(dst=out, src=x)
        return out
    nisa.dma_copy(dst=out, src=x[:, 1:257])  # expect-warning: NKI301 act != Act.SWIGLU
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def third_of_three(x, act=Act.NONE):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if act == Act.NONE:
        nisa.dma_copy(dst=out, src=x)
        return out
    if act == Act.GELU:
        nisa.dma_copy(dst=out, src=x)
        return out
    nisa.dma_copy(dst=out, src=x[:, 1:257])  # expect-warning: NKI301 act != Act.SWIGLU
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def all_three_right(x, act=Act.NONE):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    if act == Act.NONE:
        nisa.dma_copy(dst=out, src=x)
    elif act == Act.GELU:
        nisa.dma_copy(dst=out[:, 0:256], src=x[:, 0:256])
    else:
        nisa.dma_copy(dst=out[0:128], src=x[0:128])
    return out


def normed(out, x, mode):
    if mode == "rms":
        nisa.dma_copy(dst=out, src=x)
    elif mode == "layer":
        nisa.dma_copy(dst=out, src=x[:, 1:257])  # expect-warning: NKI301 norm != 'layer'
    else:
        raise ValueError(mode)


# nkilint: x: float32[128, 256]
@nki.jit
def compared_in_a_helper(x, norm="rms"):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    normed(out, x, norm)
    return out
