"""Iterations whose tiles overlap: none do where there is but one iteration."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def steps_shorter_than_tiles(x):
    rows, columns = x.shape
    assert columns <= 512
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.arange(128)[:, None], nl.arange(columns)[None, :]
    for i in nl.affine_range((rows + 127) // 128):
        tile = nl.load(x[i * 127 + p, f], mask=i * 127 + p < rows)
        nl.store(out[i * 127 + p, f], value=tile, mask=i * 127 + p < rows)  # expect: NKI602 rows <= 128
    return out


@nki.jit
def steps_as_long_as_tiles(x):
    rows, columns = x.shape
    assert columns <= 512
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    p, f = nl.arange(127)[:, None], nl.arange(columns)[None, :]
    for i in nl.affine_range((rows + 126) // 127):
        tile = nl.load(x[i * 127 + p, f], mask=i * 127 + p < rows)
        nl.store(out[i * 127 + p, f], value=tile, mask=i * 127 + p < rows)
    return out


@nki.jit
def last_tile_moved_back(x):
    rows, columns = x.shape
    assert columns <= 512 and rows >= 128
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range((rows + 127) // 128):
        first = min(i * 128, rows - 128)
        nl.store(out[nl.ds(first, 128), :], value=nl.load(x[nl.ds(first, 128), :]))  # expect: NKI602
    return out
