"""A tile that branches make of different dtypes has one of them, each under the condition of its branch."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def as_dtype(tile, dtype):
    cast = nl.ndarray(tile.shape, dtype=dtype, buffer=nl.sbuf)
    nisa.tensor_copy(dst=cast, src=tile)
    return cast


def stored(sums):
    output = nl.ndarray(sums.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=as_dtype(sums, nl.float32))
    return output


# nkilint: x: float32[128, N], N <= 128
@nki.jit
def integers_on_one_side(x):
    tile, columns = loaded(x), x.shape[1]
    if columns > 64:
        cast = as_dtype(tile, nl.int32)
    else:
        cast = as_dtype(tile, nl.bfloat16)
    sums = nl.ndarray((columns, columns), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=cast, moving=cast)  # expect: NKI202 N <= 64
    return stored(sums)


# nkilint: x: float32[128, N], N <= 128
@nki.jit
def one_operand_narrowed(x):
    tile, columns = loaded(x), x.shape[1]
    narrow = tile
    if columns > 64:
        narrow = as_dtype(tile, nl.bfloat16)
    sums = nl.ndarray((columns, columns), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=narrow, moving=tile)  # expect: NKI202 N <= 64
    return stored(sums)


# nkilint: x: float32[128, N], N <= 128
@nki.jit
def both_operands_narrowed(x):
    tile, columns = loaded(x), x.shape[1]
    first = second = tile
    if columns > 64:
        first = as_dtype(tile, nl.bfloat16)
        second = first
    sums = nl.ndarray((columns, columns), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=first, moving=second)
    return stored(sums)


@nki.jit
def one_operand_narrowed_of_an_asserted_dtype(x):
    assert x.shape[0] == 128 and x.shape[1] <= 128 and x.dtype == nl.float32
    tile, columns = loaded(x), x.shape[1]
    narrow = tile
    if columns > 64:
        narrow = as_dtype(tile, nl.bfloat16)
    sums = nl.ndarray((columns, columns), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=narrow, moving=tile)  # expect: NKI202 x.shape[1] <= 64
    return stored(sums)


# nkilint: x: float32[128, N], N <= 128
@nki.jit
def transposed_with_its_dtype(x):
    tile, columns = loaded(x), x.shape[1]
    if columns > 64:
        tile = as_dtype(tile, nl.bfloat16)
    turned = nl.ndarray((columns, 128), dtype=tile.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)
    return stored(turned)


# nkilint: x: float32[128, N], N <= 128
@nki.jit
def transposed_with_another(x):
    tile, columns = loaded(x), x.shape[1]
    if columns > 64:
        tile = as_dtype(tile, nl.bfloat16)
    turned = nl.ndarray((columns, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)  # expect: NKI202 N <= 64
    return stored(turned)


@nki.jit
def asked_for_its_dtype(x):
    assert x.shape[0] == 128 and x.shape[1] <= 128 and x.dtype == nl.float32
    tile, columns = loaded(x), x.shape[1]
    first = tile
    if columns > 64:
        first = as_dtype(tile, nl.bfloat16)
    sums = nl.ndarray((columns, columns), dtype=nl.float32, buffer=nl.psum)
    if first.dtype == nl.bfloat16:
        nisa.nc_matmul(dst=sums, stationary=first, moving=as_dtype(tile, nl.bfloat16))
    else:
        nisa.nc_matmul(dst=sums, stationary=first, moving=tile)
    return stored(sums)


@nki.jit
def changed_in_a_list(x):
    assert x.shape[0] == 128 and x.shape[1] <= 128 and x.dtype == nl.float32
    tile, columns = loaded(x), x.shape[1]
    held = [tile]
    for _ in range(columns - 1):
        held[0] = as_dtype(tile, nl.bfloat16)
    sums = nl.ndarray((columns, columns), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=held[0], moving=tile)  # expect: NKI202 x.shape[1] == 1
    return stored(sums)
