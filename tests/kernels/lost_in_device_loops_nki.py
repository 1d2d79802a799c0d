"""Results that each iteration of a loop on the device overwrites: such loops lose them as others do."""

import nki
import nki.isa as nisa
import nki.language as nl


def tile_of(shape):
    return nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)


# nkilint: x: float32[1024, 256]
@nki.jit
def only_the_last_tile(x):
    out = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    total = tile_of((128, 256))

    def body(i):
        tile = tile_of((128, 256))
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128)])
        nisa.tensor_copy(dst=total, src=tile)  # expect: NKI708

    nl.fori_loop(0, 8, body)
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[1024, 256]
@nki.jit
def only_the_last_rows(x):
    out = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    total = tile_of((128, 256))
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        nisa.dma_copy(dst=total, src=x[nl.ds(row, 128)])  # expect: NKI708
    nisa.dma_copy(dst=out, src=total)
    return out


@nki.jit
def only_the_last_of_many(x):
    N, D = x.shape
    assert N % 128 == 0 and N >= 256 and D <= 512
    out = nl.ndarray((128, D), dtype=nl.float32, buffer=nl.shared_hbm)
    total = tile_of((128, D))
    for i in nl.dynamic_range(N // 128):  # expect: NKI904
        nisa.dma_copy(dst=total, src=x[nl.ds(i * 128, 128)])  # expect: NKI708
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[1024, 256]
@nki.jit
def sum_of_rows(x):
    out = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    total = tile_of((128, 256))
    nisa.memset(dst=total, value=0.0)
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        tile = tile_of((128, 256))
        nisa.dma_copy(dst=tile, src=x[nl.ds(row, 128)])
        nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[1024, 256]
@nki.jit
def read_in_each_iteration(x):
    out = nl.ndarray((1024, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = tile_of((128, 256))
    for row in nl.dynamic_range(0, 1024, 128):  # expect: NKI904
        nisa.dma_copy(dst=tile, src=x[nl.ds(row, 128)])
        nisa.dma_copy(dst=out[nl.ds(row, 128)], src=tile)
    return out


# nkilint: x: float32[1024, 256]
@nki.jit
def first_iteration_of_a_body(x):  # expect: NKI003
    out = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    total = tile_of((128, 256))
    state = {"first": True}

    def body(i):
        tile = tile_of((128, 256))
        nisa.dma_copy(dst=tile, src=x[nl.ds(i * 128, 128)])
        if state["first"]:
            nisa.tensor_copy(dst=total, src=tile)  # expect: NKI708
            state["first"] = False
        else:
            nisa.tensor_tensor(dst=total, data1=total, data2=tile, op=nl.add)

    nl.fori_loop(0, 8, body)
    nisa.dma_copy(dst=out, src=total)
    return out


# nkilint: x: float32[128, 256], n: int32[1, 1]
@nki.jit
def as_often_as_the_device_says(x, n):
    out = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.shared_hbm)
    times = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=times, src=n)
    count = nisa.register_alloc()
    nisa.register_load(count, times)
    total = tile_of((128, 256))
    nisa.memset(dst=total, value=0.0)

    def body(i):
        nisa.tensor_scalar(dst=total, data=total, op0=nl.add, operand0=1.0)

    nl.fori_loop(0, count, body)
    nisa.dma_copy(dst=out, src=total)
    return out
