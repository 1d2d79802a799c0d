"""Arguments of another kind that end in an error of Python, of ranges and views too: several axes where one is taken,
a list of numbers for pairs, a function for a dtype, and calls with too many or too few arguments."""

import nki
import nki.isa as nisa
import nki.language as nl


def made(x):
    assert x.shape == (128, 512)
    tile = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


@nki.jit
def several_axes(x):
    assert x.shape == (128, 1, 512)
    out = nl.ndarray((128, 4, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x.broadcast((1,), 4))  # expect: NKI811 @ (1,)
    return out


@nki.jit
def one_axis(x):
    assert x.shape == (128, 1, 512)
    out = nl.ndarray((128, 4, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x.broadcast(1, 4))
    return out


@nki.jit
def numbers_for_pairs(x):
    tile = made(x)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile.ap(pattern=[512, 128]))  # expect: NKI205 @ [512, 128]
    return out


@nki.jit
def function_for_a_dtype(x):  # expect: NKI003
    tile = nl.ndarray((128, 512), dtype=made, buffer=nl.sbuf)  # expect: NKI205 @ made
    return x


@nki.jit
def four_numbers(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(0, 8, 1, 2):  # expect: NKI809
        nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def no_number(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range():  # expect: NKI809
        nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def function_for_trips(x):
    assert x.shape == (128, 512)
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(made):  # expect: NKI811 @ range(made)
        nisa.dma_copy(dst=out, src=x)
    return out
