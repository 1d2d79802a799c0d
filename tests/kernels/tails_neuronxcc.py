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
