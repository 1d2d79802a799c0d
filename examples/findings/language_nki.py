"""Python that the compiler of `nki` does not take (NKI803). Each marked line is reported."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def identity_of_an_argument(x, bias=None):
    """Identity means nothing to the compiler; compare with `!=`."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    if bias is not None:  # expect: NKI803
        nisa.dma_copy(dst=output, src=bias)
    return output


@nki.jit
def list_for_a_default(x, steps=[1, 1]):  # expect: NKI803
    """Kernels are cached by their arguments, which have to be hashable: `steps=(1, 1)`."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output
