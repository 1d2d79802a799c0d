"""What tensors hold is no number while a kernel is traced: `float`, `int` and `math` do not take them."""

import math

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(x):
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


@nki.jit
def a_float_of_an_element(x):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=float(tile[0:1, 0:1]))  # expect: NKI809
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def a_root_of_an_input(x):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=math.sqrt(x[0, 0]))  # expect: NKI809
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def rounds_of_a_tile(x):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x)
    for _ in range(int(tile[0:1, 0:1])):  # expect: NKI809
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def numbers_of_the_caller(x, scale, times=2.0):
    assert tuple(x.shape) == (128, 64)
    output = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x)
    for _ in range(int(times)):
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=math.sqrt(float(scale)))
    nisa.dma_copy(dst=output, src=tile)
    return output
