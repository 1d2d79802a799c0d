"""Python that the compiler of `nki` does not take (NKI803), or does not see change (NKI812). Each marked line is reported."""

import nki
import nki.isa as nisa
import nki.language as nl

SCALE = 2.0


def set_scale(value):
    """What calls this after the first launch changes nothing."""
    global SCALE
    SCALE = value


@nki.jit
def identity_of_an_argument(x, bias=None):
    """Identity means nothing to the compiler; compare with `!=`."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    if bias is not None:  # expect: NKI803
        assert bias.shape == (128, 512)
        nisa.dma_copy(dst=output, src=bias)
    return output


@nki.jit
def list_for_a_default(x, steps=[1, 1]):  # expect: NKI803
    """Kernels are cached by their arguments, which have to be hashable: `steps=(1, 1)`."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output


@nki.jit
def depends_on_a_global_name(x):
    """The kernel is compiled once for each shape and dtype; pass the factor as an argument."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=SCALE)  # expect: NKI812
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def for_one_generation(x):
    """What trn2 brought, trn3 has too."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if nisa.get_nc_version() == nisa.nc_version.gen3:  # expect: NKI813
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=output, src=tile)
    return output
