"""Sizes that are parameters, numbers that docstrings give, tails of tiles of any size."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


def through(source, target, rows, columns):
    tile = nl.load(source)  # expect: NKI101  # expect-warning: NKI101 rows <= 128
    nl.store(target, value=tile)


@nki.jit
def docstring_of_three(q, heads, depth):
    """Copies heads.

    Args:
        q: queries of shape [heads, 128, depth]
        heads: number of heads
        depth: columns of a head
    """
    out = nl.ndarray((heads, 128, depth), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in range(heads):
        through(q[h + 1], out[h], 128, depth)  # expect: NKI301
    return out


@nki.jit
def docstring_of_three_good(q, heads, depth):
    """Copies heads.

    Args:
        q: queries of shape [heads, 128, depth]
        heads: number of heads
        depth: columns of a head
    """
    out = nl.ndarray((heads, 128, depth), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in range(heads):
        through(q[h], out[h], 128, depth)
    return out


@nki.jit
def numbers_hold(x, n):
    """
    x: [256, n]
    """
    out = nl.ndarray((256, n), dtype=x.dtype, buffer=nl.shared_hbm)
    through(x, out, 256, n)
    return out


@nki.jit
def numbers_hold_good(x, n):
    """
    x: [256, n]
    """
    out = nl.ndarray((256, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(2):
        through(x[128 * i : 128 * i + 128], out[128 * i : 128 * i + 128], 128, n)
    return out


@nki.jit
def step_too_far(x, n: int, tile_n: int):  # expect: NKI003
    """
    x: [128, n]
    """
    assert n % tile_n == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // tile_n):
        through(x[:, i * tile_n : (i + 2) * tile_n], out[:, i * tile_n : (i + 2) * tile_n], 128, 2 * tile_n)  # expect: NKI301  # expect: NKI301
    return out


@nki.jit
def step_good(x, n: int, tile_n: int):
    """
    x: [128, n]
    """
    assert n % tile_n == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // tile_n):
        through(x[:, i * tile_n : (i + 1) * tile_n], out[:, i * tile_n : (i + 1) * tile_n], 128, tile_n)
    return out


@nki.jit
def one_too_few(x, n: int, tile_n: int):
    """
    x: [128, n]
    """
    assert n % tile_n == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(n // tile_n - 1):
        through(x[:, i * tile_n : (i + 1) * tile_n], out[:, i * tile_n : (i + 1) * tile_n], 128, tile_n)
    return out  # expect: NKI703


@nki.jit
def with_a_tail(x, n: int, tile_n: int):
    """
    x: [128, n]
    """
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    whole = n // tile_n
    for i in range(whole):
        through(x[:, i * tile_n : (i + 1) * tile_n], out[:, i * tile_n : (i + 1) * tile_n], 128, tile_n)
    rest = n - whole * tile_n
    if rest > 0:
        through(x[:, whole * tile_n : n], out[:, whole * tile_n : n], 128, rest)
    return out


@nki.jit
def tail_of_the_wrong_size(x, n: int, tile_n: int):
    """
    x: [128, n]
    """
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    whole = n // tile_n
    for i in range(whole):
        through(x[:, i * tile_n : (i + 1) * tile_n], out[:, i * tile_n : (i + 1) * tile_n], 128, tile_n)
    rest = n - whole * tile_n
    if rest > 0:
        through(x[:, whole * tile_n : n], out[:, whole * tile_n : n], 128, tile_n)
    return out


@nki.jit
def offset_and_count(x, start: int, count: int):
    """
    x: [128, 1024]
    """
    assert start >= 0 and count >= 1
    assert start + count <= 1024
    out = nl.ndarray((128, count), dtype=x.dtype, buffer=nl.shared_hbm)
    through(x[:, start : start + count], out, 128, count)
    return out


@nki.jit
def offset_and_count_beyond(x, start: int, count: int):
    """
    x: [128, 1024]
    """
    assert start >= 0 and count >= 1
    assert start + count <= 1025
    out = nl.ndarray((128, count), dtype=x.dtype, buffer=nl.shared_hbm)
    through(x[:, start : start + count], out, 128, count)  # expect-warning: NKI301 start + count <= 1024
    return out


@nki.jit
def groups(k, kv_heads, group):
    """
    k: [kv_heads, 128, 64]
    """
    out = nl.ndarray((kv_heads * group, 128, 64), dtype=k.dtype, buffer=nl.shared_hbm)
    for h in range(kv_heads * group):
        through(k[h // group], out[h], 128, 64)
    return out


@nki.jit
def groups_the_other_way(k, kv_heads, group):
    """
    k: [kv_heads, 128, 64]
    """
    out = nl.ndarray((kv_heads * group, 128, 64), dtype=k.dtype, buffer=nl.shared_hbm)
    for h in range(kv_heads * group):
        through(k[h % group], out[h], 128, 64)  # expect-warning: NKI301 kv_heads + (-1) // group * group >= 0
    return out


@nki.jit
def rows_by_parameter(x, rows: int):
    """
    x: [rows, 64]
    """
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    through(x, out, rows, 64)
    return out


@nki.jit
def rows_by_parameter_bounded(x, rows: int):
    """
    x: [rows, 64]
    """
    assert rows <= 128
    out = nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    through(x, out, rows, 64)
    return out
