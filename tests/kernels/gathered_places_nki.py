"""Gathers within each partition by indices that the kernel makes: they count the elements of a partition."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, dtype=nl.float32):
    tile = nl.ndarray(source.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def counted(rows, columns, step=1, start=0, by_row=0):
    places = nl.ndarray((rows, columns), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.iota(dst=places, pattern=[[step, columns]], offset=start, channel_multiplier=by_row)
    return places


def stored(tile):
    output = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def past_the_last_column(x):
    assert x.shape == (128, 512)
    found = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.sbuf)
    places = counted(128, 16, start=500)
    nisa.nc_n_gather(dst=found, data=loaded(x), indices=places)  # expect: NKI301
    return stored(found)


@nki.jit
def places_in_the_whole_tile(x):
    assert x.shape == (128, 512)
    found = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.sbuf)
    places = counted(128, 16, by_row=16)
    nisa.nc_n_gather(dst=found, data=loaded(x), indices=places)  # expect: NKI301
    return stored(found)


@nki.jit
def places_in_each_row(x):
    assert x.shape == (128, 512)
    found = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=found, data=loaded(x), indices=counted(128, 16, start=496))
    return stored(found)


@nki.jit
def part_of_the_places(x):
    """The first half of what is counted stays inside; the other one is not used."""
    assert x.shape == (128, 512)
    found = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.sbuf)
    places = counted(128, 32, start=496)
    nisa.nc_n_gather(dst=found, data=loaded(x), indices=places[:, 0:16])
    return stored(found)


@nki.jit
def places_handed_in(x, places):
    assert x.shape == (128, 512) and places.shape == (128, 16)
    found = nl.ndarray((128, 16), dtype=nl.float32, buffer=nl.sbuf)
    nisa.nc_n_gather(dst=found, data=loaded(x), indices=loaded(places, nl.uint32))
    return stored(found)


@nki.jit
def every_other_column(x):
    """x: float32[128, N]"""
    columns = x.shape[1]
    assert x.shape[0] == 128 and 2 <= columns <= 512
    places = counted(128, columns // 2, step=2)
    return stored(nl.gather_flattened(loaded(x), places))


@nki.jit
def every_third_column(x):
    """x: float32[128, N]"""
    columns = x.shape[1]
    assert x.shape[0] == 128 and 2 <= columns <= 512
    places = counted(128, columns // 2, step=3)
    return stored(nl.gather_flattened(loaded(x), places))  # expect-warning: NKI301 3*(N // 2) <= N + 2
