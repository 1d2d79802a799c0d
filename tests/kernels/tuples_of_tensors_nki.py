"""Tuples of tensors as arguments: unpacked, annotated, and as many as a caller gives."""

from typing import Tuple

import nki
import nki.isa as nisa
import nki.language as nl


def move(dst, src):
    tile = nl.ndarray(src.shape, dtype=src.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=src)
    nisa.dma_copy(dst=dst, src=tile)


@nki.jit
def two_that_are_alike(xs):
    a, b = xs
    assert a.shape == b.shape and a.shape == (128, 512)
    out = nl.ndarray((256, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    move(out[0:128], a)
    move(out[128:256], b)
    return out


@nki.jit
def shape_of_the_first(xs):
    a, b = xs
    rows, columns = a.shape
    assert rows <= 128 and b.shape == (rows, columns)
    out = nl.ndarray((2, rows, columns), dtype=a.dtype, buffer=nl.shared_hbm)
    move(out[0], a)
    move(out[1], b)
    return out


@nki.jit
def annotated(xs: Tuple):
    a, b = xs
    assert a.shape == (128, 512) and b.shape == (128, 512)
    out = nl.ndarray((256, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    move(out[0:128], a)
    move(out[128:256], b)
    return out


@nki.jit
def as_many_as_two(*xs):
    assert len(xs) == 2 and all(x.shape == (128, 512) for x in xs)
    out = nl.ndarray((256, 512), dtype=xs[0].dtype, buffer=nl.shared_hbm)
    for i, x in enumerate(xs):
        move(out[i * 128 : (i + 1) * 128], x)
    return out


@nki.jit
def as_many_as_there_are(*xs):
    out = nl.ndarray((128 * len(xs), 512), dtype=xs[0].dtype, buffer=nl.shared_hbm)
    for i, x in enumerate(xs):
        assert x.shape == (128, 512)
        move(out[i * 128 : (i + 1) * 128], x)
    return out


@nki.jit
def numbers(x, pad):
    left, right = pad
    assert left == 2 and right == left and x.shape == (128, 512)
    out = nl.ndarray((128, 512 + left + right), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 516), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0)
    nisa.dma_copy(dst=tile[:, left : left + 512], src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


@nki.jit
def second_beyond_the_end(xs):
    a, b = xs
    assert a.shape == (128, 512) and b.shape == (128, 512)
    out = nl.ndarray((192, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    move(out[0:128], a)
    move(out[128:256], b)  # expect: NKI301
    return out


@nki.jit
def too_many_partitions(*xs):
    out = nl.ndarray((128 * len(xs), 512), dtype=nl.float32, buffer=nl.shared_hbm)
    for i, x in enumerate(xs):
        assert x.shape == (128, 512)
        tile = nl.ndarray((256, 512), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
        nisa.dma_copy(dst=tile[0:128], src=x)
        nisa.dma_copy(dst=out[i * 128 : (i + 1) * 128], src=tile[0:128])
    return out
