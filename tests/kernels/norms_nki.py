"""Row-wise kernels over any number of rows: the last tile is partial, and nothing has to be assumed."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rms_norm(x, weight, eps=1e-6):
    rows, columns = x.shape
    assert weight.shape == (1, columns)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((rows + nl.tile_size.pmax - 1) // nl.tile_size.pmax):
        start = i * nl.tile_size.pmax
        count = min(nl.tile_size.pmax, rows - start)
        tile = nl.ndarray((nl.tile_size.pmax, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:count, :], src=x[start : start + count, :])
        squares = nl.ndarray((nl.tile_size.pmax, columns), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((nl.tile_size.pmax, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_tensor(dst=squares[0:count, :], data1=tile[0:count, :], data2=tile[0:count, :], op=nl.multiply)
        nisa.tensor_reduce(dst=total[0:count, :], op=nl.add, data=squares[0:count, :], axis=1)  # expect: NKI210
        reveal(total[0:count, :])  # revealed: float32[min(rows - 128*i, 128), 1] @ sbuf
        nisa.dma_copy(dst=output[start : start + count, :], src=tile[0:count, :])
    return output


@nki.jit
def tail_forgotten(x):
    rows, columns = x.shape
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output  # expect-warning: NKI703 rows % 128 == 0


@nki.jit
def last_tile_too_long(x):
    rows, columns = x.shape
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range((rows + 127) // 128):
        tile = nl.ndarray((128, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i * 128 : (i + 1) * 128, :])  # expect-warning: NKI301 rows % 128 == 0
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=tile)
    return output
