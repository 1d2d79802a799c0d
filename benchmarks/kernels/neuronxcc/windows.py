"""Convolution, pooling, attention, a scan and a gather."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

CASES = {
    "convolution": [((128, 66), (128, 3)), ((64, 18), (64, 3))],
    "max_pool": [((128, 16, 16),), ((64, 8, 4),)],
    "attention": [((64, 128), (64, 512), (512, 64)), ((128, 128), (128, 512), (512, 128))],
    "running_sum": [((128, 200),), ((32, 7),)],
    "embedding": [((500, 96), ("int32", 128, 1)), ((200, 8), ("int32", 64, 1))],
    "routing": [((256, 64), (256, 4)), ((128, 64), (128, 4))],
}


@nki.jit
def convolution(x, taps):
    """Three taps for each channel; channels are partitions."""
    channels, width = x.shape
    assert channels <= 128 and width >= 3 and width <= 2048
    assert taps.shape == (channels, 3)
    output = nl.ndarray((channels, width - 2), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.load(x[0:channels, 0:width])
    weights = nl.load(taps[0:channels, 0:3])
    total = nl.zeros((channels, width - 2), dtype=nl.float32, buffer=nl.sbuf)
    for t in nl.static_range(3):
        part = nl.multiply(row[0:channels, t : t + width - 2], weights[0:channels, t : t + 1])
        total[0:channels, 0 : width - 2] = nl.add(total[0:channels, 0 : width - 2], part)
    nl.store(output[0:channels, 0 : width - 2], value=total)
    return output


@nki.jit
def max_pool(x):
    """Largest of each square of two by two."""
    channels, height, width = x.shape
    assert channels <= 128 and height % 2 == 0 and width % 2 == 0 and height * width <= 4096
    output = nl.ndarray((channels, height // 2, width // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:channels, 0:height, 0:width])
    i0 = nl.arange(channels)[:, None, None, None, None]
    i1 = nl.arange(height // 2)[None, :, None, None, None]
    i2 = nl.arange(2)[None, None, None, :, None]
    i3 = nl.arange(width // 2)[None, None, :, None, None]
    i4 = nl.arange(2)[None, None, None, None, :]
    largest = nl.max(tile[i0, 2 * i1 + i2, 2 * i3 + i4], axis=[3, 4])
    nl.store(output[0:channels, 0 : height // 2, 0 : width // 2], value=largest)
    return output


@nki.jit
def attention(query, key, value):
    """One tile of queries against 512 keys; matrices come with the head dimension first, values with it last."""
    width, queries = query.shape
    assert queries == 128 and width <= 128
    assert key.shape == (width, 512) and value.shape == (512, width)
    output = nl.ndarray((128, width), dtype=query.dtype, buffer=nl.shared_hbm)
    q = nl.load(query[0:width, 0:128])
    k = nl.load(key[0:width, 0:512])
    scores = nl.copy(nisa.nc_matmul(q, k), dtype=nl.float32)
    largest = nl.max(scores, axis=1, keepdims=True)
    powers = nl.exp(nl.subtract(scores, largest))
    total = nl.sum(powers, axis=1, keepdims=True)
    result = nl.zeros((128, width), dtype=nl.float32, buffer=nl.psum)
    for t in nl.affine_range(4):
        turned = nl.copy(nisa.nc_transpose(powers[0:128, nl.ds(t * 128, 128)]))
        v = nl.load(value[nl.ds(t * 128, 128), 0:width])
        result += nisa.nc_matmul(turned, v)
    nl.store(output[0:128, 0:width], value=nl.divide(result, total))
    return output


@nki.jit
def running_sum(x):
    """Sums of all values up to each one, along each row."""
    rows, columns = x.shape
    assert rows <= 128 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x[0:rows, 0:columns])
    ones = nl.ones((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    start = nl.zeros((rows, 1), dtype=nl.float32, buffer=nl.sbuf)
    sums = nisa.tensor_tensor_scan(ones, tile, initial=start, op0=nl.multiply, op1=nl.add)
    nl.store(output[0:rows, 0:columns], value=sums)
    return output


@nki.jit
def embedding(table, positions):
    """Rows of a table, picked by position."""
    rows, columns = table.shape
    count, one = positions.shape
    assert count <= 128 and one == 1 and columns <= 2048
    output = nl.ndarray((count, columns), dtype=table.dtype, buffer=nl.shared_hbm)
    chosen = nl.load(positions[0:count, 0:1])
    f = nl.arange(columns)[None, :]
    p = nl.arange(count)[:, None]
    picked = nl.load(table[chosen[p, 0], f])
    nl.store(output[0:count, 0:columns], value=picked)
    return output


@nki.jit
def routing(tokens, logits):
    """Tokens weighted by the share of their likeliest expert."""
    rows, columns = tokens.shape
    assert rows % 128 == 0 and columns <= 512
    assert logits.shape == (rows, 4)
    output = nl.ndarray((rows, columns), dtype=tokens.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(rows // 128):
        x = nl.load(tokens[nl.ds(i * 128, 128), 0:columns])
        powers = nl.exp(nl.load(logits[nl.ds(i * 128, 128), 0:4]))
        best = nl.max(powers, axis=1, keepdims=True)
        share = nl.divide(best, nl.sum(powers, axis=1, keepdims=True))
        nl.store(output[nl.ds(i * 128, 128), 0:columns], value=nl.multiply(x, share))
    return output
