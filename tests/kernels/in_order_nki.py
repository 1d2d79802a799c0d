"""Blocks whose instructions keep their order, and values that floats of the iteration or changes in place make others."""

import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[128, 64]
@nki.jit
def ordered(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    with nl.no_reorder():
        nisa.dma_copy(dst=out, src=x)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def ordered_past_the_end(x):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    with nl.no_reorder():
        nisa.dma_copy(dst=out, src=x[:, 1:65])  # expect: NKI301
    return out


@nki.jit
def lost_although_changed_in_place(x):
    m, n = x.shape
    assert m <= 32 and n <= 512
    out = nl.ndarray((1, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(m):
        a = nl.ndarray((1, n), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=x[i : i + 1, :])
        nisa.activation(dst=a, op=nl.exp, data=a, scale=2.0)
        nisa.dma_copy(dst=out, src=a)  # expect-warning: NKI708 m == 1
    return out


@nki.jit
def changed_in_place_and_used(x):
    m, n = x.shape
    assert m <= 32 and n <= 512
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    last = nl.ndarray((1, n), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(m):
        a = nl.ndarray((1, n), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=a, src=x[i : i + 1, :])
        nisa.activation(dst=a, op=nl.exp, data=a, scale=2.0)
        nisa.dma_copy(dst=out[i : i + 1, :], src=a)
        nisa.dma_copy(dst=last, src=a)
    return out, last


@nki.jit
def scaled_by_a_float_of_the_iteration(x):  # expect: NKI003
    m, n = x.shape
    assert m <= 32 and n <= 512
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    a = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x)
    for i in range(m):
        b = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=b, data=a, op0=nl.multiply, operand0=1.0 / (i + 1))
        nisa.dma_copy(dst=out, src=b)
    return out


@nki.jit
def repeated_on_the_device_in_order(x):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)

    def body(index):  # the function that the loop is handed
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)

    with nl.no_reorder():
        nl.fori_loop(0, 8, body)  # expect-warning: NKI803
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def in_order_on_the_device(x):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)

    def body(index):
        with nl.no_reorder():
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=1.0)
            nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)

    nl.fori_loop(0, 8, body)
    nisa.dma_copy(dst=output, src=tile)
    return output
