"""What operations leave of a destination, and which elements their results hang on."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


@nki.jit
def added_to_nothing(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nisa.dma_copy(dst=output, src=tile, dst_rmw_op=np.add)  # expect: NKI701
    return output


@nki.jit
def added_to_zeros(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.zeros((128, 64), dtype=nl.float32))
    tile = nl.load(x)
    nisa.dma_copy(dst=output, src=tile, dst_rmw_op=np.add)
    return output


@nki.jit
def added_to_half(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output[0:64, 0:64], value=nl.zeros((64, 64), dtype=nl.float32))
    tile = nl.load(x)
    nisa.dma_copy(dst=output, src=tile, dst_rmw_op=np.add)  # expect: NKI701
    return output


@nki.jit
def atomically_added_to_nothing(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.atomic_rmw(output[0:128, 0:64], value=nl.load(x), op=np.add)  # expect: NKI701
    return output


@nki.jit
def shuffled_with_gaps(x):
    assert x.shape == (32, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    shuffled = nl.ndarray((32, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(src=nl.load(x), dst=shuffled, shuffle_mask=[0] * 16 + [255] * 16)
    nl.store(output, value=shuffled)  # expect: NKI701
    return output


@nki.jit
def shuffled_with_gaps_of_which_nothing_is_stored(x):
    assert x.shape == (32, 64)
    output = nl.ndarray((16, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    shuffled = nl.ndarray((32, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.nc_stream_shuffle(src=nl.load(x), dst=shuffled, shuffle_mask=[0] * 16 + [255] * 16)
    nl.store(output, value=shuffled[0:16, 0:64])
    return output


@nki.jit
def reduced_along_the_last_axis(x):
    assert x.shape == (128, 4, 8)
    output = nl.ndarray((128, 2), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 4, 8), dtype=x.dtype, buffer=nl.sbuf)
    tile[0:128, 0:2, 0:8] = nl.load(x[0:128, 0:2, 0:8])
    sums = nl.sum(tile, axis=[2])
    nl.store(output, value=sums[0:128, 0:2])
    return output


@nki.jit
def reduced_along_all_axes(x):
    assert x.shape == (128, 4, 8)
    output = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 4, 8), dtype=x.dtype, buffer=nl.sbuf)
    tile[0:128, 0:2, 0:8] = nl.load(x[0:128, 0:2, 0:8])
    sums = nl.sum(tile, axis=[1, 2])  # expect: NKI701
    nl.store(output, value=sums)
    return output


@nki.jit
def scanned_up_to_what_is_there(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    tile[0:128, 0:32] = nl.load(x[0:128, 0:32])
    sums = nisa.tensor_tensor_scan(tile, tile, initial=0.0, op0=np.multiply, op1=np.add)
    nl.store(output, value=sums[0:128, 0:32])
    return output


@nki.jit
def scanned_over_what_is_missing(x):
    assert x.shape == (128, 64)
    output = nl.ndarray((128, 32), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    tile[0:128, 32:64] = nl.load(x[0:128, 32:64])
    sums = nisa.tensor_tensor_scan(tile, tile, initial=0.0, op0=np.multiply, op1=np.add)  # expect: NKI701
    nl.store(output, value=sums[0:128, 32:64])
    return output


@nki.jit
def replaced_under_a_mask(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    largest = nisa.max8(src=tile)
    inside = nl.arange(128)[:, None] < 100
    replaced = nisa.nc_match_replace8(data=tile[nl.arange(128)[:, None], nl.arange(64)[None, :]], vals=largest, imm=0.0,
                                      mask=inside)  # fmt: skip
    nl.store(output, value=replaced)
    return output


@nki.jit
def sums_of_products_in_integers(a, b):
    assert a.shape == (128, 128) and b.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    p = nl.zeros((128, 512), dtype=nl.int32, buffer=nl.psum)
    for i in nl.affine_range(2):
        p += nl.matmul(nl.load(a), nl.load(b), transpose_x=True)  # expect: NKI202
    nl.store(out, p)
    return out


@nki.jit
def sums_of_products_as_the_input(a, b):
    assert a.shape == (128, 128) and b.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=b.dtype, buffer=nl.shared_hbm)
    p = nl.zeros((128, 512), dtype=b.dtype, buffer=nl.psum)
    for i in nl.affine_range(2):
        p += nisa.nc_matmul(nl.load(a), nl.load(b))
    nl.store(out, p)
    return out


@nki.jit
def products_in_a_block_of_bytes(a, b):
    assert a.shape == (128, 128) and b.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    p = nl.zeros((2, nl.par_dim(128), 512), dtype=nl.uint8, buffer=nl.psum)
    p[0] += nisa.nc_matmul(nl.load(a), nl.load(b))  # expect: NKI202
    nl.store(out, p[0])
    return out


@nki.jit
def integers_added_in_sbuf(a, b):
    assert a.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    p = nl.zeros((128, 512), dtype=nl.int32, buffer=nl.sbuf)
    p += nl.load(a)
    nl.store(out, p)
    return out
