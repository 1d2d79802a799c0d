"""Parameters that are sizes in Beta 1, and shapes that docstrings tell."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


# --- found ---


# nkilint: x: float32[128, 512]
@nki.jit
def prefix(x, n: int):
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[:, 0:n]))  # expect-warning: NKI301 n <= 512
    return out


@nki.jit
def rows_of_a_docstring(x):
    """Copies.

    Args:
        x: input of shape [R, 64]
    """
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(x.shape[0] // 128):
        nl.store(out[nl.ds(128 * i, 128), :], value=nl.load(x[nl.ds(128 * i, 128), :]))
    return out  # expect-warning: NKI703 R % 128 == 0


# nkilint: x: float32[N, 64]
@nki.jit
def start_of_the_caller(x, start: int):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    assert start >= 0
    nl.store(out, value=nl.load(x[nl.ds(start, 128), :]))  # expect-warning: NKI301 start + 128 <= N
    return out


# nkilint: x: float32[256, 64]
@nki.jit
def rows_of_the_caller(x, rows: int):
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    assert 0 < rows <= 256
    nl.store(out, value=nl.load(x[0:rows, :]))  # expect-warning: NKI101 rows <= 128
    return out


# nkilint: x: float32[128, H]
@nki.jit
def heads(x, num_heads: int):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for head in nl.affine_range(num_heads):
        nl.store(out[:, nl.ds(64 * head, 64)], value=nl.load(x[:, nl.ds(64 * head, 64)]))  # expect-warning: NKI301 64*num_heads <= H
    return out  # expect-warning: NKI703 H <= 64*num_heads


# nkilint: x: float32[256, 512]
@nki.jit
def tile_size_of_the_caller(x, tile_size: int):
    assert 0 < tile_size <= 128
    out = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(256 // tile_size):
        nl.store(out[nl.ds(i * tile_size, tile_size), :], value=nl.load(x[nl.ds(i * tile_size, tile_size), :]))
    return out  # expect-warning: NKI703 256 // tile_size * tile_size >= 256


# nkilint: x: float32[128, N]
@nki.jit
def window(x, width: int):
    assert width > 0
    out = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[:, nl.ds(0, width)]))  # expect-warning: NKI301 width <= N
    return out


@nki.jit
def one_column_too_many(x):
    """Copies.

    Args:
        x: [rows, 512]
    """
    assert x.shape[0] == 128
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[:, nl.ds(1, 512)]))  # expect: NKI301
    return out


# --- silent ---


# nkilint: x: float32[128, 512]
@nki.jit
def prefix_inside(x, n: int):
    assert 0 < n <= 512
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[:, 0:n]))
    return out


@nki.jit
def size_of_a_docstring_and_a_parameter(x, n: int):
    """Copies.

    Args:
        x: [128, n]
    """
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[:, 0:n]))
    return out


# nkilint: x: float32[N, 64]
@nki.jit
def start_that_leaves_a_tile(x, start: int):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    assert 0 <= start and start + 128 <= x.shape[0]
    nl.store(out, value=nl.load(x[nl.ds(start, 128), :]))
    return out


# nkilint: x: float32[256, 64]
@nki.jit
def rows_of_a_tile(x, rows: int):
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    assert 0 < rows <= 128
    nl.store(out, value=nl.load(x[0:rows, :]))
    return out


# nkilint: x: float32[128, H]
@nki.jit
def heads_of_the_width(x, num_heads: int):
    assert x.shape[1] == num_heads * 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for head in nl.affine_range(num_heads):
        nl.store(out[:, nl.ds(64 * head, 64)], value=nl.load(x[:, nl.ds(64 * head, 64)]))
    return out


# nkilint: x: float32[256, 512]
@nki.jit
def tile_size_that_divides(x, tile_size: int):
    assert 0 < tile_size <= 128 and 256 % tile_size == 0
    out = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(256 // tile_size):
        nl.store(out[nl.ds(i * tile_size, tile_size), :], value=nl.load(x[nl.ds(i * tile_size, tile_size), :]))
    return out


# nkilint: x: float32[128, N]
@nki.jit
def window_inside(x, width: int):
    width = min(width, x.shape[1])
    assert width > 0
    out = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.load(x[:, nl.ds(0, width)]))
    return out
