"""A kernel that places its tiles itself: three tensors, and two physical tiles that the iterations take in turn."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl

TILE_BYTES = 512 * 4


@nki.jit
def scaled_sum(left, right):
    """Adds planes of two tensors; while one tile is computed, the next is loaded beside it."""
    planes, rows, columns = left.shape
    assert left.shape == right.shape
    assert rows == 128 and columns == 512
    output = nl.ndarray((planes, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    block = (planes, nl.par_dim(128), 512)
    x = nl.ndarray(block, dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,)))
    y = nl.ndarray(block, dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2 * TILE_BYTES, num_free_tiles=(2,)))
    z = nl.ndarray(block, dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4 * TILE_BYTES, num_free_tiles=(2,)))
    for i in nl.affine_range(planes):
        x[i] = nl.load(left[i])
        y[i] = nl.load(right[i])
        z[i] = nl.add(x[i], y[i])
        nl.store(output[i], value=z[i])
    return output
