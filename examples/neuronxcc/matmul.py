"""A tiled matrix product that accumulates in PSUM."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

TILE_M, TILE_K, TILE_N = 128, 128, 512


@nki.jit
def matmul(left_transposed, right):
    """Product of a [M, K] matrix, given transposed, with a [K, N] matrix, for whole tiles."""
    k_size, m_size = left_transposed.shape
    other_k, n_size = right.shape
    assert k_size == other_k
    assert m_size % TILE_M == 0 and k_size % TILE_K == 0 and n_size % TILE_N == 0
    output = nl.ndarray((m_size, n_size), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(m_size // TILE_M):
        for n in nl.affine_range(n_size // TILE_N):
            total = nl.zeros((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in nl.affine_range(k_size // TILE_K):
                stationary = nl.load(left_transposed[nl.ds(k * TILE_K, TILE_K), nl.ds(m * TILE_M, TILE_M)])
                moving = nl.load(right[nl.ds(k * TILE_K, TILE_K), nl.ds(n * TILE_N, TILE_N)])
                total += nisa.nc_matmul(stationary, moving)
            result = nl.copy(total, dtype=output.dtype)
            nl.store(output[nl.ds(m * TILE_M, TILE_M), nl.ds(n * TILE_N, TILE_N)], value=result)
    return output
