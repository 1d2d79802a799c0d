"""Patterns over a narrower dtype, of which several elements are one of the tensor's."""

import nki
import nki.isa as nisa
import nki.language as nl

# --- reading parts of what was written ---


@nki.jit
def scales_of_some_rows(x):
    rows, _ = x.shape
    output = nl.ndarray((rows, 4), dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    for i in range((rows + 127) // 128):
        here = min(128, rows - i * 128)
        tile = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.memset(tile[0:here], 1.0)
        bytes_of_rows = tile.ap(pattern=[[4, here], [1, 4]], dtype=nl.float8_e4m3)
        nisa.dma_copy(dst=output[i * 128 : i * 128 + here, 0:4], src=bytes_of_rows)
    return output


@nki.jit
def one_row_too_many(x):
    output = nl.ndarray((128, 4), dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(tile[0:127], 1.0)
    parts = tile.ap(pattern=[[4, 128], [1, 4]], dtype=nl.float8_e4m3)
    nisa.dma_copy(dst=output, src=parts)  # expect: NKI701
    return output


@nki.jit
def first_column(x):
    output = nl.ndarray((128, 4), dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
    nisa.memset(tile[:, 0:1], 1.0)
    nisa.dma_copy(dst=output, src=tile.ap(pattern=[[8, 128], [1, 4]], dtype=nl.float8_e4m3))
    return output


@nki.jit
def a_byte_of_the_second_column(x):
    output = nl.ndarray((128, 4), dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(tile[:, 0:1], 1.0)
    parts = tile.ap(pattern=[[8, 128], [1, 4]], offset=1, dtype=nl.float8_e4m3)
    nisa.dma_copy(dst=output, src=parts)  # expect: NKI701
    return output


@nki.jit
def halves(x):
    output = nl.ndarray((128, 8), dtype=nl.float16, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(tile, 1.0)
    nisa.dma_copy(dst=output, src=tile.ap(pattern=[[8, 128], [1, 8]], dtype=nl.float16))
    return output


@nki.jit
def as_wide(x):
    output = nl.ndarray((128, 8), dtype=nl.float16, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 8), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(tile, 1.0)
    nisa.dma_copy(dst=output, src=tile.ap(pattern=[[8, 128], [1, 8]], dtype=nl.float16))
    return output


@nki.jit
def beyond_the_end(x):
    output = nl.ndarray((128, 4), dtype=nl.float8_e4m3, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(tile, 1.0)
    parts = tile.ap(pattern=[[4, 128], [1, 4]], offset=4, dtype=nl.float8_e4m3)  # expect: NKI301
    nisa.dma_copy(dst=output, src=parts)
    return output


# --- writing parts: whether all of an element is written is not known ---


@nki.jit
def a_quarter_is_written(x):  # expect: NKI003
    output = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    source = nl.ndarray((128, 1), dtype=nl.float8_e4m3, buffer=nl.sbuf)
    nisa.memset(source, 1.0)
    tile = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile.ap(pattern=[[4, 128], [1, 1]], dtype=nl.float8_e4m3), src=source)
    nisa.dma_copy(dst=output, src=tile)
    return output
