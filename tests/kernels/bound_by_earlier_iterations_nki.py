"""Names that an iteration may have from an earlier one, where the first one fails whatever later ones do."""

import nki
import nki.isa as nisa
import nki.language as nl


def load(x, row, column):
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI708 columns <= 1023
    nisa.dma_copy(dst=tile, src=x[row : row + 128, column : column + 512])  # expect: NKI709 columns % 512 == 0
    return tile


@nki.jit
def last_column_of_each_row(x):  # expect: NKI003
    rows, columns = x.shape
    assert rows % 128 == 0
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for row in range(rows // 128):
        for column in range(columns // 512):
            tile = load(x, row * 128, column * 512)
        nisa.dma_copy(dst=output[row * 128 : (row + 1) * 128, :], src=tile)  # expect: NKI808 columns >= 512
    return output


@nki.jit
def last_column_of_each_row_asserted(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns >= 512
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for row in range(rows // 128):
        for column in range(columns // 512):
            tile = load(x, row * 128, column * 512)
        nisa.dma_copy(dst=output[row * 128 : (row + 1) * 128, :], src=tile)
    return output


@nki.jit
def three_loops(x):  # expect: NKI003
    rows, columns = x.shape
    assert rows % 128 == 0 and columns % 512 == 0
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for row in range(rows // 128):
        for column in range(columns // 512):
            for _ in range(columns // 2048):
                tile = load(x, row * 128, column * 512)
            here = output[row * 128 : (row + 1) * 128, column * 512 : (column + 1) * 512]
            nisa.dma_copy(dst=here, src=tile)  # expect: NKI808 columns >= 2048
    return output


@nki.jit
def bound_before_the_loops(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and rows > 0 and columns >= 512
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = load(x, 0, 0)
    for row in range(rows // 128):
        for column in range(columns // 512):
            tile = load(x, row * 128, column * 512)
        nisa.dma_copy(dst=output[row * 128 : (row + 1) * 128, :], src=tile)
    return output
