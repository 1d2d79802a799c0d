"""Tensors whose docstring gives several forms, or that functions take with several ranks: each path has its own."""

import nki
import nki.isa as nisa
import nki.language as nl


def first_group(weights, tile):
    groups, rows, columns = weights.shape
    assert rows == 128 and columns == 64
    nisa.dma_copy(dst=tile, src=weights[groups - 1])


def first_group_too_far(weights, tile):
    groups, rows, columns = weights.shape
    assert rows == 128 and columns == 64
    nisa.dma_copy(dst=tile, src=weights[groups])  # expect: NKI301


def flat(weights, tile):
    rows, columns = weights.shape
    assert rows == 128 and columns == 64
    nisa.dma_copy(dst=tile, src=weights)


@nki.jit
def by_flag(x, weights, is_deep):
    """
    Args:
        x (nl.ndarray): [128, 64]
        weights (nl.ndarray): [N, W] or [G, N, W] if is_deep
    """
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    first = tile[:, 0:1]
    if is_deep:
        nisa.dma_copy(dst=first, src=weights[0, 0:128, 0:1])  # expect-warning: NKI301 weights.shape[1] >= 128 or not is_deep
    else:
        nisa.dma_copy(dst=first, src=weights[0:128, 0:1])  # expect-warning: NKI301 weights.shape[0] >= 128 or is_deep
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def by_function(x, weights, is_deep):
    """
    Args:
        weights (nl.ndarray): [N, W] as it is, or [G, N, W] in groups
    """
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    if is_deep:
        first_group(weights, tile)
    else:
        flat(weights, tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def by_function_too_far(x, weights, is_deep):
    """
    Args:
        weights (nl.ndarray): [N, W] as it is, or [G, N, W] in groups
    """
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    if is_deep:
        first_group_too_far(weights, tile)
    else:
        flat(weights, tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def by_length(x, weights):
    """
    Args:
        weights (nl.ndarray): [N, W] as it is, or [G, N, W] in groups
    """
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    if len(weights.shape) == 3:
        first_group(weights, tile)
    else:
        flat(weights, tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def said_plainly(x, weights, is_deep):
    """
    Args:
        weights (nl.ndarray): [N, W], what is taken
    """
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    if is_deep:
        first_group(weights, tile)
    else:
        flat(weights, tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


def takes(table, tile, i):
    """
    Args:
        table (nl.ndarray): [R, C], or [G, R, C] where there are groups
    """
    nisa.dma_copy(dst=tile, src=table[i])


@nki.jit
def form_of_a_function_only(x, table):  # expect: NKI003
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    takes(table, tile, 0)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def used_after_both(x, weights, is_deep):  # expect: NKI003
    """
    Args:
        weights (nl.ndarray): [N, W] as it is, or [G, N, W] in groups
    """
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    if is_deep:
        first_group(weights, tile)
    else:
        flat(weights, tile)
    nisa.dma_copy(dst=tile, src=weights[0:128, 0:64])
    nisa.dma_copy(dst=out, src=tile)
    return out
