"""Tiles that are overwritten too early (NKI501, NKI502), in `neuronxcc.nki`. Each marked line is reported."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl


@nki.jit
def overlapping(left, right):
    """`y` begins in the middle of `x`, which is still needed."""
    assert left.shape == (128, 512) and right.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    x = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    y = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1024))
    z = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4096))
    x[...] = nl.load(left)
    y[...] = nl.load(right)
    z[...] = nl.add(x, y)  # expect: NKI501
    # `base_addr=2048` for `y`: 512 float32 take 2048 bytes.
    nl.store(output, value=z)
    return output


@nki.jit
def two_places_for_four(x):
    """Four tiles are loaded into two places before the first of them is read."""
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray(
        (4, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    )
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(4):
        nl.store(output[i], value=tiles[i])  # expect: NKI502
        # `num_free_tiles=(4,)`, or one loop that loads and stores
    return output
