"""Sequential loops that could overlap (NKI604), and those that could not, or of which nobody can tell."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def independent(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 512
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(rows // 128):  # expect: NKI604
        tile = nl.exp(nl.load(x[nl.ds(i * 128, 128), 0:512]))
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
    return output


@nki.jit
def accumulating(left, right):
    assert left.shape == (512, 128) and right.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.sequential_range(4):
        total += nisa.nc_matmul(nl.load(left[nl.ds(k * 128, 128), 0:128]), nl.load(right[nl.ds(k * 128, 128), 0:512]))
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def accumulating_written_out(x):
    """The sum in the outer loop is one of SBUF, and each of its iterations stores something of its own besides."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns == 512
    output = nl.ndarray((rows, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    totals = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.zeros((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:512])
        for part in nl.sequential_range(2):
            sums[part] = nl.add(sums[part], tile)
        for part in nl.sequential_range(2):  # expect: NKI604
            nl.store(output[nl.ds(i * 128 + part * 64, 64), 0:512], value=tile[nl.ds(part * 64, 64), 0:512])
    for part in nl.affine_range(2):
        nl.store(totals[part], value=sums[part])
    return output, totals


@nki.jit
def carried(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    state = nl.zeros((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(512):
        state[...] = nl.add(nl.multiply(state, 0.5), nl.load(x[0:128, nl.ds(i, 1)]))
        nl.store(output[0:128, nl.ds(i, 1)], value=state)
    return output


@nki.jit
def random(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((512, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.sequential_range(4):
        tile = nl.dropout(nl.load(x[nl.ds(i * 128, 128), 0:512]), 0.1)
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
    return output


@nki.jit
def one_tile_for_all_iterations(x):
    assert x.shape == (1024, 512)
    output = nl.ndarray((1024, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(8):  # expect: NKI604
        tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        tile[...] = nl.load(x[nl.ds(i * 128, 128), 0:512])
        nl.store(output[nl.ds(i * 128, 128), 0:512], value=tile)
    return output


@nki.jit
def one_place_for_all_blocks(x):
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(1,))
    tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(8):  # expect: NKI604
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def two_tiles_in_turn(x):
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(8):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def constants_for_all_iterations(x, scales):
    """What is loaded before the loop is read in every iteration, and keeps none of them waiting."""
    assert x.shape == (8, 128, 512) and scales.shape == (128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    factors = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    factors[...] = nl.load(scales)
    buffer = ncc.sbuf.mod_alloc(base_addr=2048, num_free_tiles=(2,))
    tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(8):
        tiles[i] = nl.load(x[i])
        tiles[i] = nl.multiply(tiles[i], factors)
        nl.store(output[i], value=tiles[i])
    return output
