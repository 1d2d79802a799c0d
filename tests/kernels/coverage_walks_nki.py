"""Walks over inputs and outputs that leave something out along one axis, and such that leave nothing out."""

import nki
import nki.isa as nisa
import nki.language as nl

P = 128


def made(rows, columns, dtype=nl.float32):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=nl.sbuf)


def result(x):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)


def div_ceil(a, b):
    return (a + b - 1) // b


class Cursor(nl.NKIObject):
    """A place that moves through the columns."""

    def __init__(self, step):
        self.start, self.step = 0, step

    def take(self, tensor):
        return tensor[:, self.start : self.start + self.step]

    def move(self):
        self.start += self.step


# --- found ---


@nki.jit
def by_a_cursor(x):
    columns = x.shape[1]
    assert x.shape[0] == P
    out = result(x)
    cursor = Cursor(512)
    for _ in range(columns // 512):
        nisa.dma_copy(dst=cursor.take(out), src=cursor.take(x))
        cursor.move()
    return out  # expect-warning: NKI703 x.shape[1] % 512 == 0


@nki.jit
def as_long_as_a_whole_one_fits(x):
    columns = x.shape[1]
    assert x.shape[0] == P
    out = result(x)
    start, stop = 0, columns // 256 * 256
    while start < stop:
        nisa.dma_copy(dst=out[:, start : start + 256], src=x[:, start : start + 256])
        start += 256
    return out  # expect-warning: NKI703 x.shape[1] % 256 == 0


@nki.jit
def planes_of_pairs(x):
    planes = x.shape[0]
    assert x.shape == (planes, P, 64)
    out = result(x)
    for p in range(0, planes - 1, 2):
        nisa.dma_copy(dst=out[p], src=x[p + 1])
        nisa.dma_copy(dst=out[p + 1], src=x[p])
    return out  # expect-warning: NKI703 x.shape[0] % 2 == 0


@nki.jit
def listed_places(x):
    assert x.shape == (P, 1000)
    out = result(x)
    for start in (0, 256, 512):
        nisa.dma_copy(dst=out[:, start : start + 256], src=x[:, start : start + 256])
    return out  # expect: NKI703


@nki.jit
def unequal_parts(x):
    assert x.shape == (P, 1024)
    out = result(x)
    start = 0
    for width in [512, 256, 128, 64]:
        nisa.dma_copy(dst=out[:, nl.ds(start, width)], src=x[:, nl.ds(start, width)])
        start += width
    return out  # expect: NKI703


@nki.jit
def maximum_of_whole_tiles(x):
    rows, columns = x.shape
    assert rows == P
    out = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    best, part = made(P, 1), made(P, 1)
    nisa.memset(dst=best, value=-3.0e38)
    for c in range(columns // 640):
        tile = made(P, 640, x.dtype)
        nisa.dma_copy(dst=tile, src=x[:, nl.ds(c * 640, 640)])  # expect-warning: NKI709 columns % 640 == 0
        nisa.tensor_reduce(dst=part, op=nl.maximum, data=tile, axis=1)
        nisa.tensor_tensor(dst=best, data1=best, data2=part, op=nl.maximum)
    nisa.dma_copy(dst=out, src=best)
    return out


@nki.jit
def contraction_without_its_first_tile(a, b):
    k = a.shape[0]
    assert a.shape == (k, P) and b.shape == (k, 512)
    assert k % P == 0 and k >= 2 * P
    out = nl.ndarray((P, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((P, 512), dtype=nl.float32, buffer=nl.psum)
    for i in range(1, k // P):
        left, right = made(P, P, a.dtype), made(P, 512, b.dtype)
        nisa.dma_copy(dst=left, src=a[nl.ds(i * P, P), :])  # expect: NKI709
        nisa.dma_copy(dst=right, src=b[nl.ds(i * P, P), :])  # expect: NKI709
        nisa.nc_matmul(dst=sums, stationary=left, moving=right)
    tile = made(P, 512)
    nisa.tensor_copy(dst=tile, src=sums)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def shared_out_by_programs(x):
    rows = x.shape[0]
    assert x.shape[1] == 64
    out = result(x)
    count, here = nl.num_programs(0), nl.program_id(0)
    share = rows // count
    nisa.dma_copy(dst=out[nl.ds(here * share, share), :], src=x[nl.ds(here * share, share), :])
    return out  # expect-warning: NKI703 x.shape[0] % num_programs(0) == 0


@nki.jit
def pattern_of_whole_pairs(x):
    columns = x.shape[1]
    assert x.shape[0] == P
    out = result(x)
    tile = made(P, columns, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    half = columns // 2
    for lane in range(2):
        place = [[columns, P], [2, half]]
        nisa.dma_copy(dst=out.ap(pattern=place, offset=lane), src=tile.ap(pattern=place, offset=lane))
    return out  # expect-warning: NKI703 x.shape[1] % 2 == 0


@nki.jit
def stored_after_the_loop(x):
    """Of the tiles that are filled, the last one is not stored."""
    assert x.shape == (4 * P, 64)
    out = result(x)
    tiles = []
    for i in range(4):
        tile = made(P, 64, x.dtype)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * P, P), :])
        tiles.append(tile)
        if i > 0:
            nisa.dma_copy(dst=out[nl.ds((i - 1) * P, P), :], src=tiles[i - 1])
    return out  # expect: NKI703


# --- silent ---


@nki.jit
def by_a_cursor_well(x):
    columns = x.shape[1]
    assert x.shape[0] == P and columns % 512 == 0
    out = result(x)
    cursor = Cursor(512)
    for _ in range(columns // 512):
        nisa.dma_copy(dst=cursor.take(out), src=cursor.take(x))
        cursor.move()
    return out


@nki.jit
def and_what_does_not_fit(x):
    columns = x.shape[1]
    assert x.shape[0] == P
    out = result(x)
    start, stop = 0, columns // 256 * 256
    while start < stop:
        nisa.dma_copy(dst=out[:, start : start + 256], src=x[:, start : start + 256])
        start += 256
    if start < columns:
        nisa.dma_copy(dst=out[:, start:columns], src=x[:, start:columns])
    return out


@nki.jit
def planes_of_pairs_well(x):
    planes = x.shape[0]
    assert x.shape == (planes, P, 64) and planes % 2 == 0
    out = result(x)
    for p in range(0, planes - 1, 2):
        nisa.dma_copy(dst=out[p], src=x[p + 1])
        nisa.dma_copy(dst=out[p + 1], src=x[p])
    return out


@nki.jit
def listed_places_well(x):
    assert x.shape == (P, 1000)
    out = result(x)
    for start, width in ((0, 256), (256, 256), (512, 256), (768, 232)):
        nisa.dma_copy(dst=out[:, start : start + width], src=x[:, start : start + width])
    return out


@nki.jit
def unequal_parts_well(x):
    assert x.shape == (P, 1024)
    out = result(x)
    start = 0
    for width in [512, 256, 128, 64, 64]:
        nisa.dma_copy(dst=out[:, nl.ds(start, width)], src=x[:, nl.ds(start, width)])
        start += width
    return out


@nki.jit
def maximum_of_all_tiles(x):
    rows, columns = x.shape
    assert rows == P
    out = nl.ndarray((P, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    best, part = made(P, 1), made(P, 1)
    nisa.memset(dst=best, value=-3.0e38)
    for c in range(div_ceil(columns, 640)):
        width = min(640, columns - c * 640)
        tile = made(P, 640, x.dtype)
        nisa.dma_copy(dst=tile[:, 0:width], src=x[:, nl.ds(c * 640, width)])
        nisa.tensor_reduce(dst=part, op=nl.maximum, data=tile[:, 0:width], axis=1)
        nisa.tensor_tensor(dst=best, data1=best, data2=part, op=nl.maximum)
    nisa.dma_copy(dst=out, src=best)
    return out


@nki.jit
def contraction_with_its_first_tile(a, b):
    k = a.shape[0]
    assert a.shape == (k, P) and b.shape == (k, 512)
    assert k % P == 0 and k >= 2 * P
    out = nl.ndarray((P, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((P, 512), dtype=nl.float32, buffer=nl.psum)
    for i in range(k // P):
        left, right = made(P, P, a.dtype), made(P, 512, b.dtype)
        nisa.dma_copy(dst=left, src=a[nl.ds(i * P, P), :])
        nisa.dma_copy(dst=right, src=b[nl.ds(i * P, P), :])
        nisa.nc_matmul(dst=sums, stationary=left, moving=right)
    tile = made(P, 512)
    nisa.tensor_copy(dst=tile, src=sums)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def shared_out_by_programs_well(x):
    rows = x.shape[0]
    assert x.shape[1] == 64
    out = result(x)
    count, here = nl.num_programs(0), nl.program_id(0)
    assert rows % count == 0
    share = rows // count
    nisa.dma_copy(dst=out[nl.ds(here * share, share), :], src=x[nl.ds(here * share, share), :])
    return out


@nki.jit
def pattern_of_all_pairs(x):
    columns = x.shape[1]
    assert x.shape[0] == P and columns % 2 == 0
    out = result(x)
    tile = made(P, columns, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    half = columns // 2
    for lane in range(2):
        place = [[columns, P], [2, half]]
        nisa.dma_copy(dst=out.ap(pattern=place, offset=lane), src=tile.ap(pattern=place, offset=lane))
    return out


@nki.jit
def stored_after_the_loop_well(x):
    assert x.shape == (4 * P, 64)
    out = result(x)
    tiles = []
    for i in range(4):
        tile = made(P, 64, x.dtype)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * P, P), :])
        tiles.append(tile)
        if i > 0:
            nisa.dma_copy(dst=out[nl.ds((i - 1) * P, P), :], src=tiles[i - 1])
    nisa.dma_copy(dst=out[nl.ds(3 * P, P), :], src=tiles[-1])
    return out
