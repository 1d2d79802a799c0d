"""Lifetimes where inputs count trips, tiles and places: the conflict with its condition, and what proves it."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl

# --- a number of places ---


@nki.jit
def places_counted_by_an_argument(x, num_tiles):
    assert x.shape == (4, 128, 512)
    assert 1 <= num_tiles <= 16
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(num_tiles,))
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(4):
        nl.store(output[i], value=tiles[i])  # expect-warning: NKI502 num_tiles >= 4
    return output


@nki.jit
def at_least_four_places(x, num_tiles):
    assert x.shape == (4, 128, 512)
    assert 4 <= num_tiles <= 16
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(num_tiles,))
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(4):
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def at_most_three_places(x, num_tiles):
    assert x.shape == (4, 128, 512)
    assert 1 <= num_tiles <= 3
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(num_tiles,))
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(4):
        nl.store(output[i], value=tiles[i])  # expect: NKI502
    return output


# --- a number of tiles ---


# nkilint: x: float32[N, 128, 512], N <= 64
@nki.jit
def tiles_counted_by_a_size(x):
    count = x.shape[0]
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(8,))
    tiles = nl.ndarray((count, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(count):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(count):
        nl.store(output[i], value=tiles[i])  # expect-warning: NKI502 N <= 8
    return output


# nkilint: x: float32[N, 128, 512], N <= 8
@nki.jit
def at_most_eight_tiles(x):
    count = x.shape[0]
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(8,))
    tiles = nl.ndarray((count, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(count):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(count):
        nl.store(output[i], value=tiles[i])
    return output


# nkilint: x: float32[N, 128, 512], N <= 64
@nki.jit
def any_number_of_tiles_used_at_once(x):
    count = x.shape[0]
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    tiles = nl.ndarray((count, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(count):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


# --- both ---


# nkilint: x: float32[N, M, 128, 512], N <= 8, M <= 8
@nki.jit
def tiles_and_places(x, num_tiles):
    assert 1 <= num_tiles <= 8
    outer, inner = x.shape[0], x.shape[1]
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(outer):  # expect: NKI604
        buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(num_tiles,))
        tiles = nl.ndarray((inner, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
        for j in nl.affine_range(inner):
            tiles[j] = nl.load(x[i, j])
        for j in nl.affine_range(inner):
            nl.store(output[i, j], value=tiles[j])  # expect-warning: NKI502 M <= num_tiles
    return output


# nkilint: x: float32[N, 128, 512], 2 <= N, N <= 64
@nki.jit
def one_tile_ahead(x, num_tiles):
    """Each tile is read after the next one was loaded."""
    assert 1 <= num_tiles <= 8
    count = x.shape[0]
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(num_tiles,))
    tiles = nl.ndarray((count, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    tiles[0] = nl.load(x[0])
    for i in nl.sequential_range(count - 1):
        tiles[i + 1] = nl.load(x[i + 1])
        nl.store(output[i], value=tiles[i])  # expect-warning: NKI502 num_tiles >= 2
    nl.store(output[count - 1], value=tiles[count - 1])
    return output


# nkilint: x: float32[N, 128, 512], 2 <= N, N <= 64
@nki.jit
def one_tile_ahead_in_two_places(x):
    count = x.shape[0]
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    tiles = nl.ndarray((count, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    tiles[0] = nl.load(x[0])
    for i in nl.sequential_range(count - 1):
        tiles[i + 1] = nl.load(x[i + 1])
        nl.store(output[i], value=tiles[i])
    nl.store(output[count - 1], value=tiles[count - 1])
    return output


# --- two tensors, the second at an address that inputs decide ---


# nkilint: x: float32[128, M], y: float32[128, M], M <= 4096
@nki.jit
def second_tensor_at_a_fixed_byte(x, y):
    columns = x.shape[1]
    output = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    first = nl.ndarray((nl.par_dim(128), columns), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    second = nl.ndarray((nl.par_dim(128), columns), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
    first[...] = nl.load(x)
    second[...] = nl.load(y)
    second[...] = nl.add(first, second)  # expect-warning: NKI501 M <= 512
    nl.store(output, value=second)
    return output


# nkilint: x: float32[128, M], y: float32[128, M], M <= 4096
@nki.jit
def second_tensor_behind_the_first(x, y):
    columns = x.shape[1]
    output = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    first = nl.ndarray((nl.par_dim(128), columns), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    behind = ncc.sbuf.mod_alloc(base_addr=columns * 4)
    second = nl.ndarray((nl.par_dim(128), columns), dtype=nl.float32, buffer=behind)
    first[...] = nl.load(x)
    second[...] = nl.load(y)
    second[...] = nl.add(first, second)
    nl.store(output, value=second)
    return output
