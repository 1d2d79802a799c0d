"""Dtypes that branches and conditional expressions choose are those of tensors under the same conditions."""

import nki
import nki.isa as nisa
import nki.language as nl

SHORT = (nl.bfloat16, nl.float16)


def loaded(x, dtype):
    tile = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def turned(tile, dtype):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 128), dtype=dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=sums, data=tile)
    copied = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=sums)
    nisa.dma_copy(dst=out, src=copied)
    return out


@nki.jit
def as_the_input_is(x):
    assert x.shape == (128, 128)
    assert x.dtype in (nl.float32, nl.bfloat16)
    return turned(loaded(x, x.dtype), nl.float32 if x.dtype == nl.float32 else nl.bfloat16)


@nki.jit
def of_two_where_there_are_three(x):
    assert x.shape == (128, 128)
    assert x.dtype in (nl.float32, nl.bfloat16, nl.float16)
    dtype = nl.float32 if x.dtype == nl.float32 else nl.bfloat16
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    sums = nl.ndarray((128, 128), dtype=dtype, buffer=nl.psum)
    tile = loaded(x, x.dtype)
    nisa.nc_transpose(dst=sums, data=tile)  # expect-warning: NKI202 x.dtype in (bfloat16, float32)
    copied = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=sums)
    nisa.dma_copy(dst=out, src=copied)
    return out


@nki.jit
def by_size(x):
    assert x.shape[1] == 128 and x.shape[0] == 128
    if x.dtype == nl.float32:
        dtype = nl.bfloat16
    else:
        dtype = nl.float16
    return turned(loaded(x, dtype), dtype)


# nkilint: x: bfloat16[128, N]
@nki.jit
def by_length(x):
    assert x.shape[1] <= 512
    dtype = nl.float32 if x.shape[1] > 256 else nl.bfloat16
    out = nl.ndarray(x.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    tile = loaded(x, nl.bfloat16)
    copied = nl.ndarray(x.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=tile)
    nisa.dma_copy(dst=out, src=copied)
    return out


# nkilint: x: bfloat16[128, 128]
@nki.jit
def transposed_by_a_number(x, n):
    dtype = nl.float32 if n > 256 else nl.bfloat16
    sums = nl.ndarray((128, 128), dtype=dtype, buffer=nl.psum)
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.nc_transpose(dst=sums, data=loaded(x, nl.bfloat16))  # expect-warning: NKI202 n <= 256
    copied = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=sums)
    nisa.dma_copy(dst=out, src=copied)
    return out


# nkilint: x: bfloat16[128, 4096]
@nki.jit
def room_for_the_wider(x, n):
    dtype = nl.float32 if n > 256 else nl.bfloat16
    out = nl.ndarray((128, 4096), dtype=dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((128, 4096), dtype=dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def whole_numbers_or_not(x, n):
    dtype = nl.int32 if n == 3 else nl.float32
    tile = nl.ndarray((128, 64), dtype=dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.5)  # expect-warning: NKI202 n != 3
    return x


# nkilint: x: bfloat16[128, 128]
@nki.jit
def seen_as_chosen(x, n):
    out = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = loaded(x, nl.bfloat16)
    seen = tile.view(nl.float32 if n > 256 else nl.int32)
    copied = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=seen)
    nisa.dma_copy(dst=out, src=copied)
    return out


# nkilint: x: bfloat16[128, 128]
@nki.jit
def wider_or_not(x, n):
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = loaded(x, nl.bfloat16)
    seen = tile.view(nl.float32 if n > 256 else nl.float16)
    copied = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=seen)  # expect-warning: NKI204 n <= 256
    nisa.dma_copy(dst=out, src=copied)
    return out
