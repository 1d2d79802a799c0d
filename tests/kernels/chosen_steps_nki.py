"""Tiles whose size the inputs choose: `min(n, 128)` of them stand side by side."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def tiles_for_programs(x):
    rows, columns = x.shape
    tile = min(rows, 128)
    assert rows <= 128 or rows % 128 == 0
    count = (rows + tile - 1) // tile
    programs = nl.num_programs(0)
    assert count % programs == 0
    mine, first = count // programs, nl.program_id(0) * (count // programs)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(mine):
        held = nl.ndarray((tile, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=held, src=x[(first + i) * tile : (first + i + 1) * tile])
        nisa.dma_copy(dst=output[(first + i) * tile : (first + i + 1) * tile], src=held)
    return output


@nki.jit
def one_tile_is_missing(x):
    rows, columns = x.shape
    tile = min(rows, 128)
    assert rows <= 128 or rows % 128 == 0
    count = (rows + tile - 1) // tile
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(max(count - 1, 1)):
        held = nl.ndarray((tile, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=held, src=x[i * tile : (i + 1) * tile])
        here = output[i * tile : (i + 1) * tile]
        nisa.dma_copy(dst=here, src=held)
    return output  # expect-warning: NKI703 rows <= 128


@nki.jit
def wide_or_narrow(x, wide: bool):
    rows, columns = x.shape
    step = 128 if wide else 64
    assert rows % step == 0
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // step):
        held = nl.ndarray((step, columns), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=held, src=x[i * step : (i + 1) * step])
        nisa.dma_copy(dst=output[i * step : (i + 1) * step], src=held)
    return output
