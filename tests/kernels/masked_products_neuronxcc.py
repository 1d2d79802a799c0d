"""Products under masks: `mask=`, and `operand[mask]` of either operand."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


# nkilint: left: float32[K, M], right: float32[K, N]
@nki.jit
def any_sizes(left, right):
    K, M = left.shape
    N = right.shape[1]
    out = nl.ndarray((M, N), dtype=left.dtype, buffer=nl.shared_hbm)
    i_left, i_right, i_out = nl.mgrid[0:128, 0:128], nl.mgrid[0:128, 0:512], nl.mgrid[0:128, 0:512]
    for m in nl.affine_range((M + 127) // 128):
        for n in nl.affine_range((N + 511) // 512):
            total = nl.zeros((128, 512), nl.float32, buffer=nl.psum)
            for k in nl.affine_range((K + 127) // 128):
                of_left = (k * 128 + i_left.p < K) & (m * 128 + i_left.x < M)
                of_right = (k * 128 + i_right.p < K) & (n * 512 + i_right.x < N)
                a = nl.load(left[k * 128 + i_left.p, m * 128 + i_left.x], mask=of_left)
                b = nl.load(right[k * 128 + i_right.p, n * 512 + i_right.x], mask=of_right)
                total[...] += nl.matmul(a[of_left], b[of_right], transpose_x=True)
            inside = (m * 128 + i_out.p < M) & (n * 512 + i_out.x < N)
            nl.store(out[m * 128 + i_out.p, n * 512 + i_out.x], value=total, mask=inside)
    return out


# nkilint: left: float32[K, M], right: float32[K, N], M <= 128, N <= 512
@nki.jit
def contracted_in_part(left, right):
    K, M = left.shape
    N = right.shape[1]
    out = nl.ndarray((M, N), dtype=left.dtype, buffer=nl.shared_hbm)
    p, m, n = nl.arange(128)[:, None], nl.arange(M)[None, :], nl.arange(N)[None, :]
    total = nl.zeros((M, N), nl.float32, buffer=nl.psum)
    for k in nl.affine_range((K + 127) // 128):
        a = nl.load(left[k * 128 + p, m], mask=k * 128 + p < K)
        b = nl.load(right[k * 128 + p, n], mask=k * 128 + p < K)
        total += nisa.nc_matmul(a, b, mask=k * 128 + p < K)
        total += nisa.nc_matmul(a[k * 128 + p < K], b)
    nl.store(out, value=total)
    return out


# nkilint: left: float32[M, K], right: float32[K, N], K <= 128, N <= 512
@nki.jit
def turned(left, right):
    M, K = left.shape
    N = right.shape[1]
    out = nl.ndarray((M, N), dtype=left.dtype, buffer=nl.shared_hbm)
    p, f, n = nl.arange(128)[:, None], nl.arange(128)[None, :], nl.arange(N)[None, :]
    b = nl.load(right[p, n], mask=p < K)
    for m in nl.affine_range((M + 127) // 128):
        a = nl.load(left[m * 128 + p, f], mask=(m * 128 + p < M) & (f < K))
        product = nl.matmul(a[(m * 128 + p < M) & (f < K)], b)
        nl.store(out[m * 128 + p, n], value=product[p, n], mask=m * 128 + p < M)
    return out


# nkilint: left: float32[128, 128], right: float32[128, N]
@nki.jit
def columns(left, right):
    N = right.shape[1]
    out = nl.ndarray((128, N), dtype=left.dtype, buffer=nl.shared_hbm)
    a = nl.load(left)
    p, f = nl.mgrid[0:128, 0:512]
    for n in nl.affine_range((N + 511) // 512):
        b = nl.load(right[p, n * 512 + f], mask=n * 512 + f < N)
        product = nisa.nc_matmul(a, b[p, f], mask=n * 512 + f < N)
        nl.store(out[p, n * 512 + f], value=product, mask=n * 512 + f < N)
    return out


# nkilint: left: float32[128, 128], right: float32[128, N]
@nki.jit
def columns_like_rows(left, right):  # expect: NKI003
    N = right.shape[1]
    out = nl.ndarray((128, N), dtype=left.dtype, buffer=nl.shared_hbm)
    a = nl.load(left)
    p, f = nl.mgrid[0:128, 0:128]
    for n in nl.affine_range((N + 127) // 128):
        b = nl.load(right[p, n * 128 + f], mask=n * 128 + f < N)
        product = nisa.nc_matmul(a, b, mask=n * 128 + f < N)
        nl.store(out[p, n * 128 + f], value=product, mask=n * 128 + f < N)
    return out


# nkilint: left: float32[K, M], right: float32[K, N], M <= 128, N <= 512
@nki.jit
def one_row_too_many(left, right):
    K, M = left.shape
    N = right.shape[1]
    out = nl.ndarray((M, N), dtype=left.dtype, buffer=nl.shared_hbm)
    p, m, n = nl.arange(128)[:, None], nl.arange(M)[None, :], nl.arange(N)[None, :]
    total = nl.zeros((M, N), nl.float32, buffer=nl.psum)
    for k in nl.affine_range((K + 127) // 128):
        a = nl.load(left[k * 128 + p, m], mask=k * 128 + p < K)
        b = nl.load(right[k * 128 + p, n], mask=k * 128 + p < K)
        total += nl.matmul(a[k * 128 + p <= K], b[k * 128 + p <= K], transpose_x=True)  # expect: NKI701 K % 128 == 0
    nl.store(out, value=total)
    return out


# nkilint: left: float32[K, M], right: float32[K, N], M <= 128, N <= 512
@nki.jit
def the_other_axis(left, right):
    K, M = left.shape
    N = right.shape[1]
    out = nl.ndarray((M, N), dtype=left.dtype, buffer=nl.shared_hbm)
    p, m, n = nl.arange(128)[:, None], nl.arange(M)[None, :], nl.arange(N)[None, :]
    total = nl.zeros((M, N), nl.float32, buffer=nl.psum)
    for k in nl.affine_range((K + 127) // 128):
        a = nl.load(left[k * 128 + p, m], mask=k * 128 + p < K)
        b = nl.load(right[k * 128 + p, n], mask=k * 128 + p < K)
        total += nl.matmul(a[m < M], b[n < N], transpose_x=True)  # expect: NKI701 K % 128 == 0
    nl.store(out, value=total)
    return out


# nkilint: left: float32[128, M], right: float32[128, 512]
@nki.jit
def one_row_too_few(left, right):
    M = left.shape[1]
    out = nl.ndarray((M, 512), dtype=left.dtype, buffer=nl.shared_hbm)
    p, f, n = nl.arange(128)[:, None], nl.arange(128)[None, :], nl.arange(512)[None, :]
    b = nl.load(right)
    for m in nl.affine_range((M + 127) // 128):
        a = nl.load(left[p, m * 128 + f], mask=m * 128 + f < M)
        product = nl.matmul(a[m * 128 + f < M - 1], b, transpose_x=True)
        nl.store(out[m * 128 + p, n], value=product, mask=m * 128 + p < M)  # expect: NKI701
    return out
