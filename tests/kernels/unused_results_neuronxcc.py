"""Tiles that are computed and that nothing reads, and others that something may read."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def scaled_and_not_stored(x, gamma):
    assert x.shape == (256, 512) and gamma.shape == (1, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    weights = nl.load(gamma)
    for i in nl.affine_range(2):
        tile = nl.load(x[i * 128 : (i + 1) * 128, :])
        squares = nl.mean(nl.square(tile), axis=1, keepdims=True)
        normed = nl.multiply(tile, nl.rsqrt(squares))
        scaled = nl.multiply(normed, weights.broadcast_to((128, 512)))  # expect: NKI210
        nl.store(output[i * 128 : (i + 1) * 128, :], normed)
    return output


@nki.jit
def maximum_not_subtracted(scores):
    assert scores.shape == (128, 512)
    output = nl.ndarray(scores.shape, dtype=scores.dtype, buffer=nl.shared_hbm)
    tile = nl.load(scores)
    most = nl.max(tile, axis=1, keepdims=True)  # expect: NKI210
    nl.store(output, nl.exp(tile))
    return output


@nki.jit
def bias_not_added(x, w, bias):
    assert x.shape == (128, 128) and w.shape == (128, 512) and bias.shape == (128, 1)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    shift = nl.load(bias)  # expect: NKI210
    nl.store(output, nl.copy(nisa.nc_matmul(nl.load(x), nl.load(w))))
    return output


@nki.jit
def sum_not_stored(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.sequential_range(4):
        tile = nl.load(x[i * 128 : (i + 1) * 128, :])
        total[...] = nl.add(total, tile)  # expect: NKI210
    nl.store(output, nl.load(x[0:128, :]))
    return output


@nki.jit
def other_part_turned(x):
    assert x.shape == (512, 128)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    turned = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    powers = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    for i in nl.affine_range(4):
        tile = nl.load(x[i * 128 : (i + 1) * 128, :])
        turned[:, i * 128 : (i + 1) * 128] = nisa.nc_transpose(tile)
        powers[:, i * 128 : (i + 1) * 128] = nl.exp(turned[:, i * 128 : (i + 1) * 128])  # expect: NKI210
    nl.store(output, turned)
    return output


@nki.jit
def used_by_a_side_not_taken(x, scale=None):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    power = nl.exp(tile)
    nl.store(output, tile if scale is None else power)
    return output


@nki.jit
def result_beside_another(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.sbuf)
    powers = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    powers[...] = nisa.activation_reduce(op=nl.exp, data=nl.load(x), reduce_op=nl.add, reduce_res=sums)
    nl.store(output, sums)
    return output


def moments(tile):
    mean = nl.mean(tile, axis=1, keepdims=True)
    variance = nl.mean(nl.square(tile - mean), axis=1, keepdims=True)
    return mean, variance


@nki.jit
def one_of_two_results(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    mean, variance = moments(nl.load(x))
    nl.store(output, mean)
    return output


@nki.jit
def not_meant_to_be_used(x):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x)
    _warm = nl.exp(tile)
    nl.store(output, tile)
    return output


@nki.jit
def fetched_ahead(x):
    assert x.shape == (512, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, :])
    for i in nl.static_range(4):
        following = nl.load(x[((i + 1) % 4) * 128 : ((i + 1) % 4 + 1) * 128, :])
        nl.store(output[i * 128 : (i + 1) * 128, :], tile)
        tile = following
    return output
