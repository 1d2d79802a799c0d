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
