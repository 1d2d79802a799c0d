"""Products of matrices, attention, convolution, pooling, a scan and placed tiles."""

import nki
import nki.isa as nisa
import nki.language as nl

CASES = {
    "matmul": [((256, 128), (256, 512)), ((128, 256), (128, 1024))],
    "matmul_tails": [((200, 130), (200, 600)), ((64, 40), (64, 50))],
    "batched": [((2, 64, 96), (2, 64, 200))],
    "linear": [((256, 128), (256, 512), (128, 1))],
    "transpose": [((256, 128),), ((128, 256),)],
    "attention": [((64, 128), (64, 512), (512, 64))],
    "convolution": [((128, 66), (128, 3)), ((64, 18), (64, 3))],
    "max_pool": [((128, 16, 16),)],
    "running_sum": [((128, 200),), ((32, 7),)],
    "placed_sum": [((256, 512), (256, 512))],
    "blocks_in_sbuf": [((256, 128), (256, 512))],
    "routing": [((256, 64), (256, 4))],
}


def load(source, row, rows, column, columns):
    """A rectangle of an HBM tensor in SBUF."""
    tile = nl.ndarray((rows, columns), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[row : row + rows, column : column + columns])
    return tile


@nki.jit
def matmul(left_transposed, right):
    """A [M, K] matrix, given transposed, times a [K, N] matrix."""
    k_size, m_size = left_transposed.shape
    other_k, n_size = right.shape
    assert k_size == other_k
    assert m_size % 128 == 0 and k_size % 128 == 0 and n_size % 512 == 0
    output = nl.ndarray((m_size, n_size), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    for m in range(m_size // 128):
        for n in range(n_size // 512):
            total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in range(k_size // 128):
                stationary = load(left_transposed, k * 128, 128, m * 128, 128)
                moving = load(right, k * 128, 128, n * 512, 512)
                nisa.nc_matmul(dst=total, stationary=stationary, moving=moving)
            result = nl.ndarray((128, 512), dtype=output.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=total)
            nisa.dma_copy(dst=output[m * 128 : (m + 1) * 128, n * 512 : (n + 1) * 512], src=result)
    return output


@nki.jit
def matmul_tails(left_transposed, right):
    """The same for any sizes: the last tiles are shorter."""
    k_size, m_size = left_transposed.shape
    other_k, n_size = right.shape
    assert k_size == other_k
    output = nl.ndarray((m_size, n_size), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    for m in range(0, m_size, 128):
        rows = min(128, m_size - m)
        for n in range(0, n_size, 512):
            columns = min(512, n_size - n)
            total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in range(0, k_size, 128):
                depth = min(128, k_size - k)
                x = nl.ndarray((128, 128), dtype=left_transposed.dtype, buffer=nl.sbuf)
                y = nl.ndarray((128, 512), dtype=right.dtype, buffer=nl.sbuf)
                nisa.dma_copy(dst=x[0:depth, 0:rows], src=left_transposed[k : k + depth, m : m + rows])
                nisa.dma_copy(dst=y[0:depth, 0:columns], src=right[k : k + depth, n : n + columns])
                nisa.nc_matmul(
                    dst=total[0:rows, 0:columns], stationary=x[0:depth, 0:rows], moving=y[0:depth, 0:columns]
                )
            result = nl.ndarray((128, 512), dtype=output.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result[0:rows, 0:columns], src=total[0:rows, 0:columns])
            nisa.dma_copy(dst=output[m : m + rows, n : n + columns], src=result[0:rows, 0:columns])
    return output


@nki.jit
def batched(left_transposed, right):
    """One small product for each pair of a batch."""
    batch, k_size, m_size = left_transposed.shape
    other, other_k, n_size = right.shape
    assert batch == other and k_size == other_k
    assert k_size <= 128 and m_size <= 128 and n_size <= 512
    output = nl.ndarray((batch, m_size, n_size), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    for b in range(batch):
        x = nl.ndarray((k_size, m_size), dtype=left_transposed.dtype, buffer=nl.sbuf)
        y = nl.ndarray((k_size, n_size), dtype=right.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=x, src=left_transposed[b, :, :])
        nisa.dma_copy(dst=y, src=right[b, :, :])
        total = nl.ndarray((m_size, n_size), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_matmul(dst=total, stationary=x, moving=y)
        result = nl.ndarray((m_size, n_size), dtype=output.dtype, buffer=nl.sbuf)
        nisa.tensor_copy(dst=result, src=total)
        nisa.dma_copy(dst=output[b, :, :], src=result)
    return output


@nki.jit
def linear(weight, x, bias):
    """A linear layer: its rows are outputs, and the bias is a column."""
    k_size, m_size = weight.shape
    assert m_size == 128 and k_size % 128 == 0
    assert x.shape == (k_size, 512) and bias.shape == (128, 1)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    shift = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=shift, src=bias)
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(k_size // 128):
        stationary = load(weight, k * 128, 128, 0, 128)
        moving = load(x, k * 128, 128, 0, 512)
        nisa.nc_matmul(dst=total, stationary=stationary, moving=moving)
    result = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.activation(dst=result, op=nl.relu, data=total, bias=shift)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def transpose(x):
    """A matrix turned over, in squares of 128."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns % 128 == 0
    output = nl.ndarray((columns, rows), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        for j in range(columns // 128):
            tile = load(x, i * 128, 128, j * 128, 128)
            turned = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
            nisa.nc_transpose(dst=turned, data=tile)
            result = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=turned)
            nisa.dma_copy(dst=output[j * 128 : (j + 1) * 128, i * 128 : (i + 1) * 128], src=result)
    return output


@nki.jit
def attention(query, key, value):
    """One tile of queries against 512 keys."""
    width, queries = query.shape
    assert queries == 128 and width <= 128
    assert key.shape == (width, 512) and value.shape == (512, width)
    output = nl.ndarray((128, width), dtype=query.dtype, buffer=nl.shared_hbm)
    q = load(query, 0, width, 0, 128)
    k = load(key, 0, width, 0, 512)
    products = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=products, stationary=q, moving=k)
    lowest = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=lowest, op=nl.maximum, data=products, axis=1, negate=True)
    powers = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.activation(dst=powers, op=nl.exp, data=products, bias=lowest)
    total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=total, op=nl.add, data=powers, axis=1)
    nisa.reciprocal(dst=total, data=total)
    mixed = nl.ndarray((128, width), dtype=nl.float32, buffer=nl.psum)
    for t in range(4):
        turned = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_transpose(dst=turned, data=powers[:, t * 128 : (t + 1) * 128])
        weights = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=weights, src=turned)
        v = load(value, t * 128, 128, 0, width)
        nisa.nc_matmul(dst=mixed, stationary=weights, moving=v)
    result = nl.ndarray((128, width), dtype=query.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=result, data=mixed, op0=nl.multiply, operand0=total)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def convolution(x, taps):
    """Three taps for each channel; channels are partitions."""
    channels, width = x.shape
    assert channels <= 128 and width >= 3 and width <= 2048
    assert taps.shape == (channels, 3)
    output = nl.ndarray((channels, width - 2), dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.ndarray((channels, width), dtype=nl.float32, buffer=nl.sbuf)
    weights = nl.ndarray((channels, 3), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=row, src=x)
    nisa.dma_copy(dst=weights, src=taps)
    total = nl.ndarray((channels, width - 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for t in range(3):
        part = nl.ndarray((channels, width - 2), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=part, data=row[:, t : t + width - 2], op0=nl.multiply, operand0=weights[:, t : t + 1])
        nisa.tensor_tensor(dst=total, data1=total, data2=part, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def max_pool(x):
    """Largest of each square of two by two: first along rows, then down columns."""
    channels, height, width = x.shape
    assert channels <= 128 and height % 2 == 0 and width % 2 == 0 and height * width <= 4096
    output = nl.ndarray((channels, height // 2, width // 2), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((channels, height, width), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    half = nl.ndarray((channels, height, width // 2), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=half, data1=tile[:, :, 0:width:2], data2=tile[:, :, 1:width:2], op=nl.maximum)
    best = nl.ndarray((channels, height // 2, width // 2), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=best, data1=half[:, 0:height:2, :], data2=half[:, 1:height:2, :], op=nl.maximum)
    nisa.dma_copy(dst=output, src=best)
    return output


@nki.jit
def running_sum(x):
    """Sums of all values up to each one, along each row."""
    rows, columns = x.shape
    assert rows <= 128 and columns <= 2048
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    ones = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    sums = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.memset(dst=ones, value=1.0)
    nisa.tensor_tensor_scan(dst=sums, data0=ones, data1=tile, initial=0.0, op0=nl.multiply, op1=nl.add)
    nisa.dma_copy(dst=output, src=sums)
    return output


@nki.jit
def placed_sum(left, right):
    """Sums of matrices in tiles at addresses of their own; iterations take two places in turn."""
    assert left.shape == (256, 512) and right.shape == (256, 512)
    output = nl.ndarray((256, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i in range(2):
        x = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, i * 2048))
        y = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=(0, 4096 + i * 2048))
        nisa.dma_copy(dst=x, src=left[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=y, src=right[i * 128 : (i + 1) * 128, :])
        nisa.tensor_tensor(dst=x, data1=x, data2=y, op=nl.add)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=x)
    return output


@nki.jit
def blocks_in_sbuf(left_transposed, right):
    """All operands are held in lists of tiles before the first product."""
    k_size, m_size = left_transposed.shape
    assert k_size == 256 and m_size == 128
    assert right.shape == (256, 512)
    output = nl.ndarray((128, 512), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    stationaries = [load(left_transposed, k * 128, 128, 0, 128) for k in range(2)]
    movings = [load(right, k * 128, 128, 0, 512) for k in range(2)]
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(2):
        nisa.nc_matmul(dst=total, stationary=stationaries[k], moving=movings[k])
    result = nl.ndarray((128, 512), dtype=output.dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=total)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def routing(tokens, logits):
    """Tokens weighted by the share of their likeliest expert."""
    rows, columns = tokens.shape
    assert rows % 128 == 0 and columns <= 512
    assert logits.shape == (rows, 4)
    output = nl.ndarray((rows, columns), dtype=tokens.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        x = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        powers = nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=x, src=tokens[i * 128 : (i + 1) * 128, :])
        nisa.dma_copy(dst=powers, src=logits[i * 128 : (i + 1) * 128, :])
        nisa.activation(dst=powers, op=nl.exp, data=powers)
        best = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        total = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=best, op=nl.maximum, data=powers, axis=1)
        nisa.tensor_reduce(dst=total, op=nl.add, data=powers, axis=1)
        nisa.reciprocal(dst=total, data=total)
        nisa.tensor_tensor(dst=best, data1=best, data2=total, op=nl.multiply)
        nisa.tensor_scalar(dst=x, data=x, op0=nl.multiply, operand0=best)
        nisa.dma_copy(dst=output[i * 128 : (i + 1) * 128, :], src=x)
    return output
