"""Python that the compiler of `nki` does not take (NKI803), and what stands in its place."""

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


def scaled(tile, bias):
    if bias is None:  # expect: NKI803 @ bias is None
        return tile
    nisa.tensor_tensor(dst=tile, data1=tile, data2=bias, op=nl.add)
    return tile


@nki.jit
def identities(x, bias=None):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=scaled(tile, bias))
    return output


@nki.jit
def equalities(x, bias=None):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    if bias != None:  # noqa: E711
        nisa.tensor_tensor(dst=tile, data1=tile, data2=bias, op=nl.add)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def by_name_only(x, *, twice=False):  # expect: NKI803 @ twice
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output


@nki.jit
def list_by_default(x, parts=[256, 256]):  # expect: NKI803 @ parts
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    start = 0
    for part in parts:
        nisa.dma_copy(dst=output[:, nl.ds(start, part)], src=x[:, nl.ds(start, part)])
        start += part
    return output


@nki.jit
def tuple_by_default(x, parts=(256, 256)):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    start = 0
    for part in parts:
        nisa.dma_copy(dst=output[:, nl.ds(start, part)], src=x[:, nl.ds(start, part)])
        start += part
    return output


@nki.jit
def given_parts(x, parts):  # expect: NKI003
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    start = 0
    for part in parts:
        nisa.dma_copy(dst=output[:, nl.ds(start, part)], src=x[:, nl.ds(start, part)])
        start += part
    return output


def launch_with_a_list():
    return given_parts(np.zeros((128, 512), dtype=np.float32), [256, 256])  # expect: NKI803


def launch_with_a_tuple():
    return given_parts(np.zeros((128, 512), dtype=np.float32), (256, 256))


def one_of_two(x): ...


def another(x): ...


@nki.jit
def compared_memories(x):
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    reveal(x.buffer == nl.sbuf)  # revealed: False
    reveal(x.buffer in (nl.sbuf, nl.psum))  # revealed: False
    reveal(tile.buffer == nl.sbuf)  # revealed: True
    reveal(tile.buffer != nl.psum)  # revealed: True
    reveal(x.buffer == nl.hbm)  # revealed: unknown: whether `shared_hbm` is `hbm`
    reveal(tile.buffer == "sbuf")  # revealed: line 100: comparison of a memory and a string
    reveal(one_of_two == another)  # revealed: False
    reveal(one_of_two == one_of_two)  # revealed: True
    reveal(int == float)  # revealed: False
    nisa.memset(dst=tile, value=0.0)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=tile)
    return output
