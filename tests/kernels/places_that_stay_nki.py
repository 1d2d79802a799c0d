"""Places that hang on the iteration and yet stay the same, where a loop has few iterations or a size is at hand."""

import nki
import nki.isa as nisa
import nki.language as nl


def column(x, i):
    tile = nl.ndarray((x.shape[0], 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[:, i : i + 1])
    return tile


def zeros_like(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    return tile


# nkilint: x: float32[64, N], N <= 2048
@nki.jit
def quotient_by_the_size(x):
    N = x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    kept = zeros_like(x)
    for i in range(N):
        place = i // N
        nisa.tensor_copy(dst=kept[:, place : place + 1], src=column(x, i))  # expect: NKI708 N == 1
    nisa.dma_copy(dst=out, src=kept)
    return out


# nkilint: x: float32[64, N], N <= 2048
@nki.jit
def one_group_alone(x):
    N = x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    kept = zeros_like(x)
    for i in range(N):
        group = i // 4
        nisa.tensor_copy(dst=kept[:, group : group + 1], src=column(x, i))  # expect: NKI708 N == 1 or N >= 5
    nisa.dma_copy(dst=out, src=kept)
    return out


# nkilint: x: float32[64, N], N >= 8, N <= 2048
@nki.jit
def several_groups(x):
    N = x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    kept = zeros_like(x)
    for i in range(N):
        group = min(i // 4, 1)
        nisa.tensor_copy(dst=kept[:, group : group + 1], src=column(x, i))
    nisa.dma_copy(dst=out, src=kept)
    return out


# nkilint: x: float32[64, N], N <= 2048
@nki.jit
def same_value_in_each_group(x):
    N = x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    kept = zeros_like(x)
    for i in range(N):
        group = i // 4
        nisa.tensor_copy(dst=kept[:, group : group + 1], src=column(x, group))
    nisa.dma_copy(dst=out, src=kept)
    return out


# nkilint: x: float32[64, N], N <= 4
@nki.jit
def same_tile_made_each_time(x):
    N = x.shape[1]
    out = nl.ndarray((64, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(N):
        tile = column(x, i // 4)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[64, N], N >= 2, N <= 2048
@nki.jit
def shorter_each_time(x):
    N = x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    kept = zeros_like(x)
    for i in range(N):
        nisa.dma_copy(dst=kept[:, 0 : N - i], src=x[:, i:N])
    nisa.dma_copy(dst=out, src=kept)
    return out
