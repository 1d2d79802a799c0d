"""Which axis of an output or an input is left out, under masks, in sums, by programs."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


@nki.jit
def masked_tail(x):
    m, n = x.shape
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    for a in nl.affine_range((m + 127) // 128):
        for b in nl.affine_range(n // 512):
            ok = (128 * a + i < m) & (512 * b + j < n)
            t = nl.load(x[128 * a + i, 512 * b + j], mask=ok)
            nl.store(out[128 * a + i, 512 * b + j], value=t, mask=ok)
    return out  # expect-warning: NKI703 n % 512 == 0


@nki.jit
def masked_tails(x):
    m, n = x.shape
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    for a in nl.affine_range((m + 127) // 128):
        for b in nl.affine_range((n + 511) // 512):
            ok = (128 * a + i < m) & (512 * b + j < n)
            t = nl.load(x[128 * a + i, 512 * b + j], mask=ok)
            nl.store(out[128 * a + i, 512 * b + j], value=t, mask=ok)
    return out


@nki.jit
def mask_too_narrow(x):
    m, n = x.shape
    assert n == 512
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    for a in nl.affine_range((m + 127) // 128):
        ok = 128 * a + i < m - 1
        t = nl.load(x[128 * a + i, j], mask=ok)
        nl.store(out[128 * a + i, j], value=t, mask=ok)
    return out  # expect: NKI703


@nki.jit
def contraction(a, b):
    k, m = a.shape
    assert m == 128
    assert b.shape == (k, 512)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    for i in nl.affine_range(k // 128):
        sums += nl.matmul(nl.load(a[nl.ds(128 * i, 128), :]), nl.load(b[nl.ds(128 * i, 128), :]), transpose_x=True)  # expect-warning: NKI709 k % 128 == 0
    nl.store(out, value=nl.copy(sums, dtype=nl.float32))
    return out


@nki.jit
def contraction_with_a_tail(a, b):
    k, m = a.shape
    assert m == 128
    assert b.shape == (k, 512)
    out = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    p, q, r = nl.arange(128)[:, None], nl.arange(128)[None, :], nl.arange(512)[None, :]
    for i in nl.affine_range((k + 127) // 128):
        ok = 128 * i + p < k
        ta = nl.load(a[128 * i + p, q], mask=ok)
        tb = nl.load(b[128 * i + p, r], mask=ok)
        sums += nisa.nc_matmul(ta[p, q], tb[p, r], mask=ok)
    nl.store(out, value=nl.copy(sums, dtype=nl.float32))
    return out


@nki.jit
def programs(x):
    """A program for each tile of rows; columns are cut off."""
    n = x.shape[1]
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    row = nl.program_id(0)
    i = nl.arange(128)[:, None]
    for c in nl.affine_range(n // 256):
        j = nl.arange(256)[None, :]
        nl.store(out[row * 128 + i, c * 256 + j], value=nl.load(x[row * 128 + i, c * 256 + j]))  # expect-warning: NKI301 128*num_programs(0) <= x.shape[0]
    return out  # expect-warning: NKI703 x.shape[1] % 256 == 0  # expect-warning: NKI703 x.shape[0] <= 128*num_programs(0)
