"""Access patterns, numbers in tiles, transposes, powers of two."""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np

CASES = {
    "lower_half": [((256, 128),)],
    "lower_rows": [((256, 100),), ((256, 512),)],
    "every_other_column": [((128, 64),)],
    "turned_by_reading": [((64, 32),)],
    "behind_one_another": [((128, 64), (128, 64))],
    "middle_bits": [((4, 128, 32), ("int32", 1, 1))],
    "last_window": [((512, 128),)],
    "odd_rows": [((256, 64),)],
    "turned_twice": [((128, 128),)],
    "turned_batch": [((2, 128, 128),)],
    "sums_and_differences": [((128, 32), 5)],
    "stepped": [((128, 384),)],
    "gram_blocks": [((3, 128, 64),)],
    "gram_of_turned": [((2, 128, 128),)],
}


@nki.jit
def lower_half(x):
    """The second half of the rows, by an access pattern."""
    assert x.shape == (256, 128)
    output = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x.ap(pattern=[[128, 128], [1, 128]], offset=16384))
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def lower_rows(x):
    """The same for any number of columns."""
    rows, columns = x.shape
    assert rows == 256 and columns >= 1 and columns <= 512
    output = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x.ap(pattern=[[columns, 128], [1, columns]], offset=128 * columns))
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def every_other_column(x):
    """The odd columns of a tile."""
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    half = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_copy(dst=half, src=tile.ap(pattern=[[64, 128], [2, 32]], offset=1))
    nisa.dma_copy(dst=output, src=half)
    return output


@nki.jit
def turned_by_reading(x):
    """A small matrix turned over by the order in which it is read."""
    assert x.shape == (64, 32)
    output = nl.ndarray((32, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((32, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x.ap(pattern=[[1, 32], [32, 64]], offset=0))
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def behind_one_another(left, right):
    """Two matrices beside each other, written by access patterns."""
    assert left.shape == (128, 64) and right.shape == (128, 64)
    output = nl.ndarray((128, 128), dtype=left.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=left.dtype, buffer=nl.sbuf)
    other = nl.ndarray((128, 64), dtype=right.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=left)
    nisa.dma_copy(dst=other, src=right)
    nisa.dma_copy(dst=output.ap(pattern=[[128, 128], [1, 64]], offset=0), src=tile)
    nisa.dma_copy(dst=output.ap(pattern=[[128, 128], [1, 64]], offset=64), src=other)
    return output


@nki.jit
def middle_bits(x, where):
    """A batch at the middle bits of a number."""
    assert x.shape == (4, 128, 32) and where.shape == (1, 1)
    output = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=where)
    nisa.tensor_scalar(dst=place, data=place, op0=nl.right_shift, operand0=4)
    nisa.tensor_scalar(dst=place, data=place, op0=nl.bitwise_and, operand0=3)
    nisa.dma_copy(dst=output, src=x.select(0, place))
    return output


@nki.jit
def last_window(x):
    """The last rows, from a place in SBUF on."""
    assert x.shape == (512, 128)
    output = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    place = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=place, value=384)
    nisa.dma_copy(dst=output, src=x.ap(pattern=[[128, 128], [1, 128]], offset=0, scalar_offset=place))
    return output


@nki.jit
def odd_rows(x):
    """Every second row, by numbers that are counted out."""
    assert x.shape == (256, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.iota(dst=rows, pattern=[[1, 1]], offset=1, channel_multiplier=2)
    nisa.dma_copy(dst=output, src=x.vector_select(0, rows))
    return output


@nki.jit
def turned_twice(x):
    """A square turned over and back."""
    assert x.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    turned = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)
    copied = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=turned)
    back = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=back, data=copied)
    result = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=back)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def turned_batch(x):
    """Each square of a batch turned over."""
    batch, rows, columns = x.shape
    assert rows == 128 and columns == 128
    output = nl.ndarray((batch, 128, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(batch):
        tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[b, :, :])
        turned = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_transpose(dst=turned, data=tile)
        result = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=turned)
        nisa.dma_copy(dst=output[b, :, :], src=result)
    return output


@nki.jit
def sums_and_differences(x, depth: int):
    """The sums of the halves of a power of two of columns, and behind them their differences."""
    assert x.shape == (128, 2**depth) and depth >= 1 and depth <= 9
    half = 2 ** (depth - 1)
    output = nl.ndarray((128, 2**depth), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 2**depth), dtype=x.dtype, buffer=nl.sbuf)
    result = nl.ndarray((128, 2**depth), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_tensor(
        dst=result[:, 0:half], data1=tile[:, 0:half], data2=tile[:, half : 2 * half], op=nl.add
    )
    nisa.tensor_tensor(
        dst=result[:, half : 2 * half], data1=tile[:, 0:half], data2=tile[:, half : 2 * half], op=nl.subtract
    )
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def stepped(x):
    """Thirds of the columns, whose begins numpy counts."""
    assert x.shape == (128, 384)
    output = nl.ndarray((128, 384), dtype=x.dtype, buffer=nl.shared_hbm)
    begins = np.arange(0, 384, 128)
    for k in range(3):
        tile = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(begins[k], 128)])
        nisa.dma_copy(dst=output[:, nl.ds(begins[k], 128)], src=tile)
    return output


@nki.jit
def gram_blocks(x):
    """The products of the columns of each block among each other, summed over two halves of its rows."""
    blocks, rows, columns = x.shape
    assert rows == 128 and columns <= 128
    output = nl.ndarray((blocks, columns, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    for b in range(blocks):
        total = nl.ndarray((columns, columns), dtype=nl.float32, buffer=nl.psum)
        for k in range(2):
            half = nl.ndarray((64, columns), dtype=nl.bfloat16, buffer=nl.sbuf)
            nisa.dma_copy(dst=half, src=x[b, k * 64 : (k + 1) * 64, :])
            nisa.nc_matmul(dst=total, stationary=half, moving=half)
        result = nl.ndarray((columns, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=total)
        nisa.dma_copy(dst=output[b, :, :], src=result)
    return output


@nki.jit
def gram_of_turned(x):
    """The products of the rows of each square among each other."""
    blocks, rows, columns = x.shape
    assert rows == 128 and columns == 128
    output = nl.ndarray((blocks, 128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    for b in range(blocks):
        total = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        for k in range(2):
            half = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
            nisa.dma_copy(dst=half, src=x[b, :, k * 64 : (k + 1) * 64])
            turned = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.psum)
            nisa.nc_transpose(dst=turned, data=half)
            copied = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
            nisa.tensor_copy(dst=copied, src=turned)
            nisa.nc_matmul(dst=total, stationary=copied, moving=copied)
        result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=total)
        nisa.dma_copy(dst=output[b, :, :], src=result)
    return output
