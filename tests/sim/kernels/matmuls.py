"""The product of a transposed matrix [K, M] and a matrix [K, N] with more and more reuse of what was loaded."""

from __future__ import annotations

from typing import Any

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl

TILE_K, TILE_M, TILE_N = nl.tile_size.pmax, nl.tile_size.gemm_stationary_fmax, nl.tile_size.gemm_moving_fmax


def tiles_of(a: Any, b: Any) -> tuple[int, int, int]:
    """The numbers of tiles along K, M and N."""
    (k, m), (other, n) = a.shape, b.shape
    assert k == other
    assert (k % TILE_K, m % TILE_M, n % TILE_N) == (0, 0, 0)
    return k // TILE_K, m // TILE_M, n // TILE_N


@nki.jit
def tiled(a: Any, b: Any) -> Any:
    """Each product loads its operands."""
    tiles_k, tiles_m, tiles_n = tiles_of(a, b)
    out = nl.ndarray((a.shape[1], b.shape[1]), dtype=a.dtype, buffer=nl.shared_hbm)
    kp, km = nl.mgrid[0:TILE_K, 0:TILE_M]
    np_, nn = nl.mgrid[0:TILE_K, 0:TILE_N]
    op, on = nl.mgrid[0:TILE_M, 0:TILE_N]
    for m in nl.affine_range(tiles_m):
        for n in nl.affine_range(tiles_n):
            total = nl.zeros((TILE_M, TILE_N), nl.float32, buffer=nl.psum)
            for k in nl.affine_range(tiles_k):
                left = nl.load(a[k * TILE_K + kp, m * TILE_M + km])
                right = nl.load(b[k * TILE_K + np_, n * TILE_N + nn])
                total += nl.matmul(left, right, transpose_x=True)
            nl.store(out[m * TILE_M + op, n * TILE_N + on], value=nl.copy(total, dtype=out.dtype))
    return out


@nki.jit
def hoisted(a: Any, b: Any) -> Any:
    """The left operands of a row of results are loaded once."""
    tiles_k, tiles_m, tiles_n = tiles_of(a, b)
    out = nl.ndarray((a.shape[1], b.shape[1]), dtype=a.dtype, buffer=nl.shared_hbm)
    op, on = nl.mgrid[0:TILE_M, 0:TILE_N]
    for m in nl.affine_range(tiles_m):
        left = nl.ndarray((tiles_k, nl.par_dim(TILE_K), TILE_M), dtype=a.dtype, buffer=nl.sbuf)
        for k in nl.affine_range(tiles_k):
            left[k] = nl.load(a[k * TILE_K : (k + 1) * TILE_K, m * TILE_M : (m + 1) * TILE_M])
        for n in nl.affine_range(tiles_n):
            right = nl.ndarray((tiles_k, nl.par_dim(TILE_K), TILE_N), dtype=b.dtype, buffer=nl.sbuf)
            for k in nl.affine_range(tiles_k):
                right[k] = nl.load(b[k * TILE_K : (k + 1) * TILE_K, n * TILE_N : (n + 1) * TILE_N])
            total = nl.zeros((TILE_M, TILE_N), nl.float32, buffer=nl.psum)
            for k in nl.affine_range(tiles_k):
                total += nisa.nc_matmul(left[k], right[k])
            nl.store(out[m * TILE_M + op, n * TILE_N + on], value=total)
    return out


@nki.jit
def blocked(a: Any, b: Any, block_m: Any = 2, block_n: Any = 2) -> Any:
    """A block of results shares the operands of its rows and columns."""
    tiles_k, tiles_m, tiles_n = tiles_of(a, b)
    assert (tiles_m % block_m, tiles_n % block_n) == (0, 0)
    rows, columns = block_m * TILE_M, block_n * TILE_N
    out = nl.ndarray((a.shape[1], b.shape[1]), dtype=a.dtype, buffer=nl.shared_hbm)
    lp, lm = nl.mgrid[0:TILE_K, 0:rows]
    rp, rn = nl.mgrid[0:TILE_K, 0:columns]
    op, on = nl.mgrid[0:TILE_M, 0:TILE_N]
    for m in nl.affine_range(tiles_m // block_m):
        left = nl.ndarray((tiles_k, nl.par_dim(TILE_K), rows), dtype=a.dtype, buffer=nl.sbuf)
        for k in nl.affine_range(tiles_k):
            left[k, lp, lm] = nl.load(a[k * TILE_K + lp, m * rows + lm])
        for n in nl.affine_range(tiles_n // block_n):
            right = nl.ndarray((tiles_k, nl.par_dim(TILE_K), columns), dtype=b.dtype, buffer=nl.sbuf)
            for k in nl.affine_range(tiles_k):
                right[k, rp, rn] = nl.load(b[k * TILE_K + rp, n * columns + rn])
            for i in nl.affine_range(block_m):
                for j in nl.affine_range(block_n):
                    total = nl.zeros((TILE_M, TILE_N), nl.float32, buffer=nl.psum)
                    for k in nl.affine_range(tiles_k):
                        total[...] += nisa.nc_matmul(
                            left[k, :, i * TILE_M : (i + 1) * TILE_M], right[k, :, j * TILE_N : (j + 1) * TILE_N]
                        )
                    result = nl.copy(total, dtype=out.dtype)
                    nl.store(out[m * rows + i * TILE_M + op, n * columns + j * TILE_N + on], value=result)
    return out


@nki.jit
def blocked_everywhere(a: Any, b: Any, block_m: Any = 2, block_n: Any = 2, block_k: Any = 2) -> Any:
    """Blocks along K too: results gather in SBUF while the blocks of K go by in order."""
    tiles_k, tiles_m, tiles_n = tiles_of(a, b)
    assert (tiles_k % block_k, tiles_m % block_m, tiles_n % block_n) == (0, 0, 0)
    rows, columns, depth = block_m * TILE_M, block_n * TILE_N, block_k * TILE_K
    out = nl.ndarray((a.shape[1], b.shape[1]), dtype=a.dtype, buffer=nl.shared_hbm)
    lp, lm = nl.mgrid[0:TILE_K, 0:rows]
    rp, rn = nl.mgrid[0:TILE_K, 0:columns]
    op, on = nl.mgrid[0:TILE_M, 0:TILE_N]
    for n in nl.affine_range(tiles_n // block_n):
        sums = nl.zeros(
            (tiles_m // block_m, block_m, block_n, nl.par_dim(TILE_M), TILE_N), dtype=nl.float32, buffer=nl.sbuf
        )
        for k in nl.sequential_range(tiles_k // block_k):
            right = nl.ndarray((block_k, nl.par_dim(TILE_K), columns), dtype=b.dtype, buffer=nl.sbuf)
            for c in nl.affine_range(block_k):
                right[c, rp, rn] = nl.load(b[k * depth + c * TILE_K + rp, n * columns + rn])
            for m in nl.affine_range(tiles_m // block_m):
                left = nl.ndarray((block_k, nl.par_dim(TILE_K), rows), dtype=a.dtype, buffer=nl.sbuf)
                for c in nl.affine_range(block_k):
                    left[c, lp, lm] = nl.load(a[k * depth + c * TILE_K + lp, m * rows + lm])
                for i in nl.affine_range(block_m):
                    for j in nl.affine_range(block_n):
                        total = nl.zeros((TILE_M, TILE_N), nl.float32, buffer=nl.psum)
                        for c in nl.affine_range(block_k):
                            total += nisa.nc_matmul(
                                left[c, :, i * TILE_M : (i + 1) * TILE_M], right[c, :, j * TILE_N : (j + 1) * TILE_N]
                            )
                        sums[m, i, j, op, on] += total[op, on]
        for m in nl.affine_range(tiles_m // block_m):
            for i in nl.affine_range(block_m):
                row = nl.ndarray((TILE_M, columns), dtype=out.dtype, buffer=nl.sbuf)
                for j in nl.affine_range(block_n):
                    row[op, j * TILE_N + on] = nl.copy(sums[m, i, j, op, on], dtype=out.dtype)
                wp, wn = nl.mgrid[0:TILE_M, 0:columns]
                nl.store(out[m * rows + i * TILE_M + wp, n * columns + wn], value=row[wp, wn])
    return out
