"""Indices and bounds (NKI301, NKI306), in `nki`. Each marked line is reported; the comment says the repair."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rounded_up(x):
    """The last tile reaches beyond the matrix unless the rows fill it."""
    rows, columns = x.shape
    assert columns == 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((rows + 127) // 128):
        tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])  # expect: NKI301
        # `size = min(128, rows - i * 128)`, and slices of that size, here and in the copy back
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output


@nki.jit
def beyond_the_view(x):
    """An access pattern counts elements of the storage: this one begins a row too late."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    result = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_copy(dst=result, src=tile.ap([[512, 128], [1, 512]], offset=8))  # expect: NKI301
    # 504 elements in each partition, `[1, 504]`, or no offset
    nisa.dma_copy(dst=output, src=result)
    return output
