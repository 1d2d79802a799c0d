"""Products of matrices: whole tiles, tails, blocks held in SBUF, batches, a fused bias."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

CASES = {
    "matmul": [((256, 128), (256, 512)), ((128, 256), (128, 1024))],
    "matmul_tails": [((200, 130), (200, 600)), ((64, 100), (64, 40))],
    "matmul_blocked": [((256, 128), (256, 512))],
    "batched": [((2, 64, 96), (2, 64, 200)), ((3, 128, 128), (3, 128, 512))],
    "linear_relu": [((128, 128), (128, 512), (1, 512)), ((256, 128), (256, 512), (1, 512))],
}


@nki.jit
def matmul(left_transposed, right):
    """A [M, K] matrix, given transposed, times a [K, N] matrix."""
    k_size, m_size = left_transposed.shape
    other_k, n_size = right.shape
    assert k_size == other_k
    assert m_size % 128 == 0 and k_size % 128 == 0 and n_size % 512 == 0
    output = nl.ndarray((m_size, n_size), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(m_size // 128):
        for n in nl.affine_range(n_size // 512):
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(k_size // 128):
                stationary = nl.load(left_transposed[nl.ds(k * 128, 128), nl.ds(m * 128, 128)])
                moving = nl.load(right[nl.ds(k * 128, 128), nl.ds(n * 512, 512)])
                total += nisa.nc_matmul(stationary, moving)
            nl.store(output[nl.ds(m * 128, 128), nl.ds(n * 512, 512)], value=nl.copy(total, dtype=output.dtype))
    return output


@nki.jit
def matmul_tails(left_transposed, right):
    """The same for any sizes: masks keep the last tiles inside."""
    k_size, m_size = left_transposed.shape
    other_k, n_size = right.shape
    assert k_size == other_k
    output = nl.ndarray((m_size, n_size), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    pk, fm = nl.mgrid[0:128, 0:128]
    pk2, fn = nl.mgrid[0:128, 0:512]
    pm, fn2 = nl.mgrid[0:128, 0:512]
    for m in nl.affine_range(math.ceil(m_size / 128)):
        for n in nl.affine_range(math.ceil(n_size / 512)):
            total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(math.ceil(k_size / 128)):
                a = nl.zeros((128, 128), dtype=left_transposed.dtype, buffer=nl.sbuf)
                b = nl.zeros((128, 512), dtype=right.dtype, buffer=nl.sbuf)
                inside = (k * 128 + pk < k_size) & (m * 128 + fm < m_size)
                a[pk, fm] = nl.load(left_transposed[k * 128 + pk, m * 128 + fm], mask=inside)
                within = (k * 128 + pk2 < k_size) & (n * 512 + fn < n_size)
                b[pk2, fn] = nl.load(right[k * 128 + pk2, n * 512 + fn], mask=within)
                total += nisa.nc_matmul(a, b)
            result = nl.copy(total, dtype=output.dtype)
            kept = (m * 128 + pm < m_size) & (n * 512 + fn2 < n_size)
            nl.store(output[m * 128 + pm, n * 512 + fn2], value=result, mask=kept)
    return output


@nki.jit
def matmul_blocked(left_transposed, right):
    """The right matrix stays in SBUF while all rows of the left one pass."""
    k_size, m_size = left_transposed.shape
    other_k, n_size = right.shape
    assert k_size == other_k and k_size == 256 and n_size == 512
    assert m_size % 128 == 0
    output = nl.ndarray((m_size, 512), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    held = nl.ndarray((2, nl.par_dim(128), 512), dtype=right.dtype, buffer=nl.sbuf)
    for k in nl.affine_range(2):
        held[k] = nl.load(right[nl.ds(k * 128, 128), 0:512])
    for m in nl.affine_range(m_size // 128):
        total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
        for k in nl.affine_range(2):
            stationary = nl.load(left_transposed[nl.ds(k * 128, 128), nl.ds(m * 128, 128)])
            total += nisa.nc_matmul(stationary, held[k])
        nl.store(output[nl.ds(m * 128, 128), 0:512], value=nl.copy(total, dtype=output.dtype))
    return output


@nki.jit
def batched(left_transposed, right):
    """One small product for each pair of a batch."""
    batch, k_size, m_size = left_transposed.shape
    other, other_k, n_size = right.shape
    assert batch == other and k_size == other_k
    assert k_size <= 128 and m_size <= 128 and n_size <= 512
    output = nl.ndarray((batch, m_size, n_size), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    for b in nl.affine_range(batch):
        x = nl.load(left_transposed[b, 0:k_size, 0:m_size])
        y = nl.load(right[b, 0:k_size, 0:n_size])
        nl.store(output[b, 0:m_size, 0:n_size], value=nl.copy(nisa.nc_matmul(x, y), dtype=output.dtype))
    return output


@nki.jit
def linear_relu(x_transposed, weight, bias):
    """A linear layer with its bias and the positive part."""
    k_size, m_size = x_transposed.shape
    assert m_size == 128 and k_size % 128 == 0
    assert weight.shape == (k_size, 512) and bias.shape == (1, 512)
    output = nl.ndarray((128, 512), dtype=x_transposed.dtype, buffer=nl.shared_hbm)
    shift = nl.load(bias[0:1, 0:512]).broadcast_to((128, 512))
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in nl.affine_range(k_size // 128):
        x = nl.load(x_transposed[nl.ds(k * 128, 128), 0:128])
        w = nl.load(weight[nl.ds(k * 128, 128), 0:512])
        total += nisa.nc_matmul(x, w)
    nl.store(output[0:128, 0:512], value=nl.relu(nl.add(total, shift)))
    return output
