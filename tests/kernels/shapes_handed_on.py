"""Numbers of a docstring hold where the kernel hands the tensor on to what does not ask for its shape."""

import nki
import nki.isa as nisa
import nki.language as nl


def copy_columns(source, output, columns):
    tile = nl.ndarray((128, columns), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[:, 0:columns])  # expect: NKI301
    nisa.dma_copy(dst=output[:, 0:columns], src=tile)


def copy_all(source, output):
    columns = source.shape[1]
    tile = nl.ndarray((128, columns), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[0:128, :])  # expect-warning: NKI301 x.shape[0] >= 128
    nisa.dma_copy(dst=output[:, 0:columns], src=tile)  # expect-warning: NKI301 x.shape[1] <= 512


def through_another(source, output, columns):
    copy_columns(source, columns=columns, output=output)


@nki.jit
def whole(x):
    """
    Args:
        x: [128, 512] float32
    """
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    copy_columns(x, output, 512)
    return output


@nki.jit
def too_far(x):
    """
    Args:
        x: [128, 512] float32
    """
    output = nl.ndarray((128, 640), dtype=x.dtype, buffer=nl.shared_hbm)
    through_another(x, output, 640)
    return output


@nki.jit
def asked_for(x):
    """
    Args:
        x: [128, 512] float32
    """
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    copy_all(x, output)
    return output  # expect-warning: NKI703 x.shape[1] >= 512
