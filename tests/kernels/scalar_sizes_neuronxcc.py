"""Sizes that are numbers of the caller: heads, blocks, windows, paddings; as docstrings of several styles name them."""

import math

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


class Blocks:
    """How an axis is cut."""

    def __init__(self, size, block):
        self.size, self.block = size, block
        self.count = size // block

    def place(self, i):
        return nl.ds(i * self.block, self.block)


def halves(size):
    return size // 2, size - size // 2


# --- found ---


@nki.jit
def heads_of_a_model(q, width: int, num_heads: int, head_dim: int):
    """Scale each head.

    Parameters
    ----------
    q : tensor of shape (128, width)
    num_heads : int
    head_dim : int
    """
    assert width == num_heads * head_dim
    out = nl.ndarray((128, width), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in nl.affine_range(num_heads):
        place = nl.ds((h + 1) * head_dim, head_dim)
        nl.store(out[:, place], nl.load(q[:, place]))  # expect: NKI301  # expect: NKI301
    return out  # expect: NKI703


@nki.jit
def window_around_each_row(x, seq: int, window: int):
    """x: [seq, 64]; each row is the sum of the `window` rows from it on."""
    out = nl.ndarray((seq, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for s in nl.affine_range(seq):
        acc = nl.zeros((1, 64), dtype=nl.float32, buffer=nl.sbuf)
        for w in nl.sequential_range(window):
            acc[...] = nl.add(acc, nl.load(x[s + w : s + w + 1, :]))  # expect-warning: NKI301 window <= 1
        nl.store(out[s : s + 1, :], acc)
    return out


@nki.jit
def padded_columns(x, n: int, pad: int):
    """
    Args:
        x: [128, n] what is padded
        pad: columns of zeros on both sides
    """
    out = nl.ndarray((128, n + pad), dtype=x.dtype, buffer=nl.shared_hbm)
    zeros = nl.zeros((128, pad), dtype=x.dtype, buffer=nl.sbuf)
    nl.store(out[:, 0:pad], zeros)
    nl.store(out[:, pad : pad + n], nl.load(x))
    nl.store(out[:, pad + n : 2 * pad + n], zeros)  # expect: NKI301
    return out


@nki.jit
def blocks_of_a_class(x, n: int, block: int):
    """x: [128, n]"""
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    blocks = Blocks(n, block)
    for i in nl.affine_range(blocks.count):
        nl.store(out[:, blocks.place(i)], nl.load(x[:, blocks.place(i)]))
    return out  # expect-warning: NKI703 n <= n // block * block


@nki.jit
def unequal_halves(x, n: int):
    """x: [128, n]"""
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    first, _ = halves(n)
    nl.store(out[:, 0:first], nl.load(x[:, 0:first]))
    nl.store(out[:, first : 2 * first], nl.load(x[:, first : 2 * first]))
    return out  # expect-warning: NKI703 n % 2 != 1


@nki.jit
def tile_that_is_too_tall(x, rows: int, columns: int):
    """
    Args:
        x: (rows, columns)
    """
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:rows, 0:columns]
    nl.store(out[i, j], nl.load(x[i, j]))  # expect-warning: NKI101 rows <= 128
    return out


@nki.jit
def rounded_up_without_a_mask(x, n: int, step: int):
    """x: [128, n], in steps of `step`"""
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(math.ceil(n / step)):
        nl.store(out[:, nl.ds(i * step, step)], nl.load(x[:, nl.ds(i * step, step)]))  # expect-warning: NKI301 n + (-n) // step * step >= 0
    return out


@nki.jit
def offsets_of_the_caller(x, n: int, first: int):
    """x: [128, n]; columns from `first` on"""
    out = nl.ndarray((128, n - first), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[:, first + 1 : n + 1]))  # expect: NKI301
    return out


@nki.jit
def moving_of_a_product(a, b, m: int, k: int, n: int):
    """
    Args:
        a: [k, m] what stays, its rows are contracted
        b: [k, n] what moves
    """
    assert k <= 128 and m <= 128
    out = nl.ndarray((m, n), dtype=a.dtype, buffer=nl.shared_hbm)
    product = nisa.nc_matmul(nl.load(a), nl.load(b))  # expect-warning: NKI103 n <= 512
    nl.store(out, nl.copy(product))
    return out


@nki.jit
def kept_positions(k, tokens: int, kept: int):
    """k: [tokens, 64]; the last `kept` ones"""
    out = nl.ndarray((kept, 64), dtype=k.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(kept):
        nl.store(out[t : t + 1, :], nl.load(k[nl.ds(tokens - kept + t, 1), :]))  # expect-warning: NKI301 kept <= tokens
    return out


@nki.jit
def groups_that_repeat(kv, heads: int, groups: int):
    """kv: [groups, 128, 64]"""
    out = nl.ndarray((heads, 128, 64), dtype=kv.dtype, buffer=nl.shared_hbm)
    for h in nl.affine_range(heads):
        nl.store(out[h], nl.load(kv[h // (heads // groups)]))  # expect-warning: NKI301 (heads - 1) // (heads // groups) < groups  # expect-warning: NKI806 heads // groups >= 1
    return out


# --- silent ---


@nki.jit
def heads_of_a_model_well(q, width: int, num_heads: int, head_dim: int):
    """Scale each head.

    Parameters
    ----------
    q : tensor of shape (128, width)
    num_heads : int
    head_dim : int
    """
    assert width == num_heads * head_dim
    out = nl.ndarray((128, width), dtype=q.dtype, buffer=nl.shared_hbm)
    for h in nl.affine_range(num_heads):
        place = nl.ds(h * head_dim, head_dim)
        nl.store(out[:, place], nl.load(q[:, place]))
    return out


@nki.jit
def window_around_each_row_well(x, seq: int, window: int):
    """x: [seq, 64]; each row is the sum of the `window` rows from it on."""
    assert 1 <= window <= seq
    out = nl.ndarray((seq - window + 1, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for s in nl.affine_range(seq - window + 1):
        acc = nl.zeros((1, 64), dtype=nl.float32, buffer=nl.sbuf)
        for w in nl.sequential_range(window):
            acc[...] = nl.add(acc, nl.load(x[s + w : s + w + 1, :]))
        nl.store(out[s : s + 1, :], acc)
    return out


@nki.jit
def padded_columns_well(x, n: int, pad: int):
    """
    Args:
        x: [128, n] what is padded
        pad: columns of zeros on both sides
    """
    out = nl.ndarray((128, n + 2 * pad), dtype=x.dtype, buffer=nl.shared_hbm)
    zeros = nl.zeros((128, pad), dtype=x.dtype, buffer=nl.sbuf)
    nl.store(out[:, 0:pad], zeros)
    nl.store(out[:, pad : pad + n], nl.load(x))
    nl.store(out[:, pad + n : 2 * pad + n], zeros)
    return out


@nki.jit
def blocks_of_a_class_well(x, n: int, block: int):
    """x: [128, n]"""
    assert n % block == 0
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    blocks = Blocks(n, block)
    for i in nl.affine_range(blocks.count):
        nl.store(out[:, blocks.place(i)], nl.load(x[:, blocks.place(i)]))
    return out


@nki.jit
def unequal_halves_well(x, n: int):
    """x: [128, n]"""
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    first, second = halves(n)
    nl.store(out[:, 0:first], nl.load(x[:, 0:first]))
    nl.store(out[:, first : first + second], nl.load(x[:, first : first + second]))
    return out


@nki.jit
def tile_that_is_tall_enough(x, rows: int, columns: int):
    """
    Args:
        x: (rows, columns)
    """
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:columns]
    for r in nl.affine_range(math.ceil(rows / 128)):
        inside = r * 128 + i < rows
        nl.store(out[r * 128 + i, j], nl.load(x[r * 128 + i, j], mask=inside), mask=inside)
    return out


@nki.jit
def rounded_up_with_a_mask(x, n: int, step: int):
    """x: [128, n], in steps of `step`"""
    out = nl.ndarray((128, n), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:step]
    for s in nl.affine_range(math.ceil(n / step)):
        inside = s * step + j < n
        nl.store(out[i, s * step + j], nl.load(x[i, s * step + j], mask=inside), mask=inside)
    return out


@nki.jit
def offsets_of_the_caller_well(x, n: int, first: int):
    """x: [128, n]; columns from `first` on"""
    out = nl.ndarray((128, n - first), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[:, first:n]))
    return out


@nki.jit
def moving_of_a_product_well(a, b, m: int, k: int, n: int):
    """
    Args:
        a: [k, m] what stays, its rows are contracted
        b: [k, n] what moves
    """
    assert k <= 128 and m <= 128
    out = nl.ndarray((m, n), dtype=a.dtype, buffer=nl.shared_hbm)
    for c in nl.affine_range(n // 512):
        product = nisa.nc_matmul(nl.load(a), nl.load(b[:, nl.ds(c * 512, 512)]))
        nl.store(out[:, nl.ds(c * 512, 512)], nl.copy(product))
    if n % 512 != 0:
        first, rest = n // 512 * 512, n % 512
        product = nisa.nc_matmul(nl.load(a), nl.load(b[:, nl.ds(first, rest)]))
        nl.store(out[:, nl.ds(first, rest)], nl.copy(product))
    return out


@nki.jit
def kept_positions_well(k, tokens: int, kept: int):
    """k: [tokens, 64]; the last `kept` ones"""
    assert kept <= tokens
    out = nl.ndarray((kept, 64), dtype=k.dtype, buffer=nl.shared_hbm)
    for t in nl.affine_range(kept):
        nl.store(out[t : t + 1, :], nl.load(k[nl.ds(tokens - kept + t, 1), :]))
    return out


@nki.jit
def groups_that_repeat_well(kv, heads: int, groups: int):
    """kv: [groups, 128, 64]"""
    assert heads % groups == 0
    out = nl.ndarray((heads, 128, 64), dtype=kv.dtype, buffer=nl.shared_hbm)
    for h in nl.affine_range(heads):
        nl.store(out[h], nl.load(kv[h // (heads // groups)]))
    return out
