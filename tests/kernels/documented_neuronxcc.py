"""Limits that the documentation states and devices do not keep: warnings that no verdict counts, and what stays wrong."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def product_in_all_banks(x):
    assert x.shape == (128, 4096)
    output = nl.ndarray((128, 4096), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 4096), dtype=nl.float32, buffer=nl.psum)  # expect: NKI104
    moving = nl.load(x)
    for i in nl.affine_range(8):
        right = moving[:, nl.ds(512 * i, 512)]
        total[:, nl.ds(512 * i, 512)] += nisa.nc_matmul(moving[:, 0:128], right)  # expect: NKI410
    nl.store(output, value=nl.copy(total))
    return output


@nki.jit
def beyond_all_banks(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 4608), dtype=nl.float32, buffer=nl.psum)  # expect: NKI104
    nl.store(output, value=nl.copy(total[:, 0:512]))
    return output


@nki.jit
def transposed_by_the_vector_engine(x):
    assert x.shape == (128, 128)
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.nc_transpose(nl.load(x), engine=nisa.vector_engine))  # expect: NKI102
    return output


@nki.jit
def sums_over_axes_with_a_gap(x, y):
    assert x.shape == (128, 4, 8, 6) and y.shape == (128, 4, 2, 3, 2)
    first = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    second = nl.ndarray((128, 4, 3), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(first, value=nisa.tensor_reduce(nl.add, nl.load(x), axis=(1, 3)))  # expect: NKI213
    nl.store(second, value=nisa.tensor_reduce(nl.add, nl.load(y), axis=(2, 4)))  # expect: NKI213
    return first, second


@nki.jit
def sum_over_a_middle_axis(x):
    assert x.shape == (128, 4, 8, 6)
    output = nl.ndarray((128, 4, 6), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.tensor_reduce(nl.add, nl.load(x), axis=2))  # expect: NKI213
    return output


@nki.jit
def column_for_several_axes(x, column):
    assert x.shape == (128, 30, 14) and column.shape == (128, 1)
    output = nl.ndarray((128, 30, 14), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.tensor_tensor(nl.load(x), nl.load(column), op=nl.add))
    return output


@nki.jit
def tile_of_one_dimension(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128,), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI105  # expect: NKI411
    tile = nl.load(x)
    nl.store(output, value=tile)
    return output


# --- within all limits ---


@nki.jit
def halves_that_fill_a_bank(x):
    """A bank holds as many bytes of a narrower type in twice as many columns."""
    assert x.shape == (128, 1024)
    output = nl.ndarray((128, 1024), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    held = nl.ndarray((128, 1024), dtype=nl.bfloat16, buffer=nl.psum)
    held[...] = nl.copy(nl.load(x), dtype=nl.bfloat16)
    nl.store(output, value=nl.copy(held))
    return output


@nki.jit
def oblong_transpose_of_the_vector_engine(x):
    assert x.shape == (32, 16)
    output = nl.ndarray((16, 32), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.nc_transpose(nl.load(x), engine=nisa.vector_engine))
    return output


@nki.jit
def sum_of_the_language_over_a_middle_axis(x):
    """Its functions take any free axes; the instruction takes the last ones."""
    assert x.shape == (128, 4, 8)
    output = nl.ndarray((128, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.sum(nl.load(x), axis=1))
    return output


@nki.jit
def products_bank_by_bank(x):
    assert x.shape == (128, 1024)
    output = nl.ndarray((128, 1024), dtype=nl.float32, buffer=nl.shared_hbm)
    moving = nl.load(x)
    for i in nl.affine_range(2):
        part = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
        part += nisa.nc_matmul(moving[:, 0:128], moving[:, nl.ds(512 * i, 512)])
        nl.store(output[:, nl.ds(512 * i, 512)], value=nl.copy(part))
    return output
