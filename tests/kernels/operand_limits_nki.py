"""Sentences of single pages: dtypes and partitions of gathers and dropouts, scales, and modes of matmuls."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, dtype=nl.float32):
    tile = nl.ndarray(source.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def stored(tile, dtype=nl.float32):
    output = nl.ndarray(tile.shape, dtype=dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def gathered_into_another_dtype(x):
    assert x.shape == (128, 512)
    places = nl.ndarray((128, 16), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[2, 16]], offset=0)
    found = nl.ndarray((128, 16), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=found, data=loaded(x), indices=places)  # expect: NKI202
    return stored(found, nl.bfloat16)


@nki.jit
def gathered_into_its_dtype(x):
    assert x.shape == (128, 512)
    places = nl.ndarray((128, 16), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[2, 16]], offset=0)
    found = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=found, data=loaded(x), indices=places)
    return stored(found)


@nki.jit
def gathered_from_fewer_rows(x):
    assert x.shape == (128, 512)
    places = nl.ndarray((64, 16), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[2, 16]], offset=0)
    return stored(nl.gather_flattened(loaded(x), places))  # expect: NKI203


@nki.jit
def dropped_into_another_dtype(x):
    assert x.shape == (128, 512)
    kept = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dropout(dst=kept, data=loaded(x), prob=0.1)  # expect: NKI202
    return stored(kept, nl.bfloat16)


@nki.jit
def rates_of_fewer_rows(x, rates):
    assert x.shape == (128, 512) and rates.shape == (64, 1)
    return stored(nl.dropout(loaded(x), loaded(rates)))  # expect: NKI203


@nki.jit
def rates_of_all_rows(x, rates):
    assert x.shape == (128, 512) and rates.shape == (128, 1)
    return stored(nl.dropout(loaded(x), loaded(rates)))


@nki.jit
def one_scale_for_two(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_compute(dst=total, srcs=[x, y], reduce_op=nl.add, scales=[1.0])  # expect: NKI205
    return total


@nki.jit
def a_scale_for_each(x, y):
    assert x.shape == (128, 512) and y.shape == (128, 512)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_compute(dst=total, srcs=[x, y], reduce_op=nl.add, scales=[1.0, 1.0])
    return total


@nki.jit
def double_rows_in_half_the_columns(w, x):
    assert w.shape == (128, 2, 64) and x.shape == (128, 2, 512)
    product = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(
        dst=product,
        stationary=loaded(w, nl.float8_e4m3),
        moving=loaded(x, nl.float8_e4m3),
        perf_mode=nisa.matmul_perf_mode.double_row,
        tile_position=(0, 0),
        tile_size=(128, 64),  # expect: NKI205
    )
    result = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=product)
    return stored(result)


@nki.jit
def double_rows_in_half_the_rows(w, x):
    assert w.shape == (64, 2, 128) and x.shape == (64, 2, 512)
    product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(
        dst=product,
        stationary=loaded(w, nl.float8_e4m3),
        moving=loaded(x, nl.float8_e4m3),
        perf_mode=nisa.matmul_perf_mode.double_row,
        tile_position=(64, 0),
        tile_size=(64, 128),
    )
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=product)
    return stored(result)
