"""Kernels that reduce each row: softmax and RMS normalisation."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def softmax(scores):
    """Softmax of each row; the mask keeps the last tile inside the matrix."""
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
def rms_norm(x, weight, epsilon=1e-6):
    """Divides each row by its root mean square and scales its columns."""
    rows, columns = x.shape
    assert rows % 128 == 0
    assert columns <= 4096
    assert weight.shape == (1, columns)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    scale = nl.load(weight[0:1, 0:columns]).broadcast_to((128, columns))
    for i in nl.affine_range(rows // 128):
        tile = nl.load(x[i * 128 : (i + 1) * 128, 0:columns])
        mean = nl.mean(nl.square(tile), axis=1, keepdims=True)
        root = nl.rsqrt(nl.add(mean, epsilon))
        nl.store(output[i * 128 : (i + 1) * 128, 0:columns], value=nl.multiply(nl.multiply(tile, root), scale))
    return output
