"""Lists of tiles of which the last one, for what is left over, is there for some sizes only."""

import nki
import nki.isa as nisa
import nki.language as nl


def tiles(n, size=128):
    for i in range(n // size):
        yield i * size, size
    if n % size:
        yield n // size * size, n % size


@nki.jit
def plain(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n, rest = M // 128, M % 128
    plan = [(i * 128, 128) for i in range(n)] + [(n * 128, rest)]
    for start, rows in plan:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def conditional(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n, rest = M // 128, M % 128
    plan = [(i * 128, 128) for i in range(n)] + ([(n * 128, rest)] if rest else [])
    for start, rows in plan:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def appended(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n, rest = M // 128, M % 128
    plan = [(i * 128, 128) for i in range(n)]
    if rest:
        plan.append((n * 128, rest))
    for start, rows in plan:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def sizes_list(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    sizes = [128] * (M // 128)
    if M % 128 > 0:
        sizes.append(M % 128)
    for i, rows in enumerate(sizes):
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[i * 128:i * 128 + rows, :])
        nisa.dma_copy(dst=out[i * 128:i * 128 + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def generated(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for start, rows in tiles(M):
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def by_index(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n, rest = M // 128, M % 128
    plan = [(i * 128, 128) for i in range(n)] + ([(n * 128, rest)] if rest else [])
    for i in range(len(plan)):
        start, rows = plan[i]
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def tail_forgotten(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n, rest = M // 128, M % 128
    plan = [(i * 128, 128) for i in range(n)] + ([(n * 128, rest)] if rest > 64 else [])
    for start, rows in plan:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out  # expect: NKI703 M % 128 == 0 or M % 128 >= 65


@nki.jit
def tail_too_long(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n, rest = M // 128, M % 128
    plan = [(i * 128, 128) for i in range(n)] + ([(n * 128, 128)] if rest else [])
    for start, rows in plan:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])  # expect: NKI301
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])  # expect: NKI301
    return out


@nki.jit
def one_less(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    sizes = [128] * (M // 128 - 1)
    if M % 128 > 0:
        sizes.append(M % 128)
    for i, rows in enumerate(sizes):
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[i * 128:i * 128 + rows, :])
        nisa.dma_copy(dst=out[i * 128:i * 128 + rows, :], src=t[0:rows, :])
    return out  # expect: NKI703 M <= 127


@nki.jit
def carried(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    sizes = [128] * (M // 128)
    if M % 128 > 0:
        sizes.append(M % 128)
    at = 0
    for rows in sizes:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[at:at + rows, :])
        nisa.dma_copy(dst=out[at:at + rows, :], src=t[0:rows, :])
        at += rows
    return out


@nki.jit
def head_and_tail(x):
    M, N = x.shape
    assert N <= 2048
    assert M > 64
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    parts = [(0, 64)]
    parts += [(64 + i * 128, 128) for i in range((M - 64) // 128)]
    rest = (M - 64) % 128
    if rest:
        parts.append((M - rest, rest))
    for start, rows in parts:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def both(x):
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n, rest = M // 128, M % 128
    plan = [(i * 128, 128) for i in range(n)]
    if rest > 64:
        plan.append((n * 128, rest))
    else:
        plan.append((n * 128, rest))
        plan.append((n * 128, rest))
    for start, rows in plan:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def broken_off(x):  # expect: NKI003
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n, rest = M // 128, M % 128
    plan = [(i * 128, 128) for i in range(n)] + ([(n * 128, rest)] if rest else [])
    for start, rows in plan:
        if start >= 256:
            break
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
    return out


@nki.jit
def growing(x):  # expect: NKI003
    M, N = x.shape
    assert N <= 2048
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    n, rest = M // 128, M % 128
    plan = [(i * 128, 128) for i in range(n)] + ([(n * 128, rest)] if rest else [])
    for start, rows in plan:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[start:start + rows, :])
        nisa.dma_copy(dst=out[start:start + rows, :], src=t[0:rows, :])
        if rows < 128 and len(plan) < 1000:
            plan.append((0, 64))
    return out


@nki.jit
def exact_sizes(x):
    M, N = x.shape
    assert N <= 2048
    assert M % 128 == 0
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    sizes = [128] * (M // 128)
    at = 0
    for rows in sizes:
        t = nl.ndarray((128, N), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[0:rows, :], src=x[at:at + rows, :])
        nisa.dma_copy(dst=out[at:at + rows, :], src=t[0:rows, :])
        at += rows
    return out
