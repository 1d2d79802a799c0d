"""Tensors that nothing writes, whose elements are chosen while a kernel runs, or go to registers."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def rows_of_nothing(chosen):
    assert chosen.shape == (128, 1)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    table = nl.ndarray((256, 64), dtype=nl.float32, buffer=nl.hbm)
    places = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=places, src=chosen)
    rows = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=table.ap(pattern=[[64, 128], [1, 64]], vector_offset=places))  # expect: NKI701
    nisa.dma_copy(dst=out, src=rows)
    return out


@nki.jit
def rows_of_a_table(x, chosen):
    assert x.shape == (256, 64) and chosen.shape == (128, 1)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    table = nl.ndarray((256, 64), dtype=nl.float32, buffer=nl.hbm)
    nisa.dma_copy(dst=table, src=x)
    places = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=places, src=chosen)
    rows = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=table.ap(pattern=[[64, 128], [1, 64]], vector_offset=places))
    nisa.dma_copy(dst=out, src=rows)
    return out


@nki.jit
def rows_of_half_a_table(x, chosen):  # expect: NKI003
    assert x.shape == (128, 64) and chosen.shape == (128, 1)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    table = nl.ndarray((256, 64), dtype=nl.float32, buffer=nl.hbm)
    nisa.dma_copy(dst=table[0:128], src=x)
    places = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=places, src=chosen)
    rows = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=rows, src=table.ap(pattern=[[64, 128], [1, 64]], vector_offset=places))
    nisa.dma_copy(dst=out, src=rows)
    return out


@nki.jit
def turned_rows_of_nothing(chosen):
    assert chosen.shape == (128, 1)
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    table = nl.ndarray((256, 128), dtype=nl.bfloat16, buffer=nl.hbm)
    places = nl.ndarray((128, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=places, src=chosen)
    columns = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.sbuf)
    rows = table.ap(pattern=[[128, 128], [1, 128]], vector_offset=places)
    nisa.dma_transpose(dst=columns, src=rows)  # expect: NKI701
    nisa.dma_copy(dst=out, src=columns)
    return out


@nki.jit
def columns_of_nothing(chosen):  # expect: NKI003
    assert chosen.shape == (1, 1)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    place = nl.ndarray((1, 1), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.dma_copy(dst=place, src=chosen)
    wide = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    some = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=some, src=wide.ap(pattern=[[512, 128], [1, 64]], scalar_offset=place))  # expect: NKI701
    nisa.dma_copy(dst=out, src=some)
    return out


@nki.jit
def as_often_as_nothing_says(x):
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    times = nisa.register_alloc()
    nisa.register_load(times, count)  # expect: NKI701
    for _ in nl.dynamic_range(times):  # expect: NKI904
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def as_often_as_a_tile_says(x, times_of):
    assert x.shape == (128, 64) and times_of.shape == (1, 1)
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    count = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=count, src=times_of)
    times = nisa.register_alloc()
    nisa.register_load(times, count)
    for _ in nl.dynamic_range(times):  # expect: NKI904
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=out, src=tile)
    return out
