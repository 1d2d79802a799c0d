"""Handles to instructions, and the order that they are given."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def chained(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    first = nisa.dma_copy(dst=tile, src=x)
    second = nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    last = nisa.dma_copy(dst=output, src=tile)
    last.depends_on(second, first).depends_on(first)
    return output


@nki.jit
def one_after_the_other(x):
    assert x.shape == (512, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    previous = None
    for i in range(4):
        tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
        load = nisa.dma_copy(dst=tile, src=x[128 * i : 128 * i + 128])
        if i > 0:
            load.depends_on(previous)
        previous = nisa.dma_copy(dst=output[128 * i : 128 * i + 128], src=tile)
    return output


@nki.jit
def misnamed(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    copied = nisa.dma_copy(dst=output, src=x)
    copied.runs_after(copied)  # expect: NKI208
    return output


@nki.jit
def after_a_loop_on_the_device(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    copied = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    handles = [nisa.dma_copy(dst=tile, src=x)]

    def body(i):
        handles.append(nisa.tensor_copy(dst=copied, src=tile))
        handles[-1].depends_on(handles[0])

    nl.fori_loop(0, 1, body)
    stored = nisa.dma_copy(dst=output, src=copied)
    stored.depends_on(handles[0])
    return output


@nki.jit
def after_the_same_loop_of_another_call(x):
    assert x.shape == (128, 64)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    first = doubled(tile, None)
    doubled(tile, first)
    nisa.dma_copy(dst=output, src=tile)
    return output


def doubled(tile, before):
    handles = []

    def body(i):
        handles.append(nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0))
        if before != None:  # noqa: E711
            handles[-1].depends_on(before)  # expect: NKI608

    nl.fori_loop(0, 4, body)
    return handles[-1]
