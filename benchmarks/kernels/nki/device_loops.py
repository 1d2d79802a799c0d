"""Loops that the device runs as often as the text says: sums, extremes and copies, by `dynamic_range` and `fori_loop`."""

import nki
import nki.isa as nisa
import nki.language as nl

CASES = {
    "summed_by_the_device": [((1024, 64),)],
    "summed_by_a_body": [((512, 64),)],
    "largest_by_the_device": [((1024, 32),)],
    "weighed_by_the_device": [((512, 64), (512, 1))],
    "weighed_by_a_body": [((512, 64), (512, 1))],
    "moved_by_the_device": [((512, 128),)],
    "moved_by_a_body": [((512, 128),)],
    "summed_for_any_rows": [((512, 64),), ((256, 64),)],
}


@nki.jit
def summed_by_the_device(x):
    """The sum of eight tiles."""
    assert x.shape == (1024, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for row in nl.dynamic_range(0, 1024, 128):  # nkilint: ignore[NKI904]
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(row, 128)])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def summed_by_a_body(x):
    """The sum of four tiles, in a function."""
    assert x.shape == (512, 64)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)

    def add(i):
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128)])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)

    nl.fori_loop(0, 4, add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def largest_by_the_device(x):
    """The largest of eight tiles, element by element."""
    assert x.shape == (1024, 32)
    output = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.shared_hbm)
    best = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=best, value=-1.0)
    for i in nl.dynamic_range(8):  # nkilint: ignore[NKI904]
        tile = nl.ndarray((128, 32), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128)])
        nisa.tensor_tensor(dst=best, data1=tile, data2=best, op=nl.maximum)
    nisa.dma_copy(dst=output, src=best)
    return output


@nki.jit
def weighed_by_the_device(x, weights):
    """The sum of four tiles, each row of them with a weight of its own."""
    assert x.shape == (512, 64) and weights.shape == (512, 1)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for i in nl.dynamic_range(4):  # nkilint: ignore[NKI904]
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        weight = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128)])
        nisa.dma_copy(dst=weight, src=weights[nl.ds(i * 128, 128)])
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=weight)
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def weighed_by_a_body(x, weights):
    """The same, in a function."""
    assert x.shape == (512, 64) and weights.shape == (512, 1)
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)

    def add(i):
        tile = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        weight = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128)])
        nisa.dma_copy(dst=weight, src=weights[nl.ds(i * 128, 128)])
        nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=weight)
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)

    nl.fori_loop(0, 4, add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def moved_by_the_device(x):
    """A copy of four tiles."""
    assert x.shape == (512, 128)
    output = nl.ndarray((512, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    for row in nl.dynamic_range(0, 512, 128):  # nkilint: ignore[NKI904]
        nisa.dma_copy(dst=tile, src=x[nl.ds(row, 128)])
        nisa.dma_copy(dst=output[nl.ds(row, 128)], src=tile)
    return output


@nki.jit
def moved_by_a_body(x):
    """The same, in a function."""
    assert x.shape == (512, 128)
    output = nl.ndarray((512, 128), dtype=nl.float32, buffer=nl.shared_hbm)

    def move(i):
        tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128)])
        nisa.dma_copy(dst=output[nl.ds(i * 128, 128)], src=tile)

    nl.fori_loop(0, 4, move)
    return output


@nki.jit
def summed_for_any_rows(x):
    """The sum of as many tiles as there are."""
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 512
    output = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    total = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=total, value=0.0)
    for i in nl.dynamic_range(rows // 128):  # nkilint: ignore[NKI904]
        tile = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128)])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output
