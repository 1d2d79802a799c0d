"""Sizes that are numbers of the caller, in objects, helpers and patterns, with docstrings that name them."""

from dataclasses import dataclass

import nki
import nki.isa as nisa
import nki.language as nl

P = 128


def made(rows, columns, dtype=nl.float32):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=nl.sbuf)


def through(dst, src, rows, columns):
    tile = made(rows, columns, src.dtype)
    nisa.dma_copy(dst=tile, src=src)
    nisa.dma_copy(dst=dst, src=tile)


def div_ceil(a, b):
    return (a + b - 1) // b


@dataclass
class Tiles(nl.NKIObject):
    """How columns are cut: `count` parts of `width`."""

    width: int
    count: int

    def at(self, i):
        return nl.ds(i * self.width, self.width)


# --- found ---


@nki.jit
def tiles_of_an_object(x, n: int, width: int):
    """x: [128, n]"""
    assert width <= 512
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = Tiles(width, div_ceil(n, width))
    for i in range(tiles.count):
        through(out[:, tiles.at(i)], x[:, tiles.at(i)], P, width)  # expect-warning: NKI301 width + (n - 1) // width * width <= n
    return out


@nki.jit
def stationary_of_many_columns(a, b, m: int, n: int):
    """
    Args:
        a: [128, m] what stays
        b: [128, n] what moves
    """
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    left, right = made(P, m, a.dtype), made(P, n, b.dtype)
    nisa.dma_copy(dst=left, src=a)
    nisa.dma_copy(dst=right, src=b)
    sums = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=left, moving=right)  # expect-warning: NKI103 m <= 128  # expect-warning: NKI103 n <= 512
    shown = made(m, n)
    nisa.tensor_copy(dst=shown, src=sums)
    nisa.dma_copy(dst=out, src=shown)
    return out


@nki.jit
def history_of_a_window(x, n: int, window: int):
    """x: [128, n]; sums over `window` columns"""
    out = nl.ndarray((P, n), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, sums = made(P, n), made(P, n)
    nisa.dma_copy(dst=tile, src=x)
    nisa.memset(dst=sums, value=0.0)
    for w in range(window):
        nisa.tensor_tensor(dst=sums[:, w:n], data1=sums[:, w:n], data2=tile[:, 0 : n - w], op=nl.add)  # expect-warning: NKI301 window <= n + 1
    nisa.dma_copy(dst=out, src=sums)
    return out


@nki.jit
def pattern_of_every_other(x, n: int):
    """x: [128, n]"""
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = made(P, n, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile.ap(pattern=[[n, P], [2, n]]))  # expect-warning: NKI301 n == 1
    return out


@nki.jit
def batch_that_is_one_less(x, batch: int, rows: int):
    """x: [batch, rows, 64]"""
    assert rows <= P and batch >= 2
    out = nl.ndarray((batch, rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(batch - 1):
        through(out[b + 1], x[b], rows, 64)
    return out  # expect: NKI703


@nki.jit
def halves_by_a_number(x, n: int):
    """x: [128, n]"""
    out = nl.ndarray((P, n // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    left, right = made(P, n // 2, x.dtype), made(P, n - n // 2, x.dtype)
    nisa.dma_copy(dst=left, src=x[:, 0 : n // 2])
    nisa.dma_copy(dst=right, src=x[:, n // 2 : n])
    nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)  # expect-warning: NKI204 n % 2 == 0
    nisa.dma_copy(dst=out, src=left)
    return out


@nki.jit
def rotated_by_a_number(x, n: int, by: int):
    """x: [128, n]"""
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[:, 0 : n - by], src=x[:, by:n])  # expect-warning: NKI301 by <= n
    nisa.dma_copy(dst=out[:, n - by : n], src=x[:, 0:by])
    return out


@nki.jit
def groups_of_heads(q, k, heads: int, groups: int):
    """
    Args:
        q: [heads, 128, 64] queries
        k: [groups, 128, 64] keys, shared by heads
    """
    out = nl.ndarray((heads, P, 64), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in range(heads):
        left, right = made(P, 64, q.dtype), made(P, 64, k.dtype)
        nisa.dma_copy(dst=left, src=q[h])
        nisa.dma_copy(dst=right, src=k[h // groups])  # expect-warning: NKI301 (heads - 1) // groups < groups
        nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)
        nisa.dma_copy(dst=out[h], src=left)
    return out


@nki.jit
def counted_down(x, n: int, step: int = 64):
    """x: [128, n]"""
    assert n % step == 0
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // step):
        start = n - i * step
        nisa.dma_copy(dst=out[:, start : start + step], src=x[:, start : start + step])  # expect: NKI301  # expect: NKI301
    return out  # expect: NKI703


@nki.jit
def default_of_a_tile(x, n: int, tile: int = 512):
    """x: [128, n]"""
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // tile):
        through(out[:, i * tile : i * tile + tile], x[:, i * tile : i * tile + tile], P, tile)
    return out  # expect-warning: NKI703 n % 512 == 0


# --- silent ---


@nki.jit
def tiles_of_an_object_well(x, n: int, width: int):
    """x: [128, n]"""
    assert width <= 512 and n % width == 0
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = Tiles(width, n // width)
    for i in range(tiles.count):
        through(out[:, tiles.at(i)], x[:, tiles.at(i)], P, width)
    return out


@nki.jit
def stationary_in_parts(a, b, m: int, n: int):
    """
    Args:
        a: [128, m] what stays
        b: [128, n] what moves
    """
    assert n <= 512
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    right = made(P, n, b.dtype)
    nisa.dma_copy(dst=right, src=b)
    for i in range(div_ceil(m, P)):
        size = min(P, m - i * P)
        left, shown = made(P, P, a.dtype), made(P, n)
        nisa.dma_copy(dst=left[:, 0:size], src=a[:, nl.ds(i * P, size)])
        sums = nl.ndarray((P, n), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=sums[0:size, :], stationary=left[:, 0:size], moving=right)
        nisa.tensor_copy(dst=shown[0:size, :], src=sums[0:size, :])
        nisa.dma_copy(dst=out[nl.ds(i * P, size), :], src=shown[0:size, :])
    return out


@nki.jit
def history_of_a_window_well(x, n: int, window: int):
    """x: [128, n]; sums over `window` columns"""
    assert window <= n
    out = nl.ndarray((P, n), dtype=nl.float32, buffer=nl.shared_hbm)
    tile, sums = made(P, n), made(P, n)
    nisa.dma_copy(dst=tile, src=x)
    nisa.memset(dst=sums, value=0.0)
    for w in range(window):
        nisa.tensor_tensor(dst=sums[:, w:n], data1=sums[:, w:n], data2=tile[:, 0 : n - w], op=nl.add)
    nisa.dma_copy(dst=out, src=sums)
    return out


@nki.jit
def pattern_of_all(x, n: int):
    """x: [128, n]"""
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = made(P, n, x.dtype)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile.ap(pattern=[[n, P], [1, n]]))
    return out


@nki.jit
def batch_that_is_whole(x, batch: int, rows: int):
    """x: [batch, rows, 64]"""
    assert rows <= P
    out = nl.ndarray((batch, rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for b in range(batch):
        through(out[batch - 1 - b], x[b], rows, 64)
    return out


@nki.jit
def halves_of_an_even_number(x, n: int):
    """x: [128, n]"""
    assert n % 2 == 0
    out = nl.ndarray((P, n // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    left, right = made(P, n // 2, x.dtype), made(P, n - n // 2, x.dtype)
    nisa.dma_copy(dst=left, src=x[:, 0 : n // 2])
    nisa.dma_copy(dst=right, src=x[:, n // 2 : n])
    nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)
    nisa.dma_copy(dst=out, src=left)
    return out


@nki.jit
def rotated_by_a_number_well(x, n: int, by: int):
    """x: [128, n]"""
    assert by <= n
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[:, 0 : n - by], src=x[:, by:n])
    nisa.dma_copy(dst=out[:, n - by : n], src=x[:, 0:by])
    return out


@nki.jit
def groups_of_heads_well(q, k, heads: int, groups: int):
    """
    Args:
        q: [heads, 128, 64] queries
        k: [groups, 128, 64] keys, shared by heads
    """
    assert heads % groups == 0
    shared = heads // groups
    out = nl.ndarray((heads, P, 64), dtype=q.dtype, buffer=nl.shared_hbm)
    for g in range(groups):
        for s in range(shared):
            left, right = made(P, 64, q.dtype), made(P, 64, k.dtype)
            nisa.dma_copy(dst=left, src=q[g * shared + s])
            nisa.dma_copy(dst=right, src=k[g])
            nisa.tensor_tensor(dst=left, data1=left, data2=right, op=nl.add)
            nisa.dma_copy(dst=out[g * shared + s], src=left)
    return out


@nki.jit
def counted_down_well(x, n: int, step: int = 64):
    """x: [128, n]"""
    assert n % step == 0
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // step):
        stop = n - i * step
        nisa.dma_copy(dst=out[:, stop - step : stop], src=x[:, stop - step : stop])
    return out


@nki.jit
def default_of_a_tile_well(x, n: int, tile: int = 512):
    """x: [128, n]"""
    out = nl.ndarray((P, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(0, n, tile):
        size = min(tile, n - i)
        through(out[:, i : i + size], x[:, i : i + size], P, size)
    return out
