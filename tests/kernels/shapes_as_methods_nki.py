"""Objects of a class whose shape is a method, which callers may hand over in the place of tensors."""

import nki
import nki.isa as nisa
import nki.language as nl


class Rows:
    def __init__(self, tensor, rows, columns):
        self.tensor, self.rows, self.columns = tensor, rows, columns

    def shape(self):
        return self.rows, self.columns

    def __getitem__(self, key):
        return self.tensor[key]


@nki.jit
def rows_of_a_caller(x):  # expect: NKI003
    rows, columns = x.shape()
    out = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:1, 0:1])
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def own_rows(x):
    assert x.shape == (128, 64)
    sizes = Rows(x, *x.shape)
    out = nl.ndarray(sizes.shape(), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=sizes[0:128, 0:64])
    nisa.dma_copy(dst=out, src=tile)
    return out
