"""Kernels that look things up: batches, windows and rows at places that tiles hold."""

import nki
import nki.isa as nisa
import nki.language as nl

CASES = {
    "chosen_batch": [((4, 128, 256),)],
    "window": [((512, 256),)],
    "every_second_row": [((128, 256),)],
    "rows_of_a_table": [((128, 64),)],
    "low_bits": [((16, 128, 32), ("int32", 1, 1))],
}


@nki.jit
def chosen_batch(x):
    """One batch, at a place in SBUF."""
    batches, rows, columns = x.shape
    assert batches == 4 and rows == 128 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=place, value=3)
    nisa.dma_copy(dst=output, src=x.select(0, place))
    return output


@nki.jit
def window(x):
    """The last rows, by an access pattern from a place in SBUF on."""
    assert x.shape == (512, 256)
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=place, value=256)
    nisa.dma_copy(dst=output, src=x.ap(pattern=[[256, 128], [1, 256]], offset=32768, scalar_offset=place))
    return output


@nki.jit
def every_second_row(x):
    """Rows counted out by the GpSimd Engine."""
    assert x.shape == (128, 256)
    output = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((64, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=rows, pattern=[[1, 1]], offset=1, channel_multiplier=2)
    nisa.dma_copy(dst=output, src=x.ap(pattern=[[256, 64], [1, 256]], offset=0, vector_offset=rows))
    return output


@nki.jit
def rows_of_a_table(x):
    """The rows in the opposite order."""
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=rows, pattern=[[1, 1]], offset=127, channel_multiplier=-1)
    nisa.dma_copy(dst=output, src=x.vector_select(0, rows))
    return output


@nki.jit
def low_bits(x, where):
    """A batch at the low bits of a number."""
    assert x.shape == (16, 128, 32) and where.shape == (1, 1)
    output = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=where)
    nisa.tensor_scalar(dst=place, data=place, op0=nl.bitwise_and, operand0=15)
    nisa.dma_copy(dst=output, src=x.select(0, place))
    return output
