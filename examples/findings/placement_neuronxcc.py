"""Where tiles lie under direct allocation (NKI401-411), in `neuronxcc.nki`. Each marked line is reported."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def odd_partition(x):
    """64 partitions start at partition 0 or 64."""
    assert x.shape == (64, 512)
    output = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray(  # expect: NKI401
        (64, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0, base_partition=32)
    )
    # `base_partition=64`
    tile[...] = nl.load(x)
    nl.store(output, value=tile)
    return output


@nki.jit
def beyond_the_end(x):
    """SBUF ends within the tile."""
    assert x.shape == (128, 4096)
    output = nl.ndarray((128, 4096), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray(  # expect: NKI402
        (128, 4096), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=200 * 1024)
    )
    # A lower `base_addr`
    tile[...] = nl.load(x)
    nl.store(output, value=tile)
    return output


def after_a_word(idx, pdim_size, fdim_size):
    """Bank, partition and byte of a PSUM tile."""
    return 0, 0, 2


@nki.jit
def misaligned(weights, x):
    """PSUM is made of words of four bytes."""
    assert weights.shape == (128, 128) and x.shape == (128, 256)
    output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    left = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    right = nl.ndarray((128, 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512))
    product = nl.ndarray((128, 256), dtype=nl.float32, buffer=ncc.psum.alloc(after_a_word))  # expect: NKI403
    # Byte 0, where PSUM tiles start
    result = nl.ndarray((128, 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1536))
    left[...] = nl.load(weights)
    right[...] = nl.load(x)
    product[...] = nisa.nc_matmul(left, right)
    result[...] = nl.copy(product)
    nl.store(output, value=result)
    return output


@nki.jit
def ninth_bank(weights, x):
    """PSUM has eight banks, and two tiles from bank 7 on need a ninth."""
    assert weights.shape == (128, 128) and x.shape == (2, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    block = (2, nl.par_dim(128), 512)
    left = nl.ndarray((128, 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    right = nl.ndarray(block, dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512, num_free_tiles=(2,)))
    product = nl.ndarray(  # expect: NKI404
        block, dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=7, num_bank_tiles=(2,))
    )
    # `base_bank=6`
    result = nl.ndarray(block, dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4608, num_free_tiles=(2,)))
    left[...] = nl.load(weights)
    for i in nl.affine_range(2):
        right[i] = nl.load(x[i])
        product[i] = nisa.nc_matmul(left, right[i])
        result[i] = nl.copy(product[i])
        nl.store(output[i], value=result[i])
    return output


@nki.jit
def half_and_half(x):
    """A kernel places all of its tensors on chip, or none."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    placed = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    other = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI405
    # `buffer=ncc.sbuf.mod_alloc(base_addr=2048)`
    placed[...] = nl.load(x)
    other[...] = nl.copy(placed)
    nl.store(output, value=other)
    return output


@nki.jit
def hidden_bias(x):
    """Without `bias=`, an activation makes a tensor of zeros, and no one has placed that."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
    tile[...] = nl.load(x)
    result[...] = nisa.activation(op=nl.exp, data=tile)  # expect: NKI406
    # A tensor of zeros with a place of its own, passed as `bias=`
    nl.store(output, value=result)
    return output


@nki.jit
def spilled(x):
    """A directly allocated kernel has no HBM tensors but its inputs and outputs."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    spill = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.private_hbm)  # expect: NKI407
    # Keep the data on chip, or return the tensor as well.
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    nl.store(spill, value=tile)
    tile[...] = nl.load(spill)
    nl.store(output, value=tile)
    return output


@nki.jit
def placed_zeros(x):
    """A tensor with a place is made without a value."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.zeros((128, 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))  # expect: NKI408
    # `nl.ndarray`, then `tile[...] = 0`
    tile[...] = nl.load(x)
    nl.store(output, value=tile)
    return output


@nki.jit
def too_many_counts(x):
    """One count for each block dimension; this tensor has one."""
    assert x.shape == (4, 128, 512)
    output = nl.ndarray((4, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray(  # expect: NKI409
        (4, nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0, num_free_tiles=(2, 2))
    )
    # `num_free_tiles=(2,)`
    for i in nl.affine_range(4):
        tiles[i] = nl.load(x[i])
        nl.store(output[i], value=tiles[i])
    return output


@nki.jit
def more_than_fits(left, right):
    """Two tensors of 128 KiB in each partition, of which SBUF has 224, and their sum."""
    assert left.shape == (128, 32768) and right.shape == (128, 32768)
    output = nl.ndarray((128, 32768), dtype=nl.float32, buffer=nl.shared_hbm)
    x = nl.ndarray((nl.par_dim(128), 32768), dtype=nl.float32, buffer=nl.sbuf)
    y = nl.ndarray((nl.par_dim(128), 32768), dtype=nl.float32, buffer=nl.sbuf)
    x[...] = nl.load(left)
    y[...] = nl.load(right)
    nl.store(output, value=nl.add(x, y))  # expect: NKI410
    # Load, add and store 512 columns at a time.
    return output


@nki.jit
def wider_than_its_data(x):
    """Half of each tile is never used."""
    assert x.shape == (4, 128, 256)
    output = nl.ndarray((4, 128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    tiles = nl.ndarray((4, nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
    # 256 instead of 512
    for i in nl.affine_range(4):
        tiles[i, 0:128, 0:256] = nl.load(x[i])
        nl.store(output[i], value=tiles[i, 0:128, 0:256])
    return output
