"""Lengths of what is not known: numbers of which nothing is known but that they are not negative."""

import nki
import nki.isa as nisa
import nki.language as nl


def members(rank):
    return {0: [1, 2, 3], 1: [4]}[rank]


def loaded(source):
    tile = nl.ndarray((128, 512), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


@nki.jit
def one_for_each(x, rank: int):  # expect: NKI003
    assert x.shape == (128, 512)
    workers = len(members(rank))
    output = nl.ndarray((workers, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x)
    for i in range(workers):
        nisa.dma_copy(dst=output[i], src=tile)
    return output


@nki.jit
def few_enough(x, rank: int):  # expect: NKI003
    assert x.shape == (128, 512)
    workers = len(members(rank))
    output = nl.ndarray((2, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x)
    for i in range(2):
        nisa.dma_copy(dst=output[i], src=tile)
    if workers == 1:
        nisa.dma_copy(dst=output[workers], src=tile)
    nisa.dma_copy(dst=output[workers - 1], src=tile)  # one or three, which is not known
    return output


@nki.jit
def as_many_as_there_are(x, rank: int):  # expect: NKI003
    assert x.shape == (128, 512)
    workers = len(members(rank))
    output = nl.ndarray((3, 128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x)
    for i in range(3):
        nisa.dma_copy(dst=output[i], src=tile)
    for i in range(workers):
        nisa.dma_copy(dst=output[i], src=tile)
    return output


@nki.jit
def not_two(x, rank: int):  # expect: NKI003
    assert x.shape == (128, 512)
    workers = len(members(rank))
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    if workers != 2:
        nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output
