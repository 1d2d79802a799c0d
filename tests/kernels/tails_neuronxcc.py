"""Which elements the tiles of a loop reach, and under which condition that is all of them."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def overlapping_chunks(x):
    rows, columns = x.shape
    assert rows <= 128
    output = nl.ndarray((rows, 2 * columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for c in nl.static_range(math.ceil((columns - 10) / 9) + 1):
        first = max(0, c * 9)
        last = min(first + 10, columns)
        skip = 1 if first else 0
        target = 2 * first + 1 if first else 0
        tile = nl.zeros((rows, 2 * (last - first)), dtype=x.dtype, buffer=nl.sbuf)
        nl.store(output[:, target : 2 * last], value=tile[:, skip : 2 * (last - first)])
    return output  # expect-warning: NKI702 columns >= 2


@nki.jit
def window_beyond_the_row(x):
    """What is read behind the end of a tile is outside of it, and not an element that was left out."""
    P, N = x.shape
    assert P == 128 and N >= 2
    output = nl.ndarray((P, N), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    p, f = nl.mgrid[0:128, 0:N]
    nl.store(output, value=nl.add(tile[p, f], tile[p, f + 1]))  # expect: NKI301
    return output
