"""A tiled matrix product with a helper that loads a tile."""

import nki
import nki.isa as nisa
import nki.language as nl

TILE_M, TILE_K, TILE_N = 128, 128, 512


def load_tile(source, row, rows, column, columns):
    """Copies a rectangle of an HBM tensor into SBUF."""
    tile = nl.ndarray((rows, columns), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source[row : row + rows, column : column + columns])
    return tile


@nki.jit
def matmul(left_transposed, right):
    """Product of a [M, K] matrix, given transposed, with a [K, N] matrix, for whole tiles."""
    k_size, m_size = left_transposed.shape
    other_k, n_size = right.shape
    assert k_size == other_k
    assert m_size % TILE_M == 0 and k_size % TILE_K == 0 and n_size % TILE_N == 0
    output = nl.ndarray((m_size, n_size), dtype=left_transposed.dtype, buffer=nl.shared_hbm)
    for m in range(m_size // TILE_M):
        for n in range(n_size // TILE_N):
            total = nl.ndarray((TILE_M, TILE_N), dtype=nl.float32, buffer=nl.psum)
            for k in range(k_size // TILE_K):
                stationary = load_tile(left_transposed, k * TILE_K, TILE_K, m * TILE_M, TILE_M)
                moving = load_tile(right, k * TILE_K, TILE_K, n * TILE_N, TILE_N)
                nisa.nc_matmul(dst=total, stationary=stationary, moving=moving)
            result = nl.ndarray((TILE_M, TILE_N), dtype=output.dtype, buffer=nl.sbuf)
            nisa.tensor_copy(dst=result, src=total)
            nisa.dma_copy(
                dst=output[m * TILE_M : (m + 1) * TILE_M, n * TILE_N : (n + 1) * TILE_N],
                src=result,
            )
    return output
