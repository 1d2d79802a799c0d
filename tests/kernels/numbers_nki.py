"""Numbers that kernels are given: those that nobody would make negative are not asked to be positive."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def folded(x, factor: int, start: int):
    rows, columns = x.shape
    assert rows <= 128
    folds = columns // factor
    tile = nl.ndarray((rows, factor), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    assert columns % factor == 0 and factor <= 512
    for i in range(folds):
        nisa.dma_copy(dst=tile, src=x[:, i * factor : (i + 1) * factor])
        nisa.dma_copy(dst=output[:, i * factor : (i + 1) * factor], src=tile)
    return output


@nki.jit
def shifted(x, start: int):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512 and start < columns
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((rows, columns - start), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile[:, start:columns])
    return output


@nki.jit
def before(x, start: int):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512 and start < columns
    tile = nl.ndarray((rows, 1), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((rows, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x[:, nl.ds(start - 1, 1)])  # expect-warning: NKI301 start >= 1
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def some(x, count: int):
    rows, columns = x.shape
    assert rows <= 128
    tile = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((rows, count), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile[:, 0:count], src=x[:, 0:count])  # expect-warning: NKI301 count <= 512  # expect-warning: NKI301 count <= columns
    nisa.dma_copy(dst=output, src=tile[:, 0:count])
    return output


@nki.jit
def from_the_end(x, axis: int):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512
    if axis < 0:
        tile = nl.ndarray((rows + 128, columns), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
        nisa.memset(dst=tile, value=0.0)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def in_blocks(x, ids, block_size: int):
    """Nobody is told of blocks of less than no rows."""
    rows, columns = x.shape
    assert columns <= 512
    blocks = ids.shape[0] // block_size
    output = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
    for b in range(blocks):
        if b == 1:
            nisa.dma_copy(dst=tile, src=x[block_size : block_size + 128, :])  # expect-warning: NKI301 block_size + 128 <= rows  # expect-warning: NKI708
    nisa.dma_copy(dst=tile, src=x[0:128, :])  # expect-warning: NKI301 rows >= 128
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def valid_windows(x, w):
    """A window wider than the image has no result that could be made."""
    rows, columns = x.shape
    width = columns - w.shape[1] + 1
    assert rows <= 128 and columns <= 512
    output = nl.ndarray((rows, width), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    total = nl.ndarray((rows, width), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for k in range(w.shape[1]):
        nisa.tensor_tensor(dst=total, data1=total, data2=tile[:, k : k + width], op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def too_wide_windows(x, w):
    rows, columns = x.shape
    width = columns - w.shape[1] + 2
    assert rows <= 128 and columns <= 512
    output = nl.ndarray((rows, width), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    total = nl.ndarray((rows, width), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for k in range(w.shape[1]):
        nisa.tensor_tensor(dst=total, data1=total, data2=tile[:, k : k + width], op=nl.add)  # expect: NKI301
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def one_bank(x, w):
    """A condition on a quotient is told as one on what is divided."""
    K, rows = x.shape
    assert K == 128 and rows == 128 and w.shape[0] == 128
    columns = w.shape[1]
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.ndarray((K, rows), dtype=x.dtype, buffer=nl.sbuf)
    right = nl.ndarray((K, columns), dtype=w.dtype, buffer=nl.sbuf)
    sums = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.psum)
    result = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=left, src=x)
    nisa.dma_copy(dst=right, src=w)
    nisa.nc_matmul(dst=sums, stationary=left, moving=right)  # expect-warning: NKI103 w.shape[1] <= 512
    nisa.tensor_copy(dst=result, src=sums)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def one_after_the_other(x, count: int):
    """Nobody asks for no parts at all."""
    rows, columns = x.shape
    assert rows % count == 0 and rows // count <= 128 and columns <= 512
    step = rows // count
    output = nl.ndarray((step, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((step, columns), dtype=nl.float32, buffer=nl.sbuf)
    for k in range(count):
        tile = nl.ndarray((step, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[k * step : (k + 1) * step, :])
        if k == 0:
            nisa.tensor_copy(dst=total, src=tile)
        else:
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def number_of_parts(x, count: int):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 512 and count <= 8
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    for k in range(count):
        if k == 0:
            nisa.tensor_copy(dst=total, src=tile)
        else:
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output
