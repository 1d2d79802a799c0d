"""Matrix products: the sizes that the tiles admit become the contract."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def one_tile(lhsT, rhs):
    output = nl.ndarray((128, 512), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    stationary = nl.load(lhsT)  # expect-warning: NKI101 lhsT.shape[0] <= 128
    moving = nl.load(rhs)
    product = nisa.nc_matmul(stationary, moving)  # expect-warning: NKI103 lhsT.shape[1] <= 128  # expect-warning: NKI103 rhs.shape[1] <= 512  # expect-warning: NKI204 lhsT.shape[0] == rhs.shape[0]
    nl.store(output, value=product)  # expect-warning: NKI204 (lhsT.shape[1] == 128 or lhsT.shape[1] == 1) and (rhs.shape[1] == 512 or rhs.shape[1] == 1)
    return output


@nki.jit
def tiled(lhsT, rhs):
    K, M = lhsT.shape
    K_, N = rhs.shape
    assert K == K_
    tile_k, tile_m, tile_n = nl.tile_size.pmax, nl.tile_size.gemm_stationary_fmax, nl.tile_size.gemm_moving_fmax
    assert K % tile_k == 0 and M % tile_m == 0 and N % tile_n == 0
    output = nl.ndarray((M, N), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    for m in nl.affine_range(M // tile_m):
        for n in nl.affine_range(N // tile_n):
            total = nl.zeros((tile_m, tile_n), nl.float32, buffer=nl.psum)
            for k in nl.affine_range(K // tile_k):
                stationary = nl.ndarray((tile_k, tile_m), dtype=lhsT.dtype, buffer=nl.sbuf)
                moving = nl.ndarray((tile_k, tile_n), dtype=rhs.dtype, buffer=nl.sbuf)
                stationary[...] = nl.load(lhsT[k * tile_k : (k + 1) * tile_k, m * tile_m : (m + 1) * tile_m])
                moving[...] = nl.load(rhs[k * tile_k : (k + 1) * tile_k, n * tile_n : (n + 1) * tile_n])
                total += nl.matmul(stationary[...], moving[...], transpose_x=True)
            reveal(total)  # revealed: float32[128, 512] @ psum
            done = nl.copy(total, dtype=output.dtype)
            nl.store(output[m * tile_m : (m + 1) * tile_m, n * tile_n : (n + 1) * tile_n], value=done)
    return output


@nki.jit
def off_by_one_tile(lhsT, rhs):
    assert lhsT.shape == (128, 256) and rhs.shape == (128, 512)
    output = nl.ndarray((256, 512), dtype=lhsT.dtype, buffer=nl.shared_hbm)
    moving = nl.load(rhs)
    for m in nl.affine_range(2):
        stationary = nl.load(lhsT[:, (m + 1) * 128 : (m + 2) * 128])  # expect: NKI301
        nl.store(output[m * 128 : (m + 1) * 128, :], value=nl.matmul(stationary, moving, transpose_x=True))
    return output
