"""Sums in PSUM of which one product is made of what nothing wrote: the others do not mend it (NKI701)."""

import nki
import nki.isa as nisa
import nki.language as nl


def turned(tile, reached):
    """A square turned over, or nothing."""
    other = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    if reached:
        nisa.nc_transpose(dst=other, data=tile)
    result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=other)  # expect: NKI701
    return result


def stored(sums):
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    result = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=sums)
    nisa.dma_copy(dst=output, src=result)
    return output


# nkilint: x: float32[128, 512], y: float32[128, 128]
@nki.jit
def first_product_of_nothing(x, y):
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    moving = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=moving, src=y)
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for t in range(4):
        nisa.nc_matmul(dst=sums, stationary=turned(tile[:, t * 128 : (t + 1) * 128], t > 0), moving=moving)
    return stored(sums)


# nkilint: x: float32[128, 128], y: float32[128, 128]
@nki.jit
def second_product_overwrites(x, y):
    tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    never = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=never, moving=tile)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=False)  # expect: NKI506
    nisa.dma_copy(dst=never, src=y)
    return stored(sums)


# nkilint: x: float32[128, 128], y: float32[128, 128]
@nki.jit
def second_product_of_nothing(x, y):
    tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    never = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile)
    nisa.nc_matmul(dst=sums, stationary=never, moving=tile)  # expect: NKI701
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile)
    nisa.dma_copy(dst=never, src=y)
    return stored(sums)


# nkilint: x: float32[128, 512], y: float32[128, 128]
@nki.jit
def products_of_something(x, y):
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    moving = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=moving, src=y)
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for t in range(4):
        nisa.nc_matmul(dst=sums, stationary=tile[:, t * 128 : (t + 1) * 128], moving=moving)
    return stored(sums)
