"""Loops in chunks of which the last one may be smaller: what they count has a closed form."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def up_to_a_limit(x, n: int):
    assert x.shape[1] == 64 and x.shape[0] >= n and n >= 1
    out = nl.ndarray((n, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    copied, place = 0, 0
    while copied < n:
        chunk = min(128, n - copied)
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:chunk], src=x[place : place + chunk])
        nisa.dma_copy(dst=out[copied : copied + chunk], src=tile[0:chunk])
        place += chunk
        copied += chunk
    reveal(copied)  # revealed: n
    reveal(place)  # revealed: n
    return out


@nki.jit
def down_to_nothing(x, n: int):
    assert x.shape[1] == 64 and x.shape[0] >= n and n >= 1
    out = nl.ndarray((n, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rest, place = n, 0
    while rest > 0:
        chunk = min(rest, 128)
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:chunk], src=x[place : place + chunk])
        nisa.dma_copy(dst=out[place : place + chunk], src=tile[0:chunk])
        rest -= chunk
        place += chunk
    reveal(rest)  # revealed: 0
    reveal(place)  # revealed: n
    return out


@nki.jit
def down_by_whole_chunks(x, n: int):
    """The last chunk reads behind the rows."""
    assert x.shape == (n, 64) and n >= 1
    out = nl.ndarray((n, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    rest, place = n, 0
    while rest > 0:
        chunk = min(rest, 128)
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[place : place + 128])  # expect-warning: NKI301 x.shape[0] % 128 == 0
        nisa.dma_copy(dst=out[place : place + chunk], src=tile[0:chunk])
        rest -= chunk
        place += chunk
    return out


@nki.jit
def in_a_loop_of_chunks(x):
    n, columns = x.shape
    assert columns == 64
    out = nl.ndarray((n, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    place = 0
    for i in range((n + 127) // 128):
        chunk = min(128, n - i * 128)
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile[0:chunk], src=x[place : place + chunk])
        nisa.dma_copy(dst=out[place : place + chunk], src=tile[0:chunk])
        place += chunk
    reveal(place)  # revealed: n
    return out


@nki.jit
def by_twos(x, n: int):  # expect: NKI003
    assert n >= 1
    i, seen = n, 0
    while i > 0:
        i -= 2
        seen += 1
    reveal(i)  # revealed: n - 2*max((n + 1) // 2, 0)
    reveal(seen)  # revealed: max((n + 1) // 2, 0)
    return x


@nki.jit
def another_chunk_in_between(x, n: int):  # expect: NKI003
    """The chunk is not always the smaller of the two."""
    assert n >= 1
    rest = n
    while rest > 0:
        chunk = min(rest, 128)
        if chunk > 64:
            chunk = 32
        rest -= chunk
    reveal(rest)  # revealed: rest.1
    return x


@nki.jit
def further_than_the_limit(x, n: int):  # expect: NKI003
    """It ends where another number does."""
    assert n >= 1
    copied = 0
    while copied < n:
        chunk = min(128, n + 8 - copied)
        copied += chunk
    reveal(copied)  # revealed: copied.1
    return x
