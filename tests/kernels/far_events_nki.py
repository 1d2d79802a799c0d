"""Faults that only certain inputs come to: dtypes that decide sizes, late iterations, ranks of programs, long inputs."""

import nki
import nki.isa as nisa
import nki.language as nl


def made(rows, columns, dtype=nl.float32):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=nl.sbuf)


def result(x):
    return nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)


def width_for(dtype):
    """Columns of a tile of 512 bytes a partition."""
    if dtype == nl.float32:
        return 128
    if dtype == nl.bfloat16 or dtype == nl.float16:
        return 256
    return 512


class Buffers(nl.NKIObject):
    """Two tiles that take turns."""

    def __init__(self, dtype):
        self.tiles = [made(128, 64, dtype), made(128, 64, dtype)]
        self.filled = 0

    def load(self, source):
        tile = self.tiles[self.filled % 2]
        nisa.dma_copy(dst=tile, src=source)
        self.filled += 1
        return tile


# --- found ---


@nki.jit
def none_of_two_dtypes(x):
    assert x.shape == (128, 256)
    out = result(x)
    if x.dtype == nl.float32:
        width = 256
    elif x.dtype == nl.bfloat16:
        width = 256
    else:
        width = 257
    nisa.dma_copy(dst=out, src=x[:, width - 256 : width])  # expect-warning: NKI301 x.dtype == float32 or x.dtype == bfloat16
    return out


@nki.jit
def dtypes_that_differ(x, y):
    assert x.shape == (128, 64) and y.shape == (128, 64)
    out = result(x)
    first = 0 if x.dtype == y.dtype else 1
    nisa.dma_copy(dst=out, src=x[:, first : first + 64])  # expect-warning: NKI301 y.dtype == x.dtype
    return out


@nki.jit
def dtypes_that_differ_in_a_branch(x, y):
    assert x.shape == (128, 64) and y.shape == (128, 64)
    out = result(x)
    if x.dtype != y.dtype:
        nisa.dma_copy(dst=out, src=y[:, 1:65])  # expect: NKI301
    else:
        nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def widths_by_a_helper(x):
    assert x.shape == (128, 256)
    out = result(x)
    width = width_for(x.dtype)
    nisa.dma_copy(dst=out[:, 0:width], src=x[:, 0:width])  # expect-warning: NKI301 x.dtype == float32 or x.dtype == bfloat16 or x.dtype == float16
    return out  # expect-warning: NKI703 not x.dtype == float32


@nki.jit
def flag_and_dtype(x, packed: bool):
    assert x.shape == (128, 256)
    out = result(x)
    start = 1 if packed and x.dtype == nl.float16 else 0
    nisa.dma_copy(dst=out, src=x[:, start : start + 256])  # expect-warning: NKI301 not packed or not x.dtype == float16
    return out


@nki.jit
def from_the_fourth_plane_on(x):
    planes = x.shape[0]
    assert x.shape == (planes, 128, 64)
    assert planes >= 2
    out = result(x)
    for p in range(planes):
        if p > 2:
            nisa.dma_copy(dst=out[p], src=x[p, :, 1:65])  # expect: NKI301
        else:
            nisa.dma_copy(dst=out[p], src=x[p])
    return out


@nki.jit
def lost_in_the_innermost_loop(x):
    a, b, c = x.shape[0], x.shape[1], x.shape[2]
    assert x.shape[3] == 64 and c % 128 == 0
    out = nl.ndarray((a, b, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(a):
        for j in range(b):
            total = made(128, 64, x.dtype)
            nisa.memset(dst=total, value=0.0)
            for k in range(c // 128):
                nisa.dma_copy(dst=total, src=x[i, j, nl.ds(k * 128, 128), :])  # expect-warning: NKI708 x.shape[2] == 128
            nisa.dma_copy(dst=out[i, j], src=total)
    return out


@nki.jit
def last_program_goes_too_far(x):
    assert x.shape[1] == 64
    out = result(x)
    count, here = nl.num_programs(0), nl.program_id(0)
    assert x.shape[0] == 128 * count and count >= 2
    rows = 256 if here == count - 1 else 128
    nisa.dma_copy(dst=out[nl.ds(here * 128, rows), :], src=x[nl.ds(here * 128, rows), :])  # expect: NKI301  # expect: NKI301
    return out


@nki.jit
def too_long_for_its_pieces(x):
    columns = x.shape[1]
    assert x.shape[0] == 128 and columns % 512 == 0
    out = result(x)
    pieces = min(columns // 512, 8)
    for i in range(pieces):
        nisa.dma_copy(dst=out[:, nl.ds(i * 512, 512)], src=x[:, nl.ds(i * 512, 512)])
    return out  # expect-warning: NKI703 x.shape[1] <= 4096


@nki.jit
def rows_that_do_not_divide(x, group: int):
    rows = x.shape[0]
    assert x.shape[1] == 64 and group >= 1 and group <= 128
    out = result(x)
    for g in range(rows // group):
        tile = made(group, 64, x.dtype)
        nisa.dma_copy(dst=tile, src=x[nl.ds(g * group, group), :])
        nisa.dma_copy(dst=out[nl.ds(g * group, group), :], src=tile)
    return out  # expect-warning: NKI703 x.shape[0] <= x.shape[0] // group * group


# --- silent ---


@nki.jit
def none_of_two_dtypes_well(x):
    assert x.shape == (128, 256)
    out = result(x)
    if x.dtype == nl.float32:
        width = 256
    elif x.dtype == nl.bfloat16:
        width = 256
    else:
        width = 255
    nisa.dma_copy(dst=out[:, 0:width], src=x[:, 0:width])
    nisa.dma_copy(dst=out[:, 255:256], src=x[:, 255:256])
    return out


@nki.jit
def dtypes_that_differ_well(x, y):
    assert x.shape == (128, 64) and y.shape == (128, 65)
    out = result(x)
    first = 0 if x.dtype == y.dtype else 1
    nisa.dma_copy(dst=out, src=y[:, first : first + 64])
    return out


@nki.jit
def widths_by_a_helper_well(x):
    assert x.shape == (128, 512)
    out = result(x)
    width = width_for(x.dtype)
    for i in range(512 // width):
        nisa.dma_copy(dst=out[:, nl.ds(i * width, width)], src=x[:, nl.ds(i * width, width)])
    return out


@nki.jit
def flag_and_dtype_well(x, packed: bool):
    assert x.shape == (128, 256)
    out = result(x)
    start = 128 if packed and x.dtype == nl.float16 else 0
    nisa.dma_copy(dst=out[:, 0:128], src=x[:, start : start + 128])
    nisa.dma_copy(dst=out[:, 128:256], src=x[:, 128 - start : 256 - start])
    return out


@nki.jit
def from_the_fourth_plane_on_well(x):
    planes = x.shape[0]
    assert x.shape == (planes, 128, 64)
    out = result(x)
    for p in range(planes):
        if p > 2:
            nisa.dma_copy(dst=out[p], src=x[p - 3])
        else:
            nisa.dma_copy(dst=out[p], src=x[p])
    return out


@nki.jit
def summed_in_the_innermost_loop(x):
    a, b, c = x.shape[0], x.shape[1], x.shape[2]
    assert x.shape[3] == 64 and c % 128 == 0
    out = nl.ndarray((a, b, 128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(a):
        for j in range(b):
            total, part = made(128, 64, x.dtype), made(128, 64, x.dtype)
            nisa.memset(dst=total, value=0.0)
            for k in range(c // 128):
                nisa.dma_copy(dst=part, src=x[i, j, nl.ds(k * 128, 128), :])
                nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)
            nisa.dma_copy(dst=out[i, j], src=total)
    return out


@nki.jit
def last_program_takes_the_rest(x):
    rows = x.shape[0]
    assert x.shape[1] == 64
    out = result(x)
    count, here = nl.num_programs(0), nl.program_id(0)
    assert rows >= 128 * count
    size = rows - 128 * (count - 1) if here == count - 1 else 128
    nisa.dma_copy(dst=out[nl.ds(here * 128, size), :], src=x[nl.ds(here * 128, size), :])
    return out


@nki.jit
def pieces_of_any_length(x):
    columns = x.shape[1]
    assert x.shape[0] == 128 and columns % 512 == 0
    out = result(x)
    pieces = min(columns // 512, 8)
    for i in range(pieces):
        nisa.dma_copy(dst=out[:, nl.ds(i * 512, 512)], src=x[:, nl.ds(i * 512, 512)])
    if columns > 4096:
        nisa.dma_copy(dst=out[:, 4096:columns], src=x[:, 4096:columns])
    return out


@nki.jit
def two_of_two_buffers(x):
    assert x.shape == (256, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    buffers = Buffers(x.dtype)
    first = buffers.load(x[0:128, :])
    second = buffers.load(x[128:256, :])
    nisa.tensor_tensor(dst=first, data1=first, data2=second, op=nl.add)
    nisa.dma_copy(dst=out, src=first)
    return out


@nki.jit
def rows_that_may_not_divide(x, group: int):
    rows = x.shape[0]
    assert x.shape[1] == 64 and group >= 1 and group <= 128
    out = result(x)
    for g in range((rows + group - 1) // group):
        size = min(group, rows - g * group)
        tile = made(group, 64, x.dtype)
        nisa.dma_copy(dst=tile[0:size, :], src=x[nl.ds(g * group, size), :])
        nisa.dma_copy(dst=out[nl.ds(g * group, size), :], src=tile[0:size, :])
    return out
