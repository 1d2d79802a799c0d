"""Python in loops that the device runs: their bodies are traced once, and their indices are registers."""

import nki
import nki.isa as nisa
import nki.language as nl


def tile_of(shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


# nkilint: x: float32[1024, 512]
@nki.jit
def rows_counted_by_python(x):
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = tile_of((128, 512))
    row = 0
    for _ in nl.dynamic_range(8):  # expect: NKI904
        nisa.dma_copy(dst=tile, src=x[row : row + 128])
        nisa.dma_copy(dst=out[row : row + 128], src=tile)
        row += 128  # expect: NKI801
    return out


# nkilint: x: float32[1024, 512]
@nki.jit
def rows_counted_by_the_loop(x):
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = tile_of((128, 512))
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        nisa.dma_copy(dst=tile, src=x[nl.ds(row, 128)])
        nisa.dma_copy(dst=out[nl.ds(row, 128)], src=tile)
    return out


# nkilint: x: float32[1024, 512]
@nki.jit
def rows_counted_by_python_alone(x):
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = tile_of((128, 512))
    row = 0
    for _ in range(8):
        nisa.dma_copy(dst=tile, src=x[row : row + 128])
        nisa.dma_copy(dst=out[row : row + 128], src=tile)
        row += 128
    return out


# nkilint: x: float32[1024, 512]
@nki.jit
def buffers_that_are_swapped(x):
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    one, other = tile_of((128, 512)), tile_of((128, 512))
    nisa.memset(dst=other, value=0.0)
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        nisa.dma_copy(dst=one, src=x[nl.ds(row, 128)])
        nisa.tensor_tensor(dst=other, data1=one, data2=other, op=nl.subtract)
        nisa.dma_copy(dst=out[nl.ds(row, 128)], src=other)
        one, other = other, one  # expect: NKI801
    return out


# nkilint: x: float32[1024, 512]
@nki.jit
def tile_that_each_iteration_makes(x):
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = None
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        tile = tile_of((128, 512))
        nisa.dma_copy(dst=tile, src=x[nl.ds(row, 128)])
        nisa.dma_copy(dst=out[nl.ds(row, 128)], src=tile)
    return out


# nkilint: x: float32[1024, 512]
@nki.jit
def tile_that_a_branch_makes(x, scaled: bool = True):  # expect: NKI003
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    factor = None
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        tile = tile_of((128, 512))
        nisa.dma_copy(dst=tile, src=x[nl.ds(row, 128)])
        if scaled:
            factor = tile_of((128, 1))
            nisa.memset(dst=factor, value=2.0)
        if factor is not None:  # expect: NKI803
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=factor)
        nisa.dma_copy(dst=out[nl.ds(row, 128)], src=tile)
    return out


# nkilint: x: float32[1024, 512]
@nki.jit
def tiles_that_a_list_keeps(x):  # expect: NKI003
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = []
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        tile = tile_of((128, 512))
        nisa.dma_copy(dst=tile, src=x[nl.ds(row, 128)])
        tiles.append(tile)
    for k in range(8):
        nisa.dma_copy(dst=out[k * 128 : (k + 1) * 128], src=tiles[k])
    return out


# nkilint: x: bfloat16[1024, 128], w: bfloat16[1024, 512]
@nki.jit
def sum_begun_by_the_index(x, w):
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        left, right = tile_of((128, 128), nl.bfloat16), tile_of((128, 512), nl.bfloat16)
        nisa.dma_copy(dst=left, src=x[nl.ds(row, 128)])
        nisa.dma_copy(dst=right, src=w[nl.ds(row, 128)])
        nisa.nc_matmul(dst=total, stationary=left, moving=right, accumulate=row > 0)  # expect: NKI801
    tile = tile_of((128, 512))
    nisa.tensor_copy(dst=tile, src=total)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[1024, 512]
@nki.jit
def tile_of_a_list_by_the_index(x):
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = [tile_of((128, 512)) for _ in range(8)]
    for i in nl.dynamic_range(8):  # expect: NKI904
        nisa.dma_copy(dst=tiles[i], src=x[nl.ds(i * 128, 128)])  # expect: NKI801
    for k in range(8):
        nisa.dma_copy(dst=out[k * 128 : (k + 1) * 128], src=tiles[k])
    return out


# nkilint: x: float32[1024, 512]
@nki.jit
def smaller_of_the_index(x):
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        tile = tile_of((128, 512))
        start = min(row, 896)  # expect: NKI801
        nisa.dma_copy(dst=tile, src=x[nl.ds(start, 128)])
        nisa.dma_copy(dst=out[nl.ds(row, 128)], src=tile)
    return out


class Cursor:
    def __init__(self):
        self.row = 0

    def step(self):
        self.row += 128
        return self.row - 128


# nkilint: x: float32[1024, 512]
@nki.jit
def rows_counted_by_an_object(x):  # expect: NKI003
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    cursor = Cursor()
    for _ in nl.dynamic_range(8):  # expect: NKI904
        tile = tile_of((128, 512))
        row = cursor.step()
        nisa.dma_copy(dst=tile, src=x[row : row + 128])
        nisa.dma_copy(dst=out[row : row + 128], src=tile)
    return out


# nkilint: x: float32[1024, 512]
@nki.jit
def object_that_stays(x):
    out = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    cursor = Cursor()
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        tile = tile_of((128, 512))
        nisa.dma_copy(dst=tile, src=x[nl.ds(row + cursor.row, 128)])
        nisa.dma_copy(dst=out[nl.ds(row, 128)], src=tile)
    return out


@nki.jit
def a_closure_counts(x):  # expect: NKI003
    assert x.shape == (1024, 256)
    out = nl.ndarray((1024, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    row = 0

    def advance():  # expect: NKI803
        nonlocal row
        row += 128
        return row - 128

    for i in nl.dynamic_range(8):  # expect: NKI904
        r = advance()
        t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[r : r + 128, :])
        nisa.dma_copy(dst=out[r : r + 128, :], src=t)
    return out


class Reader:
    def __init__(self):
        self.cursor = Cursor()


@nki.jit
def an_object_in_an_object_counts(x):  # expect: NKI003
    assert x.shape == (1024, 256)
    out = nl.ndarray((1024, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    reader = Reader()
    for i in nl.dynamic_range(8):  # expect: NKI904
        r = reader.cursor.step()
        t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[r : r + 128, :])
        nisa.dma_copy(dst=out[r : r + 128, :], src=t)
    return out


@nki.jit
def an_iterator_counts(x):  # expect: NKI003
    assert x.shape == (1024, 256)
    out = nl.ndarray((1024, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    rows = iter(range(0, 1024, 128))
    for i in nl.dynamic_range(8):  # expect: NKI904
        r = next(rows)
        t = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t, src=x[r : r + 128, :])
        nisa.dma_copy(dst=out[r : r + 128, :], src=t)
    return out


@nki.jit
def a_list_of_each_iteration(x):
    assert x.shape == (1024, 256)
    out = nl.ndarray((1024, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.dynamic_range(8):  # expect: NKI904
        rows = []
        for half in range(2):
            t = nl.ndarray((64, 256), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[i * 128 + half * 64 : i * 128 + half * 64 + 64, :])
            rows.append(t)
        for half in range(2):
            nisa.dma_copy(dst=out[i * 128 + half * 64 : i * 128 + half * 64 + 64, :], src=rows[half])
    return out
