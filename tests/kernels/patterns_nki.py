"""Access patterns: positions in row-major order, taken apart into an index per dimension."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def each_program_a_part_of_the_rows(x):
    n, two, rows, columns = x.shape
    assert two == 2
    assert columns % 512 == 0
    assert rows % nl.num_programs(0) == 0
    assert (rows // nl.num_programs(0)) % 128 == 0
    own = rows // nl.num_programs(0)
    out = nl.ndarray((n, two, rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for block in range(n):
        for part in range(2):
            for i in range(own // 128):
                for j in range(columns // 512):
                    row = own * nl.program_id(0) + 128 * i
                    offset = block * (2 * rows * columns) + part * (rows * columns) + row * columns + 512 * j
                    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
                    nisa.dma_copy(dst=tile, src=x.ap(pattern=[[columns, 128], [1, 512]], offset=offset))
                    nisa.dma_copy(dst=out.ap(pattern=[[columns, 128], [1, 512]], offset=offset), src=tile)
    return out


@nki.jit
def each_program_one_row_more(x):
    rows, columns = x.shape
    assert rows == 128 * nl.num_programs(0) + 1
    assert columns % 512 == 0
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for j in range(columns // 512):
        for part in range(2):
            offset = (128 * nl.program_id(0) + part) * columns + 512 * j
            tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=tile, src=x.ap(pattern=[[columns, 128], [1, 512]], offset=offset))
            nisa.dma_copy(dst=out.ap(pattern=[[columns, 128], [1, 512]], offset=offset), src=tile)  # expect: NKI603
    return out


@nki.jit
def columns_that_run_into_the_next_row(x):
    assert x.shape == (4, 600)
    out = nl.ndarray((4, 600), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((1, 600), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    assert nl.num_programs(0) == 2
    nisa.dma_copy(dst=out.ap(pattern=[[600, 1], [1, 600]], offset=300 * nl.program_id(0)), src=tile)  # expect: NKI603
    return out  # expect: NKI703


@nki.jit
def a_pattern_without_elements(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=tile.ap([[64, 128], [1, 0]], offset=64), src=x.ap([[64, 128], [1, 0]], offset=8192))
    nisa.dma_copy(dst=out, src=tile)
    return out
