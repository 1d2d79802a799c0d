"""Blocks, as wide as an input says, that are covered in tiles: by a number, by an input or by the smaller of both."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rows_in_tiles(x):
    """Tiles as wide as a row, or 512."""
    n, p, width = x.shape
    assert p <= 128
    tile = min(width, 512)
    t = nl.ndarray((p, n * width), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(n):
        for j in range((width + tile - 1) // tile):
            w = min(tile, width - j * tile)
            nisa.dma_copy(dst=t[:, nl.ds(i * width + j * tile, w)], src=x[i, :, nl.ds(j * tile, w)])
    out = nl.ndarray((p, n * width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def rows_in_tiles_of_a_given_size(x, tile):
    """Tiles of a size that is a parameter."""
    n, p, width = x.shape
    assert p <= 128
    assert tile >= 1
    t = nl.ndarray((p, n * width), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(n):
        for j in range((width + tile - 1) // tile):
            w = min(tile, width - j * tile)
            nisa.dma_copy(dst=t[:, nl.ds(i * width + j * tile, w)], src=x[i, :, nl.ds(j * tile, w)])
    out = nl.ndarray((p, n * width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def blocks_in_tiles(x, n, size):
    """Blocks of a symbolic size, in tiles of 512 with a shorter last one."""
    p, width = x.shape
    assert p == 128
    assert n >= 1
    assert size >= 1
    assert width == n * size
    t = nl.ndarray((128, n * size), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(n):
        for j in range((size + 511) // 512):
            w = min(512, size - j * 512)
            nisa.dma_copy(dst=t[:, nl.ds(i * size + j * 512, w)], src=x[:, nl.ds(i * size + j * 512, w)])
    out = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def blocks_of_a_quotient(x, n):
    """The size of blocks out of a division that leaves nothing."""
    p, width = x.shape
    assert p == 128
    assert n >= 1
    assert width % n == 0
    size = width // n
    t = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(n):
        for j in range((size + 511) // 512):
            w = min(512, size - j * 512)
            nisa.dma_copy(dst=t[:, nl.ds(i * size + j * 512, w)], src=x[:, nl.ds(i * size + j * 512, w)])
    out = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def last_tile_missing(x):
    """The last tile of each row is missing."""
    n, p, width = x.shape
    assert p <= 128
    tile = min(width, 512)
    t = nl.ndarray((p, n * width), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(n):
        for j in range(width // tile):
            w = min(tile, width - j * tile)
            nisa.dma_copy(dst=t[:, nl.ds(i * width + j * tile, w)], src=x[i, :, nl.ds(j * tile, w)])  # expect-warning: NKI709 width % min(width, 512) == 0
    out = nl.ndarray((p, n * width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def shorter_last_tile_missing(x, n, size):
    """The shorter last tile of each block is not written."""
    p, width = x.shape
    assert p == 128
    assert n >= 1
    assert size >= 1
    assert width == n * size
    t = nl.ndarray((128, n * size), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(n):
        for j in range(size // 512):
            w = min(512, size - j * 512)
            nisa.dma_copy(dst=t[:, nl.ds(i * size + j * 512, w)], src=x[:, nl.ds(i * size + j * 512, w)])
    out = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)  # expect-warning: NKI701 (-1) // size * size + size // 512 * 512 >= 0
    return out


@nki.jit
def last_element_missing(x, n, size):
    """The last element of each block is not written."""
    p, width = x.shape
    assert p == 128
    assert n >= 1
    assert size >= 2
    assert width == n * size
    t = nl.ndarray((128, n * size), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(n):
        for j in range((size + 510) // 512):
            w = min(512, size - 1 - j * 512)
            nisa.dma_copy(dst=t[:, nl.ds(i * size + j * 512, w)], src=x[:, nl.ds(i * size + j * 512, w)])
    out = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)  # expect: NKI701
    return out


@nki.jit
def first_tile_missing(x, n, size):
    """The first tile of each block is not written."""
    p, width = x.shape
    assert p == 128
    assert n >= 1
    assert size >= 1
    assert width == n * size
    t = nl.ndarray((128, n * size), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(n):
        for j in range(1, (size + 511) // 512):
            w = min(512, size - j * 512)
            nisa.dma_copy(dst=t[:, nl.ds(i * size + j * 512, w)], src=x[:, nl.ds(i * size + j * 512, w)])
    out = nl.ndarray((128, width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)  # expect: NKI701
    return out


@nki.jit
def last_column_of_tiles_missing(x):  # expect: NKI003
    """The last column of each tile is missing."""
    n, p, width = x.shape
    assert p <= 128
    assert width >= 2
    tile = min(width, 512)
    t = nl.ndarray((p, n * width), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(n):
        for j in range((width + tile - 1) // tile):
            w = min(tile - 1, width - j * tile)
            nisa.dma_copy(dst=t[:, nl.ds(i * width + j * tile, w)], src=x[i, :, nl.ds(j * tile, w)])
    out = nl.ndarray((p, n * width), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out
