"""Which axis of an output or an input is left out, under the rest of the contract."""

import nki
import nki.isa as nisa
import nki.language as nl


def tile(rows, columns, dtype=nl.float32):
    return nl.ndarray((rows, columns), dtype=dtype, buffer=nl.sbuf)


@nki.jit
def rows_and_columns(x):
    """Both tails are left out."""
    m, n = x.shape
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(m // 128):
        for j in range(n // 512):
            t = tile(128, 512, x.dtype)
            nisa.dma_copy(dst=t, src=x[128 * i : 128 * i + 128, 512 * j : 512 * j + 512])
            nisa.dma_copy(dst=out[128 * i : 128 * i + 128, 512 * j : 512 * j + 512], src=t)
    return out  # expect-warning: NKI703 n % 512 == 0  # expect-warning: NKI703 m % 128 == 0


@nki.jit
def rows_and_columns_good(x):
    m, n = x.shape
    assert m % 128 == 0
    assert n % 512 == 0
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(m // 128):
        for j in range(n // 512):
            t = tile(128, 512, x.dtype)
            nisa.dma_copy(dst=t, src=x[128 * i : 128 * i + 128, 512 * j : 512 * j + 512])
            nisa.dma_copy(dst=out[128 * i : 128 * i + 128, 512 * j : 512 * j + 512], src=t)
    return out


@nki.jit
def contraction(a, b):
    """K is cut off; M and N are asserted."""
    k, m = a.shape
    k2, n = b.shape
    assert k == k2
    assert m == 128
    assert n == 512
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for i in range(k // 128):
        ta, tb = tile(128, 128, a.dtype), tile(128, 512, b.dtype)
        nisa.dma_copy(dst=ta, src=a[128 * i : 128 * i + 128, :])  # expect-warning: NKI709 k % 128 == 0
        nisa.dma_copy(dst=tb, src=b[128 * i : 128 * i + 128, :])
        nisa.nc_matmul(dst=sums, stationary=ta, moving=tb)
    t = tile(128, 512)
    nisa.tensor_copy(dst=t, src=sums)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def contraction_good(a, b):
    k, m = a.shape
    k2, n = b.shape
    assert k == k2
    assert k % 128 == 0
    assert k > 0
    assert m == 128
    assert n == 512
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for i in range(k // 128):
        ta, tb = tile(128, 128, a.dtype), tile(128, 512, b.dtype)
        nisa.dma_copy(dst=ta, src=a[128 * i : 128 * i + 128, :])
        nisa.dma_copy(dst=tb, src=b[128 * i : 128 * i + 128, :])
        nisa.nc_matmul(dst=sums, stationary=ta, moving=tb)
    t = tile(128, 512)
    nisa.tensor_copy(dst=t, src=sums)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def three_axes(x):
    """The middle axis is left out."""
    b, s, d = x.shape
    assert d == 64
    out = nl.ndarray((b, s, d), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(b):
        for j in range(s // 128):
            t = tile(128, 64, x.dtype)
            nisa.dma_copy(dst=t, src=x[i, 128 * j : 128 * j + 128, :])
            nisa.dma_copy(dst=out[i, 128 * j : 128 * j + 128, :], src=t)
    return out  # expect-warning: NKI703 s % 128 == 0


@nki.jit
def three_axes_good(x):
    b, s, d = x.shape
    assert d == 64
    out = nl.ndarray((b, s, d), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(b):
        for j in range((s + 127) // 128):
            n = min(128, s - 128 * j)
            t = tile(128, 64, x.dtype)
            nisa.dma_copy(dst=t[0:n, :], src=x[i, 128 * j : 128 * j + n, :])
            nisa.dma_copy(dst=out[i, 128 * j : 128 * j + n, :], src=t[0:n, :])
    return out


@nki.jit
def unknown_value(x, table):  # expect: NKI003
    """The value is unknown, its destination is covered."""
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape == (128, 64)
    t = tile(128, 64, x.dtype)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=table.scale())
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def last_column_left_out(x):
    assert x.shape[0] == 128
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for c in range(x.shape[1] - 1):
        t = tile(128, 1, x.dtype)
        nisa.dma_copy(dst=t, src=x[:, c : c + 1])
        nisa.dma_copy(dst=out[:, c : c + 1], src=t)
    return out  # expect: NKI703


@nki.jit
def first_row_left_out(x):
    assert x.shape[1] == 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for r in range(1, x.shape[0]):
        t = tile(1, 64, x.dtype)
        nisa.dma_copy(dst=t, src=x[r : r + 1, :])
        nisa.dma_copy(dst=out[r : r + 1, :], src=t)
    return out  # expect: NKI703


@nki.jit
def every_second_column(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = tile(128, 256, x.dtype)
    nisa.dma_copy(dst=t, src=x[:, 0:512:2])
    nisa.dma_copy(dst=out[:, 0:512:2], src=t)
    return out  # expect: NKI703


@nki.jit
def both_halves(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for s in range(2):
        t = tile(128, 256, x.dtype)
        nisa.dma_copy(dst=t, src=x[:, s:512:2])
        nisa.dma_copy(dst=out[:, s:512:2], src=t)
    return out


@nki.jit
def column_sums(x):
    """All rows are read, and the columns' tail is not."""
    m, n = x.shape
    assert m == 128
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = tile(128, 1)
    nisa.memset(dst=acc, value=0.0)
    for c in range(n // 256):
        t, part = tile(128, 256, x.dtype), tile(128, 1)
        nisa.dma_copy(dst=t, src=x[:, 256 * c : 256 * c + 256])  # expect-warning: NKI709 n % 256 == 0
        nisa.tensor_reduce(dst=part, op=nl.maximum, data=t, axis=1, keepdims=True)
        nisa.tensor_tensor(dst=acc, data1=acc, data2=part, op=nl.maximum)
    nisa.dma_copy(dst=out, src=acc)
    return out


@nki.jit
def column_sums_good(x):
    m, n = x.shape
    assert m == 128
    out = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
    acc = tile(128, 1)
    nisa.memset(dst=acc, value=0.0)
    for c in range((n + 255) // 256):
        w = min(256, n - 256 * c)
        t, part = tile(128, 256, x.dtype), tile(128, 1)
        nisa.dma_copy(dst=t[:, 0:w], src=x[:, 256 * c : 256 * c + w])
        nisa.tensor_reduce(dst=part, op=nl.maximum, data=t[:, 0:w], axis=1, keepdims=True)
        nisa.tensor_tensor(dst=acc, data1=acc, data2=part, op=nl.maximum)
    nisa.dma_copy(dst=out, src=acc)
    return out


@nki.jit
def heads_cut_off(q):
    """Pairs of heads: an odd one is left out."""
    h, s, d = q.shape
    assert s == 128
    assert d == 64
    out = nl.ndarray((h, s, d), dtype=q.dtype, buffer=nl.shared_hbm)
    for p in range(h // 2):
        for k in range(2):
            t = tile(128, 64, q.dtype)
            nisa.dma_copy(dst=t, src=q[2 * p + k])
            nisa.dma_copy(dst=out[2 * p + k], src=t)
    return out  # expect-warning: NKI703 h % 2 == 0


@nki.jit
def through_a_pattern(x):
    """`.ap` covers all but the last row."""
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = tile(128, 512, x.dtype)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out.ap(pattern=[[512, 127], [1, 512]]), src=t[0:127, :])
    return out  # expect: NKI703


@nki.jit
def through_a_whole_pattern(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    t = tile(128, 512, x.dtype)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out.ap(pattern=[[512, 128], [1, 512]]), src=t)
    return out


@nki.jit
def counter_that_stops_early(x):
    """Both subscripts come from one counter; whatever the sizes, the last element is left out."""
    a, b, d = x.shape
    out = nl.ndarray((a, b, d), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in range(a * b - 1):
        nisa.dma_copy(dst=out[k // b, k % b], src=x[k // b, k % b])
    return out  # expect: NKI703


@nki.jit
def counter_of_all(x):
    a, b, d = x.shape
    out = nl.ndarray((a, b, d), dtype=x.dtype, buffer=nl.shared_hbm)
    for k in range(a * b):
        nisa.dma_copy(dst=out[k // b, k % b], src=x[k // b, k % b])
    return out


@nki.jit
def neither_of_two(x):
    """Where both axes are left out, neither is an excuse for the other."""
    a, b, d = x.shape
    out = nl.ndarray((a, b, d), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(a - 1):
        for j in range(b - 1):
            nisa.dma_copy(dst=out[i, j], src=x[i, j])
    return out  # expect: NKI703


@nki.jit
def distance_of_two_counters(x):
    """Which elements are reached hangs on both loops, and on which of two numbers is larger."""
    a, b, d = x.shape
    out = nl.ndarray((a, b, d), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(0, (b + 2) // 3, 2):
        for j in range(b // 2, a, b):
            if abs(j - i) < a and i < b:
                nisa.dma_copy(dst=out[abs(j - i), i], src=x[0, 0])
    return out  # expect-warning: NKI703 b == 1
