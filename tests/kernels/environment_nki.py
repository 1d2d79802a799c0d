"""Environment variables that kernels ask for, and attributes that one side of a branch sets."""

import os

import nki
import nki.isa as nisa
import nki.language as nl

WIDTH = int(os.environ.get("NKI_WIDTH", "512"))
LEVELS = {key: value for key, value in os.environ.items() if key.startswith("NKI")}


class Choice(nl.NKIObject):
    width = 512


@nki.jit
def width_by_default(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, WIDTH), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, WIDTH), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def rows_too_many_by_default(x):
    assert x.shape == (256, 512)
    rows = int(os.getenv("NKI_ROWS", "256"))
    output = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI101
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def level_that_nobody_sets(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if LEVELS.get("NKI_LEVEL") != None:  # noqa: E711
        nisa.dma_copy(dst=output[:, 0:256], src=tile[:, 0:256])
    else:
        nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def attribute_of_one_branch(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    choice = Choice()
    if x.dtype == nl.float32:
        choice.width = 256
    tile = nl.ndarray((128, choice.width), dtype=x.dtype, buffer=nl.sbuf)
    for i in range(512 // choice.width):
        columns = nl.ds(i * choice.width, choice.width)
        nisa.dma_copy(dst=tile, src=x[:, columns])
        nisa.dma_copy(dst=output[:, columns], src=tile)
    return output


@nki.jit
def attribute_of_one_branch_too_wide(x):
    assert x.shape == (128, 256)
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    choice = Choice()
    if x.shape[0] == 128:
        choice.width = 384
    tile = nl.ndarray((128, 384), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0 : choice.width], src=x[:, 0 : choice.width])  # expect: NKI301
    nisa.dma_copy(dst=output, src=tile[:, 0:256])
    return output
