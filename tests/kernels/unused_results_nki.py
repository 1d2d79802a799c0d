"""Tiles that are computed and that nothing reads, and others that something may read."""

import nki
import nki.isa as nisa
import nki.language as nl


def fetched(source, rows, columns):
    tile = nl.ndarray((rows, columns), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def scaled(tile, by):
    result = nl.ndarray(tile.shape, dtype=tile.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=result, data=tile, op0=nl.multiply, operand0=by)  # expect: NKI210
    return tile


def add(dst, a, b):
    nisa.tensor_tensor(dst=dst, data1=a, data2=b, op=nl.add)  # expect: NKI210


@nki.jit
def other_tile_returned(x):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=scaled(fetched(x, 128, 512), 2.0))
    return output


@nki.jit
def sum_not_stored(x, y):
    assert x.shape == y.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    a, b = fetched(x, 128, 512), fetched(y, 128, 512)
    total = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.sbuf)
    add(total, a, b)
    nisa.dma_copy(dst=output, src=a)
    return output


@nki.jit
def maximum_not_negated(x):
    rows, columns = x.shape
    assert rows % 128 == 0 and columns <= 2048
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(rows // 128):
        tile = fetched(x[nl.ds(i * 128, 128), 0:columns], 128, columns)
        most = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_reduce(dst=most, op=nl.maximum, data=tile, axis=1)
        least = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_scalar(dst=least, data=most, op0=nl.multiply, operand0=-1.0)  # expect: NKI210
        power = nl.ndarray((128, columns), dtype=nl.float32, buffer=nl.sbuf)
        nisa.activation(dst=power, op=nl.exp, data=tile, bias=most)
        nisa.dma_copy(dst=output[nl.ds(i * 128, 128), 0:columns], src=power)
    return output


@nki.jit
def mask_not_used(x, causal: bool = True):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    tile = fetched(x, 128, 512)
    masked = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    if causal:
        nisa.tensor_scalar(dst=masked, data=tile, op0=nl.minimum, operand0=0.0)  # expect: NKI210
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def sum_left_in_psum(x, w):
    assert x.shape == (512, 128) and w.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(4):
        a = fetched(x[nl.ds(k * 128, 128), 0:128], 128, 128)
        b = fetched(w[nl.ds(k * 128, 128), 0:512], 128, 512)
        nisa.nc_matmul(dst=sums, stationary=a, moving=b, accumulate=k > 0)  # expect: NKI210
    nisa.dma_copy(dst=output, src=fetched(w[0:128, 0:512], 128, 512))
    return output


@nki.jit
def parts_not_stored(x):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = fetched(x, 128, 512)
    parts = [nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    for h in range(2):
        nisa.activation(dst=parts[h], op=nl.exp, data=tile[:, h * 256 : (h + 1) * 256])  # expect: NKI210
    nisa.dma_copy(dst=output, src=tile)
    return output


@nki.jit
def only_asked_for_the_sums(x, with_maximum: bool = False):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = fetched(x, 128, 512)
    most = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=most, op=nl.maximum, data=tile, axis=1)
    nisa.dma_copy(dst=output, src=tile)
    if with_maximum:
        other = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.shared_hbm)
        nisa.dma_copy(dst=other, src=most)
        return output, other
    return output


def both(tile, dst, twice):
    nisa.tensor_copy(dst=dst, src=tile)
    nisa.tensor_scalar(dst=twice, data=tile, op0=nl.multiply, operand0=2.0)


@nki.jit
def one_of_two_results(x):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    second = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    both(fetched(x, 128, 512), first, second)
    nisa.dma_copy(dst=output, src=first)
    return output


@nki.jit
def slot_of_a_ring(x):
    assert x.shape == (128, 512)
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = fetched(x, 128, 512)
    ring = [nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf) for _ in range(2)]
    for i in range(3):
        nisa.tensor_copy(dst=ring[i % 2], src=tile)
    nisa.dma_copy(dst=output, src=ring[0])
    return output


def added(tile, state):
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=total, data1=tile, data2=state["total"], op=nl.add)
    state["total"] = total


@nki.jit
def carried_in_a_dict(x):
    assert x.shape == (512, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    state = {"total": nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)}
    for i in range(4):
        added(fetched(x[nl.ds(i * 128, 128), 0:512], 128, 512), state)
    nisa.dma_copy(dst=output, src=state["total"])
    return output
