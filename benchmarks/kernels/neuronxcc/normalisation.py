"""Softmax and normalisations."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

CASES = {
    "softmax": [((200, 64),), ((128, 300),)],
    "rms_norm": [((256, 64), (1, 64)), ((128, 100), (1, 100))],
    "layer_norm": [((256, 96),), ((128, 64),)],
    "batch_statistics": [((256, 200),)],
}


@nki.jit
def softmax(scores):
    """Softmax of each row, for any number of rows."""
    rows, columns = scores.shape
    assert columns <= 2048
    output = nl.ndarray((rows, columns), dtype=scores.dtype, buffer=nl.shared_hbm)
    p = nl.arange(128)[:, None]
    f = nl.arange(columns)[None, :]
    for i in nl.affine_range(math.ceil(rows / 128)):
        inside = i * 128 + p < rows
        tile = nl.load(scores[i * 128 + p, f], mask=inside)
        largest = nl.max(tile, axis=1, keepdims=True, mask=inside)
        powers = nl.exp(nl.subtract(tile, largest, mask=inside), mask=inside)
        total = nl.sum(powers, axis=1, keepdims=True, mask=inside)
        nl.store(output[i * 128 + p, f], value=nl.divide(powers, total, mask=inside), mask=inside)
    return output


@nki.jit
def rms_norm(x, weight):
    """Each row divided by its root mean square, columns scaled."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 4096
    assert weight.shape == (1, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    scale = nl.load(weight[0:1, 0:columns]).broadcast_to((128, columns))
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[i * 128 : (i + 1) * 128, 0:columns])
        mean = nl.mean(nl.square(tile), axis=1, keepdims=True)
        root = nl.rsqrt(nl.add(mean, 1e-6))
        nl.store(output[i * 128 : (i + 1) * 128, 0:columns], value=nl.multiply(nl.multiply(tile, root), scale))
    return output


@nki.jit
def layer_norm(x):
    """Each row with mean 0 and variance 1."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:columns])
        stats = nisa.bn_aggr(nisa.bn_stats(tile))
        centred = nl.subtract(tile, stats[0:128, 0:1])
        scale = nl.rsqrt(nl.add(stats[0:128, 1:2], 1e-5))
        nl.store(output[nl.ds(i * 128, 128), 0:columns], value=nl.multiply(centred, scale))
    return output


@nki.jit
def batch_statistics(x):
    """Mean and variance of each row."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    output = nl.ndarray((rows, 2), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[nl.ds(i * 128, 128), 0:columns], dtype=nl.float32)
        stats = nisa.bn_aggr(nisa.bn_stats(tile))
        nl.store(output[nl.ds(i * 128, 128), 0:2], value=stats)
    return output
