"""Loops over what is not known and over powers of two: what they do inside is judged."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(x, rows, columns):
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


# nkilint: x: float32[128, 256]
@nki.jit
def over_keys(x, names: dict):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for name in names:
        tile = nl.ndarray((256, 4), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
        nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def enumerated(x, parts: list):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for i, part in enumerate(parts):
        nisa.activation(dst=out, data=x, op=nl.exp)  # expect: NKI201  # expect: NKI201
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def zipped(x, a, b):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for p, q in zip(a.items(), b.items()):
        nisa.tensor_scale(dst=out, data=x)  # expect: NKI208
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def strides_of_powers(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    t = loaded(x, 128, n)
    for d in range(depth):
        s = 2**d
        nisa.tensor_copy(dst=t[:, 0:s], src=t[:, n - s + 1 : n + 1])  # expect: NKI301
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def rows_of_powers(x, depth):
    assert depth >= 8
    n = 1 << depth
    assert x.shape == (n, 16)
    out = nl.ndarray((n, 16), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((n, 16), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def tree_sum(x, depth):
    """One level too few."""
    n = 1 << depth
    assert x.shape == (128, n)
    assert depth >= 2
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    half = n >> 1
    nisa.dma_copy(dst=out[:, 0:half], src=x[:, 0:half])
    return out  # expect: NKI703


@nki.jit
def bits(x, depth):  # expect: NKI003
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for d in range(depth):
        nisa.dma_copy(dst=out[:, 2**d : 2 ** (d + 1)], src=x[:, 2 ** (d + 1) : 2 ** (d + 2)])  # expect: NKI204  # expect: NKI301
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def doubled_in_a_while(x, limit):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    size = 1
    while size < limit:
        nisa.dma_copy(dst=out[:, 0:size], src=x[:, 0:unknown_size])  # expect: NKI808
        size *= 2
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def divided(x, table):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(len(table.rows())):
        k = 256 // (x.shape[1] - 256)  # expect: NKI806
        nisa.dma_copy(dst=out[:, 0:k], src=x[:, 0:k])
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def dynamic_loop(x, n):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    t = loaded(x, 128, 256)
    for i in nl.dynamic_range(n):  # expect: NKI904
        nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=t[:, 0:2])  # expect: NKI205
    nisa.dma_copy(dst=out, src=t)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def while_unknown_good(x, schedule):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    step = 0
    while schedule.more(step):
        nisa.dma_copy(dst=out[:, 0:128], src=x[:, 0:128])
        step += 1
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def over_keys_good(x, names: dict):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for name in names:
        tile = nl.ndarray((128, 4), dtype=x.dtype, buffer=nl.sbuf)
        nisa.memset(dst=tile, value=0.0)
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def strides_of_powers_good(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    t = loaded(x, 128, n)
    for d in range(depth):
        s = 2**d
        nisa.tensor_copy(dst=t[:, 0:s], src=t[:, n - s : n])
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def rows_of_powers_good(x, depth):
    assert depth <= 7
    n = 1 << depth
    assert x.shape == (n, 16)
    out = nl.ndarray((n, 16), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((n, 16), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def tree_sum_good(x, depth):
    n = 1 << depth
    assert x.shape == (128, n)
    assert depth >= 2
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    half = n >> 1
    nisa.dma_copy(dst=out[:, 0:half], src=x[:, 0:half])
    nisa.dma_copy(dst=out[:, half:n], src=x[:, half:n])
    return out


@nki.jit
def bits_good(x, depth):
    n = 2**depth
    assert x.shape == (128, n)
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    for d in range(depth):
        nisa.dma_copy(dst=out[:, 2**d : 2 ** (d + 1)], src=x[:, 2**d : 2 ** (d + 1)])
    return out


@nki.jit
def interleaved(x, depth):
    n = 2**depth
    assert x.shape == (128, 2 * n)
    out = nl.ndarray((128, 2 * n), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out[:, 0:n], src=x[:, n : 2 * n])
    nisa.dma_copy(dst=out[:, n : 2 * n], src=x[:, 0:n])
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def doubled_in_a_while_good(x, limit):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    size = 1
    while size < 256:
        nisa.dma_copy(dst=out[:, size : 2 * size], src=x[:, size : 2 * size])
        size *= 2
    nisa.dma_copy(dst=out[:, 0:1], src=x[:, 0:1])
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def divided_good(x, table):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(len(table.rows())):
        k = 256 // (x.shape[1] - 255)
        nisa.dma_copy(dst=out[:, 0:k], src=x[:, 0:k])
    nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def dynamic_loop_good(x, n):
    out = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    t = loaded(x, 128, 256)
    for i in nl.dynamic_range(n):  # expect: NKI904
        nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=out, src=t)
    return out
