"""Tensors seen as another dtype: what is written and read are the bytes of their elements."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def bytes_read_as_floats(x):
    rows, size = x.shape
    assert rows <= 128 and size % 8 == 0 and size <= 8192
    out = nl.ndarray((rows, size // 4), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, size), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile.view(nl.float32))
    return out


@nki.jit
def bytes_in_two_parts_read_as_floats(x):
    rows, size = x.shape
    assert rows <= 128 and size % 8 == 0 and size <= 8192
    out = nl.ndarray((rows, size // 4), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, size), dtype=nl.uint8, buffer=nl.sbuf)
    half = size // 2
    nisa.dma_copy(dst=tile[:, 0:half], src=x[:, 0:half])
    nisa.dma_copy(dst=tile[:, half:size], src=x[:, half:size])
    nisa.dma_copy(dst=out, src=tile.view(nl.float32))
    return out


@nki.jit
def half_of_the_bytes_read_as_floats(x):
    rows, size = x.shape
    assert rows <= 128 and size % 8 == 0 and size <= 8192
    out = nl.ndarray((rows, size // 4), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, size), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0 : size // 2], src=x[:, 0 : size // 2])
    nisa.dma_copy(dst=out, src=tile.view(nl.float32))  # expect: NKI701
    return out


@nki.jit
def first_floats_of_half_of_the_bytes(x):
    rows, size = x.shape
    assert rows <= 128 and size % 8 == 0 and size <= 8192
    out = nl.ndarray((rows, size // 8), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, size), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0 : size // 2], src=x[:, 0 : size // 2])
    nisa.dma_copy(dst=out, src=tile.view(nl.float32)[:, 0 : size // 8])
    return out


@nki.jit
def floats_read_as_bytes(x):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 1024
    out = nl.ndarray((rows, columns * 4), dtype=nl.uint8, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile.view(nl.uint8))
    return out


@nki.jit
def half_of_the_floats_read_as_bytes(x):
    rows, columns = x.shape
    assert rows <= 128 and columns % 2 == 0 and columns <= 1024
    out = nl.ndarray((rows, columns * 4), dtype=nl.uint8, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0 : columns // 2], src=x[:, 0 : columns // 2])
    nisa.dma_copy(dst=out, src=tile.view(nl.uint8))  # expect: NKI701
    return out


@nki.jit
def output_written_as_floats(x):
    rows, columns = x.shape
    assert rows <= 128 and columns <= 1024
    out = nl.ndarray((rows, columns * 4), dtype=nl.uint8, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out.view(nl.float32), src=tile)
    return out


@nki.jit
def half_of_the_output_written_as_floats(x):
    rows, columns = x.shape
    assert rows <= 128 and columns % 2 == 0 and columns <= 1024
    out = nl.ndarray((rows, columns * 4), dtype=nl.uint8, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out.view(nl.float32)[:, 0 : columns // 2], src=tile[:, 0 : columns // 2])
    return out  # expect: NKI703


@nki.jit
def output_written_by_bytes(x):  # expect: NKI003
    rows, size = x.shape
    assert rows <= 128 and size % 4 == 0 and size <= 4096
    out = nl.ndarray((rows, size // 4), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, size), dtype=nl.uint8, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out.view(nl.uint8)[:, 0:size], src=tile)
    return out
