"""Where allocators put tiles: callables, closures with a counter, modulo allocation, tensors made in a loop."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.language as nl


def one_after_the_other(idx, pdim_size, fdim_size):
    (block,) = idx
    return 0, block * fdim_size


def all_in_one_place(idx, pdim_size, fdim_size):
    """Forgets the block index."""
    return 0, 0


def at_partition_32(idx, pdim_size, fdim_size):
    (block,) = idx
    return 32, block * fdim_size


def byte_alone(idx, pdim_size, fdim_size):
    (block,) = idx
    return block * fdim_size


# --- a callable ---


@nki.jit
def callable_places_each_tile(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(one_after_the_other))
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(4):
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def callable_forgets_the_index(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(all_in_one_place))
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(4):
        nl.store(output[i], value=tiles[i])  # expect: NKI502 @ nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def start_partition_of_a_full_tile(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.alloc(at_partition_32)
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=buffer)  # expect: NKI401
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def start_partition_of_a_quarter(x):
    assert x.shape == (4, 32, 512)
    output = nl.ndarray((4, 32, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.alloc(at_partition_32)
    tiles = nl.ndarray((4, nl.par_dim(32), 512), dtype=nl.bfloat16, buffer=buffer)
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def callable_returns_no_pair(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.alloc(byte_alone)
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=buffer)  # expect: NKI409
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


# --- a closure with a counter ---

next_address = 0


def counted(size):
    """Takes the next `size` bytes of each partition."""
    global next_address
    base = next_address
    next_address += size

    def place(idx, pdim_size, fdim_size):
        (block,) = idx
        return 0, base + block * fdim_size

    return place


class Stack:
    """Hands out addresses, and takes all of them back at once."""

    def __init__(self, free=0):
        self.free = free

    def take(self, size):
        base, self.free = self.free, self.free + size
        return lambda idx, pdim_size, fdim_size: (0, base + idx[0] * fdim_size)

    def release(self):
        self.free = 0


@nki.jit
def counter_of_bytes(x, y):
    assert x.shape == (4, 128, 512)
    assert y.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    left = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(counted(4 * 512 * 2)))
    right = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(counted(4 * 512 * 2)))
    for i in nl.affine_range(4):
        left[i] = nl.load(x[i])
        right[i] = nl.load(y[i])
    for i in nl.affine_range(4):
        left[i] = nl.add(left[i], right[i])
        nl.store(output[i], value=left[i])
    return output


@nki.jit
def counter_of_elements(x, y):
    assert x.shape == (4, 128, 512)
    assert y.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    left = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(counted(4 * 512)))
    right = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(counted(4 * 512)))
    for i in nl.affine_range(4):
        left[i] = nl.load(x[i])
        right[i] = nl.load(y[i])
    for i in nl.affine_range(4):
        left[i] = nl.add(left[i], right[i])  # expect: NKI501 @ nl.add(left[i], right[i])
        nl.store(output[i], value=left[i])
    return output


@nki.jit
def phases_of_a_stack(x, y):
    """The second phase takes the place of the first, which is over."""
    assert x.shape == (4, 128, 512)
    assert y.shape == (4, 128, 512)
    output = nl.ndarray((2, 4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    stack = Stack()
    first = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(stack.take(4 * 1024)))
    stack.release()
    second = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(stack.take(4 * 1024)))
    for i in nl.affine_range(4):
        first[i] = nl.load(x[i])
        nl.store(output[0, i], value=first[i])
    for i in nl.affine_range(4):
        second[i] = nl.load(y[i])
        nl.store(output[1, i], value=second[i])
    return output


@nki.jit
def stack_released_too_early(x, y):
    assert x.shape == (4, 128, 512)
    assert y.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    stack = Stack()
    first = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(stack.take(4 * 1024)))
    stack.release()
    second = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.alloc(stack.take(4 * 1024)))
    for i in nl.affine_range(4):
        first[i] = nl.load(x[i])
    for i in nl.affine_range(4):
        second[i] = nl.load(y[i])
        second[i] = nl.add(first[i], second[i])  # expect: NKI501 @ nl.add(first[i], second[i])
        nl.store(output[i], value=second[i])
    return output


# --- modulo allocation ---


@nki.jit
def two_places_in_turn(x):
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=buffer)
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def two_places_behind(x):
    """Each tile is read two iterations after it was loaded, when its place has the next one."""
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2,))
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=buffer)
    for i in nl.sequential_range(4):
        tiles[i] = nl.load(x[i])
    for i in nl.sequential_range(2):
        nl.store(output[i], value=tiles[i])  # expect: NKI502 @ nl.store(output[i], value=tiles[i])
    for i in nl.sequential_range(2):
        nl.store(output[2 + i], value=tiles[2 + i])
    return output


@nki.jit
def one_count_for_two_dimensions(x):
    assert x.shape == (2, 2, 128, 512)
    output = nl.ndarray((2, 2, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(4,))
    tiles = nl.ndarray((2, 2, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=buffer)  # expect: NKI409
    for i in nl.affine_range(2):
        for j in nl.affine_range(2):
            tiles[i, j] = nl.load(x[i, j])
            nl.store(output[i, j], value=tiles[i, j])
    return output


@nki.jit
def a_count_for_each_dimension(x):
    assert x.shape == (2, 2, 128, 512)
    output = nl.ndarray((2, 2, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2, 2))
    tiles = nl.ndarray((2, 2, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=buffer)
    for i in nl.affine_range(2):
        for j in nl.affine_range(2):
            tiles[i, j] = nl.load(x[i, j])
    for i in nl.affine_range(2):
        for j in nl.affine_range(2):
            nl.store(output[i, j], value=tiles[i, j])
    return output


@nki.jit
def quarters_side_by_side(x):
    """Tiles of 32 partitions, four in each column of places."""
    assert x.shape == (8, 32, 512)
    output = nl.ndarray((8, 32, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, base_partition=0, num_par_tiles=(4,), num_free_tiles=(1,))
    tiles = nl.ndarray((8, nl.par_dim(32), 512), dtype=nl.bfloat16, buffer=buffer)
    for i in nl.affine_range(2):  # expect: NKI604
        for j in nl.affine_range(4):
            tiles[i * 4 + j] = nl.load(x[i * 4 + j])
        for j in nl.affine_range(4):
            nl.store(output[i * 4 + j], value=tiles[i * 4 + j])
    return output


@nki.jit
def beyond_what_kernels_may_use(x):
    assert x.shape == (4, 128, 8192)
    output = nl.ndarray((4, 128, 8192), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=128 * 1024, num_free_tiles=(4,))
    tiles = nl.ndarray((4, nl.par_dim(128), 8192), dtype=nl.float32, buffer=buffer)  # expect: NKI402
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def within_what_kernels_may_use(x):
    assert x.shape == (4, 128, 8192)
    output = nl.ndarray((4, 128, 8192), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=128 * 1024, num_free_tiles=(2,))
    tiles = nl.ndarray((4, nl.par_dim(128), 8192), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


# --- tensors made in a loop, and hoisted out of it ---


@nki.jit
def made_and_used_in_the_loop(x):
    """Each iteration makes a tile at the same place, and is done with it at its end."""
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    for i in nl.affine_range(8):  # expect: NKI604
        tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        tile[...] = nl.load(x[i])
        nl.store(output[i], value=tile)
    return output


@nki.jit
def made_in_the_loop_and_kept(x):
    """The iterations' tiles outlive them, at one place."""
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    tiles = []
    for i in nl.static_range(4):
        tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        tile[...] = nl.load(x[i])
        tiles.append(tile)
    for i in nl.static_range(4):
        nl.store(output[i], value=tiles[i])  # expect: NKI501 @ nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def hoisted_out_of_the_loop(x):
    """As many places as there are tiles, so that iterations can overlap and all tiles can be kept."""
    assert x.shape == (8, 128, 512)
    output = nl.ndarray((8, 128, 512), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(8,))
    tiles = nl.ndarray((8, nl.par_dim(128), 512), dtype=nl.bfloat16, buffer=buffer)
    for i in nl.affine_range(8):
        tiles[i] = nl.load(x[i])
    for i in nl.affine_range(8):
        nl.store(output[i], value=tiles[i])
    return output
