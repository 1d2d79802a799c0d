"""How much is alive at once on chip where the compiler places it, and what of it is never used."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

# --- SBUF ---


@nki.jit
def all_tiles_before_the_first_is_used(x):
    assert x.shape == (32, 128, 4096)
    output = nl.ndarray((32, 128, 4096), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((32, nl.par_dim(128), 4096), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(32):
        tiles[i] = nl.load(x[i])  # expect: NKI410
    for i in nl.affine_range(32):
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def each_tile_used_where_it_is_loaded(x):
    assert x.shape == (32, 128, 4096)
    output = nl.ndarray((32, 128, 4096), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((32, nl.par_dim(128), 4096), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(32):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def as_many_as_fit(x):
    assert x.shape == (14, 128, 4096)
    output = nl.ndarray((14, 128, 4096), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((14, nl.par_dim(128), 4096), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(14):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(14):
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def one_more_than_fits(x):
    assert x.shape == (15, 128, 4096)
    output = nl.ndarray((15, 128, 4096), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((15, nl.par_dim(128), 4096), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(15):
        tiles[i] = nl.load(x[i])  # expect: NKI410
    for i in nl.affine_range(15):
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def quarters_fit_side_by_side(x):
    """Four tiles of 32 partitions take the columns of one."""
    assert x.shape == (56, 32, 4096)
    output = nl.ndarray((56, 32, 4096), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((56, nl.par_dim(32), 4096), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(56):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(56):
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def one_after_the_other(x, y):
    assert x.shape == (128, 32768)
    assert y.shape == (128, 32768)
    output = nl.ndarray((2, 128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
    first = nl.ndarray((nl.par_dim(128), 32768), dtype=nl.float32, buffer=nl.sbuf)
    second = nl.ndarray((nl.par_dim(128), 32768), dtype=nl.float32, buffer=nl.sbuf)
    first[...] = nl.load(x)
    nl.store(output[0], value=first)
    second[...] = nl.load(y)
    nl.store(output[1], value=second)
    return output


@nki.jit
def one_or_the_other(x, wide: bool):
    assert x.shape == (128, 32768)
    output = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
    if wide:
        first = nl.ndarray((nl.par_dim(128), 32768), dtype=nl.float32, buffer=nl.sbuf)
        first[...] = nl.load(x)
        nl.store(output, value=first)
    else:
        second = nl.ndarray((nl.par_dim(128), 32768), dtype=nl.float32, buffer=nl.sbuf)
        second[...] = nl.load(x)
        nl.store(output, value=second)
    return output


# --- PSUM ---


@nki.jit
def nine_sums_at_once(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((9, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    sums = nl.zeros((9, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(9):
        sums[i] += nisa.nc_matmul(tile[0:128, 0:128], tile)  # expect: NKI410
    for i in nl.affine_range(9):
        nl.store(output[i], value=nl.copy(sums[i]))
    return output


@nki.jit
def eight_sums_at_once(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    sums = nl.zeros((8, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(8):
        sums[i] += nisa.nc_matmul(tile[0:128, 0:128], tile)
    for i in nl.affine_range(8):
        nl.store(output[i], value=nl.copy(sums[i]))
    return output


# --- parts that nothing reaches ---


@nki.jit
def more_tiles_than_iterations(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def tail_under_a_mask(x):
    """The last tile is full size, its mask keeps to the input."""
    assert x.shape == (128, 700)
    output = nl.ndarray((128, 700), dtype=nl.float32, buffer=nl.shared_hbm)
    row, column = nl.mgrid[0:128, 0:512]
    for j in nl.affine_range(2):
        tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
        here = j * 512 + column < 700
        tile[row, column] = nl.load(x[row, j * 512 + column], mask=here)
        nl.store(output[row, j * 512 + column], value=tile[row, column], mask=here)
    return output


@nki.jit
def fewer_rows_than_partitions(x):
    """Partitions cost nothing."""
    assert x.shape == (96, 512)
    output = nl.ndarray((96, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)
    tile[0:96, 0:512] = nl.load(x)
    nl.store(output, value=tile[0:96, 0:512])
    return output


# --- single tiles and instructions ---


@nki.jit
def one_tile_too_wide(x):
    assert x.shape == (128, 57345)
    output = nl.ndarray((128, 57345), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x, dtype=nl.float32)  # expect: NKI410
    nl.store(output, value=tile)
    return output


@nki.jit
def as_wide_as_sbuf(x):
    assert x.shape == (128, 57344)
    output = nl.ndarray((128, 57344), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x, dtype=nl.float32)
    nl.store(output, value=tile)
    return output


@nki.jit
def operand_and_result_too_wide(x):
    """Neither is too large alone, and nothing else is alive."""
    assert x.shape == (128, 28673)
    output = nl.ndarray((128, 28673), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.exp(nl.load(x, dtype=nl.float32)))  # expect: NKI410
    return output


@nki.jit
def operand_and_result_fit(x):
    assert x.shape == (128, 28672)
    output = nl.ndarray((128, 28672), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.exp(nl.load(x, dtype=nl.float32)))
    return output


@nki.jit
def operands_of_few_partitions(x):
    """Tiles of 32 partitions lie below one another."""
    assert x.shape == (32, 57344)
    output = nl.ndarray((32, 57344), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.exp(nl.load(x, dtype=nl.float32)))
    return output


@nki.jit
def one_operand_twice(x):
    assert x.shape == (128, 28672)
    output = nl.ndarray((128, 28672), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x, dtype=nl.float32)
    nl.store(output, value=nl.multiply(tile, tile))
    return output
