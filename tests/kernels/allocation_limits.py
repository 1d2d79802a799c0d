"""What a directly allocated kernel has to obey: nothing else on chip or in HBM, no initial values, whole PSUM banks."""

import neuronxcc.nki as nki
import neuronxcc.nki.compiler as ncc
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

# --- automatic allocation beside it ---


@nki.jit
def result_that_nothing_places(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    doubled = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile = nl.load(x)  # expect: NKI405 @ nl.load(x)
    doubled[...] = nl.multiply(tile, 2.0)
    nl.store(output, value=doubled)
    return output


@nki.jit
def tensor_that_nothing_places(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    doubled = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI405
    tile[...] = nl.load(x)
    doubled[...] = nl.multiply(tile, 2.0)
    nl.store(output, value=doubled)
    return output


@nki.jit
def tensors_that_are_all_placed(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    doubled = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
    tile[...] = nl.load(x)
    doubled[...] = nl.multiply(tile, 2.0)
    nl.store(output, value=doubled)
    return output


@nki.compiler.force_auto_alloc
@nki.jit
def automatic_after_all(x):
    """The decorator overrules the allocators, so that nothing can be mixed, or overlap."""
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    doubled = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile = nl.load(x)
    doubled[...] = nl.multiply(tile, 2.0)
    nl.store(output, value=doubled)
    return output


# --- tensors that operations make for themselves ---


@nki.jit
def transpose_with_an_identity_of_its_own(x):
    assert x.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    turned = nl.ndarray((nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0))
    result = nl.ndarray((nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512))
    tile[...] = nl.load(x)
    turned[...] = nisa.nc_transpose(tile, engine=nisa.tensor_engine)  # expect: NKI406
    result[...] = nl.copy(turned)
    nl.store(output, value=result)
    return output


@nki.jit
def transpose_by_a_matmul(x, identity):
    assert x.shape == (128, 128)
    assert identity.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    ones = nl.ndarray((nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=1024))
    turned = nl.ndarray((nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.psum.mod_alloc(base_bank=0))
    result = nl.ndarray((nl.par_dim(128), 128), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=512))
    tile[...] = nl.load(x)
    ones[...] = nl.load(identity)
    turned[...] = nisa.nc_matmul(tile, ones, is_moving_onezero=True, is_transpose=True)
    result[...] = nl.copy(turned)
    nl.store(output, value=result)
    return output


@nki.jit
def softmax_with_steps_in_between(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    result = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
    tile[...] = nl.load(x)
    result[...] = nl.softmax(tile, axis=1)  # expect: NKI406 @ nl.softmax(tile, axis=1)
    nl.store(output, value=result)
    return output


@nki.jit
def softmax_step_by_step(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    result = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
    top = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4096))
    total = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=4100))
    tile[...] = nl.load(x)
    top[...] = nisa.tensor_reduce(nl.max, tile, axis=[1], negate=True)
    result[...] = nisa.activation_reduce(nl.exp, tile, bias=top, reduce_op=nl.add, reduce_res=total)
    result[...] = nl.divide(result, total)
    nl.store(output, value=result)
    return output


@nki.jit
def activation_without_bias(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    tile[...] = nisa.activation(nl.exp, tile)  # expect: NKI406 @ nisa.activation(nl.exp, tile)
    nl.store(output, value=tile)
    return output


@nki.jit
def activation_with_bias(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    bias = nl.ndarray((nl.par_dim(128), 1), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
    tile[...] = nl.load(x)
    bias[...] = nisa.memset((128, 1), 0.0, nl.float32)
    tile[...] = nisa.activation(nl.exp, tile, bias=bias)
    nl.store(output, value=tile)
    return output


# --- initial values, and HBM ---


@nki.jit
def initial_value(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.sbuf.mod_alloc(base_addr=0)
    total = nl.full((nl.par_dim(128), 512), 1.0, dtype=nl.float32, buffer=buffer)  # expect: NKI408
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
    tile[...] = nl.load(x)
    total[...] = nl.add(total, tile)
    nl.store(output, value=total)
    return output


@nki.jit
def value_written_afterwards(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=2048))
    tile[...] = nl.load(x)
    total[...] = nisa.memset((128, 512), 1.0, nl.float32)
    total[...] = nl.add(total, tile)
    nl.store(output, value=total)
    return output


@nki.jit
def detour_through_hbm(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    between = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.private_hbm)  # expect: NKI407
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    nl.store(between, value=tile)
    tile[...] = nl.load(between)
    nl.store(output, value=tile)
    return output


@nki.jit
def output_that_is_not_returned(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    copy = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)  # expect: NKI407
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    nl.store(output, value=tile)
    nl.store(copy, value=tile)
    return output


@nki.jit
def outputs_that_are_returned(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    copy = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    nl.store(output, value=tile)
    nl.store(copy, value=tile)
    return output, copy


# --- PSUM ---


def banks_from_seven(idx, pdim_size, fdim_size):
    return 7 + idx[0], 0, 0


def banks_from_six(idx, pdim_size, fdim_size):
    return 6 + idx[0], 0, 0


def halves_of_a_bank(idx, pdim_size, fdim_size):
    return 0, 0, idx[0] * fdim_size


@nki.jit
def bank_that_does_not_exist(x):
    assert x.shape == (2, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.psum.alloc(banks_from_seven)
    banks = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)  # expect: NKI404
    for i in nl.affine_range(2):  # expect: NKI604
        tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        tile[...] = nl.load(x[i])
        banks[i] = nl.copy(tile)
        tile[...] = nl.copy(banks[i])
        nl.store(output[i], value=tile)
    return output


@nki.jit
def banks_that_exist(x):
    assert x.shape == (2, 128, 512)
    output = nl.ndarray((2, 128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.psum.alloc(banks_from_six)
    banks = nl.ndarray((2, nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    for i in nl.affine_range(2):  # expect: NKI604
        tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        tile[...] = nl.load(x[i])
        banks[i] = nl.copy(tile)
        tile[...] = nl.copy(banks[i])
        nl.store(output[i], value=tile)
    return output


@nki.jit
def tiles_within_a_bank(x):
    """Each tile begins at byte 0 of a bank."""
    assert x.shape == (2, 128, 256)
    output = nl.ndarray((2, 128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.psum.alloc(halves_of_a_bank)
    banks = nl.ndarray((2, nl.par_dim(128), 256), dtype=nl.float32, buffer=buffer)  # expect: NKI404
    for i in nl.affine_range(2):  # expect: NKI604
        tile = nl.ndarray((nl.par_dim(128), 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
        tile[...] = nl.load(x[i])
        banks[i] = nl.copy(tile)
        tile[...] = nl.copy(banks[i])
        nl.store(output[i], value=tile)
    return output


@nki.jit
def base_of_a_bank(x):
    assert x.shape == (128, 256)
    output = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.psum.mod_alloc(base_bank=1, base_addr=1024)
    bank = nl.ndarray((nl.par_dim(128), 256), dtype=nl.float32, buffer=buffer)  # expect: NKI404
    tile = nl.ndarray((nl.par_dim(128), 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    bank[...] = nl.copy(tile)
    tile[...] = nl.copy(bank)
    nl.store(output, value=tile)
    return output


@nki.jit
def partition_of_a_bank(x):
    assert x.shape == (32, 256)
    output = nl.ndarray((32, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.psum.mod_alloc(base_bank=1, base_partition=32)
    bank = nl.ndarray((nl.par_dim(32), 256), dtype=nl.float32, buffer=buffer)  # expect: NKI404
    tile = nl.ndarray((nl.par_dim(32), 256), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    bank[...] = nl.copy(tile)
    tile[...] = nl.copy(bank)
    nl.store(output, value=tile)
    return output


@nki.jit
def tile_across_banks(x):
    assert x.shape == (128, 513)
    output = nl.ndarray((128, 513), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.psum.mod_alloc(base_bank=0)
    bank = nl.ndarray((nl.par_dim(128), 513), dtype=nl.float32, buffer=buffer)  # expect: NKI104
    tile = nl.ndarray((nl.par_dim(128), 513), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    bank[...] = nl.copy(tile)
    tile[...] = nl.copy(bank)
    nl.store(output, value=tile)
    return output


@nki.jit
def tile_of_a_whole_bank(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    buffer = ncc.psum.mod_alloc(base_bank=0)
    bank = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=buffer)
    tile = nl.ndarray((nl.par_dim(128), 512), dtype=nl.float32, buffer=ncc.sbuf.mod_alloc(base_addr=0))
    tile[...] = nl.load(x)
    bank[...] = nl.copy(tile)
    tile[...] = nl.copy(bank)
    nl.store(output, value=tile)
    return output
