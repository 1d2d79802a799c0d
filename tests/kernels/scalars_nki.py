"""Parameters that are sizes, and shapes that docstrings tell."""

import nki
import nki.isa as nisa
import nki.language as nl


def result(shape, dtype=nl.float32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)


# --- found ---


# nkilint: x: float32[128, 512]
@nki.jit
def prefix_of_some_length(x, n: int):
    """Copies the first columns."""
    out = result((128, n))
    nisa.dma_copy(dst=out, src=x[:, 0:n])  # expect-warning: NKI301 n <= 512
    return out


@nki.jit
def shape_of_a_docstring(x):
    """Doubles a matrix.

    Args:
        x: input of shape [R, 512], any number of rows.
    """
    out = result(x.shape, x.dtype)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(x.shape[0] // 128):
        nisa.dma_copy(dst=tile, src=x[nl.ds(128 * i, 128), :])
        nisa.dma_copy(dst=out[nl.ds(128 * i, 128), :], src=tile)
    return out  # expect-warning: NKI703 R % 128 == 0


@nki.jit
def columns_that_a_docstring_tells(x):
    """Sums rows.

    Args:
        x: [n, 512]
    """
    assert x.shape[0] == 128
    out = result((128, 512), x.dtype)
    nisa.dma_copy(dst=out, src=x[:, nl.ds(1, 512)])  # expect: NKI301
    return out


# nkilint: x: float32[256, 512]
@nki.jit
def tile_size_of_the_caller(x, tile_size: int):
    assert tile_size > 0
    out = result((256, 512))
    for i in range(256 // tile_size):
        nisa.dma_copy(dst=out[nl.ds(i * tile_size, tile_size), :], src=x[nl.ds(i * tile_size, tile_size), :])
    return out  # expect-warning: NKI703 256 // tile_size * tile_size >= 256


# nkilint: x: float32[128, N]
@nki.jit
def window_of_some_width(x, width: int):
    assert width > 0
    out = result((128, x.shape[1]))
    nisa.dma_copy(dst=out[:, nl.ds(0, width)], src=x[:, nl.ds(0, width)])  # expect-warning: NKI301 width <= N
    return out  # expect-warning: NKI703 N <= width


@nki.jit
def number_of_heads(q, num_heads: int):
    """Splits heads.

    Args:
        q: [128, H], where H is num_heads * 64
    """
    out = result(q.shape, q.dtype)
    for head in range(num_heads):
        nisa.dma_copy(dst=out[:, nl.ds(64 * head, 64)], src=q[:, nl.ds(64 * head, 64)])  # expect-warning: NKI301 64*num_heads <= H
    return out  # expect-warning: NKI703 H <= 64*num_heads


# nkilint: x: float32[R, 64]
@nki.jit
def rows_of_a_tile_are_a_parameter(x, rows: int):
    tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect-warning: NKI101 rows <= 128
    nisa.dma_copy(dst=tile, src=x[0:rows, :])  # expect-warning: NKI301 rows <= R
    out = result((rows, 64))
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def quotient_of_a_parameter(x, groups: int):
    size = 512 // groups
    out = result((128, 512))
    for i in range(groups):
        nisa.dma_copy(dst=out[:, nl.ds(size * i, size)], src=x[:, nl.ds(size * i, size)])
    return out  # expect-warning: NKI702 512 // groups >= 1  # expect-warning: NKI703 512 // groups * groups >= 512


# nkilint: x: float32[N, 64]
@nki.jit
def start_of_the_caller(x, start: int):
    out = result((128, 64))
    assert start >= 0
    nisa.dma_copy(dst=out, src=x[nl.ds(start, 128), :])  # expect-warning: NKI301 start + 128 <= N
    return out


# nkilint: x: float32[128, 512], y: float32[128, 256]
@nki.jit
def one_size_for_two(x, y, n: int):
    out = result((128, n))
    left, right = (nl.ndarray((128, n), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2))
    nisa.dma_copy(dst=left, src=x[:, 0:n])
    nisa.dma_copy(dst=right, src=y[:, 0:n])  # expect-warning: NKI301 n <= 256
    nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)
    nisa.dma_copy(dst=out, src=left)
    return out


# --- silent ---


# nkilint: x: float32[128, 512]
@nki.jit
def prefix_within(x, n: int):
    assert 0 < n <= 512
    out = result((128, n))
    nisa.dma_copy(dst=out, src=x[:, 0:n])
    return out


@nki.jit
def sizes_of_a_docstring_and_parameters(x, n: int):
    """Copies.

    Args:
        x: [128, n]
    """
    out = result((128, n), x.dtype)
    nisa.dma_copy(dst=out, src=x[:, 0:n])
    return out


@nki.jit
def fixed_columns_of_a_docstring(x):
    """Copies.

    Args:
        x: [rows, 512]
    """
    out = result((x.shape[0], 512), x.dtype)
    nisa.dma_copy(dst=out, src=x[:, 0:512])
    return out


# nkilint: x: float32[256, 512]
@nki.jit
def tile_size_that_divides(x, tile_size: int):
    assert tile_size > 0 and 256 % tile_size == 0
    out = result((256, 512))
    for i in range(256 // tile_size):
        nisa.dma_copy(dst=out[nl.ds(i * tile_size, tile_size), :], src=x[nl.ds(i * tile_size, tile_size), :])
    return out


# nkilint: x: float32[128, N]
@nki.jit
def window_within(x, width: int):
    width = min(width, x.shape[1])
    assert width > 0
    out = result((128, width))
    nisa.dma_copy(dst=out, src=x[:, nl.ds(0, width)])
    return out


@nki.jit
def heads_of_the_width(q, num_heads: int):
    """Splits heads.

    Args:
        q: [128, H]
    """
    assert q.shape[1] == num_heads * 64
    out = result(q.shape, q.dtype)
    for head in range(num_heads):
        nisa.dma_copy(dst=out[:, nl.ds(64 * head, 64)], src=q[:, nl.ds(64 * head, 64)])
    return out


# nkilint: x: float32[R, 64]
@nki.jit
def rows_of_a_tile_at_most(x, rows: int):
    assert rows <= 128 and rows <= x.shape[0]
    tile = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:rows, :])
    out = result((rows, 64))
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def groups_that_divide(x, groups: int):
    assert groups > 0 and 512 % groups == 0
    size = 512 // groups
    out = result((128, 512))
    for i in range(groups):
        nisa.dma_copy(dst=out[:, nl.ds(size * i, size)], src=x[:, nl.ds(size * i, size)])
    return out


# nkilint: x: float32[N, 64]
@nki.jit
def start_that_leaves_a_tile(x, start: int):
    assert start >= 0 and start + 128 <= x.shape[0]
    out = result((128, 64))
    nisa.dma_copy(dst=out, src=x[nl.ds(start, 128), :])
    return out


@nki.jit
def two_tensors_of_one_docstring(x, y, n: int):
    """Adds.

    Args:
        x: [128, n]
        y: [128, n]
    """
    out = result((128, n), x.dtype)
    left, right = (nl.ndarray((128, n), dtype=x.dtype, buffer=nl.sbuf) for _ in range(2))
    nisa.dma_copy(dst=left, src=x)
    nisa.dma_copy(dst=right, src=y)
    nisa.dma_copy(dst=out, src=left)  # expect-warning: NKI708
    nisa.dma_copy(dst=out, src=right)
    return out
