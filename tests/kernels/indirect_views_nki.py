"""Views that are chosen by what a tile holds, and what may be made of them; slices that are empty."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, dtype=nl.float32):
    tile = nl.ndarray(source.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def stored(tile):
    output = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def chosen_and_seen_as_integers(x, rows):
    places = loaded(rows, nl.int32)
    held = nl.ndarray((64, 16), dtype=nl.float32, buffer=nl.hbm)
    nisa.dma_copy(dst=held, src=x)
    assert x.shape == (64, 16) and rows.shape == (128, 1)
    found = nl.ndarray((128, 16), dtype=nl.int32, buffer=nl.sbuf)
    view = held.vector_select(0, places).view(nl.int32)  # expect: NKI205
    nisa.dma_copy(dst=found, src=view)
    return stored(found)


@nki.jit
def seen_as_integers_and_chosen(x, rows):
    held = nl.ndarray((64, 16), dtype=nl.float32, buffer=nl.hbm)
    nisa.dma_copy(dst=held, src=x)
    assert x.shape == (64, 16) and rows.shape == (128, 1)
    found = nl.ndarray((128, 16), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=found, src=held.view(nl.int32).vector_select(0, loaded(rows, nl.int32)))
    return stored(found)


@nki.jit
def two_indices_for_each_row(x, rows):
    assert x.shape == (64, 16) and rows.shape == (128, 2)
    found = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.sbuf)
    view = x.vector_select(0, loaded(rows, nl.int32))  # expect: NKI205
    nisa.dma_copy(dst=found, src=view)
    return stored(found)


@nki.jit
def both_offsets(x, rows):
    assert x.shape == (1024, 512) and rows.shape == (128, 1)
    places = loaded(rows, nl.int32)
    found = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    view = x.ap(
        pattern=[[512, 128], [1, 512]],
        vector_offset=places,  # expect: NKI205
        scalar_offset=places[0:1],
    )
    nisa.dma_copy(dst=found, src=view)
    return stored(found)


@nki.jit
def rows_of_a_tile(x, rows):
    assert x.shape == (128, 512) and rows.shape == (128, 1)
    found = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    tile, places = loaded(x), loaded(rows, nl.int32)
    view = tile.ap(pattern=[[512, 128], [1, 512]], vector_offset=places)  # expect: NKI201
    nisa.dma_copy(dst=found, src=view)
    return stored(found)


@nki.jit
def rows_of_a_tensor(x, rows):
    assert x.shape == (1024, 512) and rows.shape == (128, 1)
    found = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    places = loaded(rows, nl.int32)
    nisa.dma_copy(dst=found, src=x.ap(pattern=[[512, 128], [1, 512]], vector_offset=places))
    return stored(found)


@nki.jit
def more_rows_than_indices(x, rows):
    assert x.shape == (1024, 512) and rows.shape == (64, 1)
    found = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    places = loaded(rows, nl.int32)
    nisa.dma_copy(dst=found, src=x.ap(pattern=[[512, 128], [1, 512]], vector_offset=places))  # expect: NKI204
    return stored(found)


@nki.jit
def whole_pattern_for_the_last_indices(x, rows):
    """rows: int32[N, 1]"""
    output = nl.ndarray((rows.shape[0], 512), dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape == (1024, 512)
    for start in range(0, rows.shape[0], 128):
        count = min(128, rows.shape[0] - start)
        places = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=places[0:count, :], src=rows[start : start + count, :])
        found = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        pattern = [[512, 128], [1, 512]]
        nisa.dma_copy(dst=found, src=x.ap(pattern, vector_offset=places[0:count, :]))  # expect: NKI204 N % 128 == 0
        nisa.dma_copy(dst=output[start : start + count, :], src=found[0:count, :])
    return output


@nki.jit
def one_index_for_each_row(x, rows):
    """rows: int32[N, 1]"""
    output = nl.ndarray((rows.shape[0], 512), dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape == (1024, 512)
    for start in range(0, rows.shape[0], 128):
        count = min(128, rows.shape[0] - start)
        places = nl.ndarray((128, 1), dtype=nl.int32, buffer=nl.sbuf)
        nisa.dma_copy(dst=places[0:count, :], src=rows[start : start + count, :])
        found = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
        pattern = [[512, count], [1, 512]]
        nisa.dma_copy(dst=found[0:count, :], src=x.ap(pattern, vector_offset=places[0:count, :]))
        nisa.dma_copy(dst=output[start : start + count, :], src=found[0:count, :])
    return output


@nki.jit
def nothing_of_it(x):
    assert x.shape == (128, 512)
    empty = loaded(x).slice(1, 8, 8)  # expect: NKI109
    return stored(empty)


@nki.jit
def what_is_left(x):
    """x: float32[128, N]"""
    assert x.shape[0] == 128 and 512 < x.shape[1] <= 1024
    return stored(loaded(x).slice(1, 512, x.shape[1]))


@nki.jit
def chosen_by_a_float(x, rows):
    assert x.shape == (4, 128, 64) and rows.shape == (1, 1)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x.select(0, loaded(rows)))  # expect: NKI202
    return output


@nki.jit
def chosen_by_floats(x, rows):
    assert x.shape == (64, 16) and rows.shape == (128, 1)
    places = loaded(rows, nl.bfloat16)
    found = nl.ndarray((128, 16), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=found, src=x.ap([[16, 128], [1, 16]], vector_offset=places, indirect_dim=0))  # expect: NKI202
    return stored(found)


@nki.jit
def chosen_by_what_the_caller_gives(x, rows):
    assert x.shape == (64, 16) and rows.shape == (128, 1)
    places = loaded(rows, rows.dtype)
    found = nl.ndarray((128, 16), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=found, src=x.vector_select(0, places))
    return stored(found)


@nki.jit
def a_pattern_of_less_than_no_elements(x, skipped):
    tile = loaded(x)
    rest = x.ap(pattern=[[x.shape[1], x.shape[0]], [1, x.shape[1] - skipped]])  # expect: NKI109 skipped <= x.shape[1]
    assert rest.shape[0] == x.shape[0] and x.shape[0] <= 128 and skipped > 0
    return stored(tile)


@nki.jit
def a_pattern_of_no_elements(x):
    tile = loaded(x)
    rest = x.ap(pattern=[[x.shape[1], x.shape[0]], [1, x.shape[1] - x.shape[1]]])
    assert rest.shape[0] == x.shape[0] and x.shape[0] <= 128
    return stored(tile)


@nki.jit
def less_than_no_copies(x):
    assert x.shape == (128, 512)
    tile = loaded(x)
    copies = tile[:, 0:1].broadcast(1, x.shape[1] - 513)  # expect: NKI109
    assert len(copies.shape) == 2
    return stored(tile)
