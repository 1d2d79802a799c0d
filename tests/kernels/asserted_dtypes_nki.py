"""What is asserted or asked of the dtype of an input says how large its elements are."""

import nki
import nki.isa as nisa
import nki.language as nl


def halves_swapped(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, 2 * columns), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    parts = x.view(nl.bfloat16)
    nisa.dma_copy(dst=output[:, 0:columns], src=parts[:, columns : 2 * columns])
    nisa.dma_copy(dst=output[:, columns : 2 * columns], src=parts[:, 0:columns])
    return output


@nki.jit
def float32_by_assertion(x):
    rows, columns = x.shape
    assert x.dtype == nl.float32
    return halves_swapped(x)


@nki.jit
def float32_of_one(x):
    rows, columns = x.shape
    assert x.dtype in (nl.float32,)
    return halves_swapped(x)


@nki.jit
def bfloat16_by_assertion(x):
    rows, columns = x.shape
    assert x.dtype == nl.bfloat16
    output = nl.ndarray((rows, 2 * columns), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    parts = x.view(nl.bfloat16)
    nisa.dma_copy(dst=output[:, 0:columns], src=parts[:, columns : 2 * columns])  # expect: NKI301
    nisa.dma_copy(dst=output[:, columns : 2 * columns], src=parts[:, 0:columns])
    return output


@nki.jit
def float32_on_one_side(x):
    rows, columns = x.shape
    if x.dtype == nl.float32:
        return halves_swapped(x)
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    return output


@nki.jit
def the_other_side(x):
    rows, columns = x.shape
    assert columns % 2 == 0
    output = nl.ndarray((rows, 2 * columns), dtype=nl.bfloat16, buffer=nl.shared_hbm)
    if x.dtype != nl.float32:
        parts = x.view(nl.bfloat16)
        nisa.dma_copy(dst=output[:, 0:columns], src=parts[:, columns : 2 * columns])  # expect: NKI301 itemsize(x.dtype) == 4
        nisa.dma_copy(dst=output[:, columns : 2 * columns], src=parts[:, 0:columns])
    else:
        nisa.dma_copy(dst=output, src=x.view(nl.bfloat16))
    return output


@nki.jit
def two_of_one_dtype(x, y):
    rows, columns = x.shape
    assert y.shape == (rows, columns)
    assert x.dtype == nl.float32 and y.dtype == x.dtype
    return halves_swapped(x), halves_swapped(y)


@nki.jit
def places_by_the_dtype(x):
    assert x.shape == (128, 256) and x.dtype == nl.float32
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 0))
    second = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 512))
    nisa.dma_copy(dst=first, src=x[:, 0:128])
    nisa.dma_copy(dst=second, src=x[:, 128:256])
    nisa.dma_copy(dst=output[:, 0:128], src=first)
    nisa.dma_copy(dst=output[:, 128:256], src=second)
    return output


@nki.jit
def places_for_a_smaller_dtype(x):
    assert x.shape == (128, 256) and x.dtype == nl.float32
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 0))
    second = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 256))
    nisa.dma_copy(dst=first, src=x[:, 0:128])
    nisa.dma_copy(dst=second, src=x[:, 128:256])
    nisa.dma_copy(dst=output[:, 0:128], src=first)  # expect: NKI501
    nisa.dma_copy(dst=output[:, 128:256], src=second)
    return output


def side_by_side(x, width):
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 0))
    second = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 128 * width))
    nisa.dma_copy(dst=first, src=x[:, 0:128])
    nisa.dma_copy(dst=second, src=x[:, 128:256])
    nisa.dma_copy(dst=output[:, 0:128], src=first)
    nisa.dma_copy(dst=output[:, 128:256], src=second)
    return output


@nki.jit
def places_chosen_by_the_dtype(x):
    assert x.shape == (128, 256) and x.dtype in (nl.float32, nl.bfloat16)
    if x.dtype == nl.float32:
        return side_by_side(x, 4)
    return side_by_side(x, 2)


@nki.jit
def places_chosen_by_an_expression(x):
    assert x.shape == (128, 256) and x.dtype in (nl.float32, nl.bfloat16)
    return side_by_side(x, 4 if x.dtype == nl.float32 else 2)


@nki.jit
def places_chosen_the_wrong_way_round(x):
    assert x.shape == (128, 256) and x.dtype in (nl.float32, nl.bfloat16)
    width = 2 if x.dtype == nl.float32 else 4
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 0))
    second = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 128 * width))
    nisa.dma_copy(dst=first, src=x[:, 0:128])
    nisa.dma_copy(dst=second, src=x[:, 128:256])
    nisa.dma_copy(dst=output[:, 0:128], src=first)  # expect-warning: NKI501
    nisa.dma_copy(dst=output[:, 128:256], src=second)
    return output


@nki.jit
def places_for_the_smaller_of_two(x):
    assert x.shape == (128, 256) and x.dtype in (nl.float32, nl.bfloat16)
    output = nl.ndarray((128, 256), dtype=x.dtype, buffer=nl.shared_hbm)
    first = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 0))
    second = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=(0, 256))
    nisa.dma_copy(dst=first, src=x[:, 0:128])
    nisa.dma_copy(dst=second, src=x[:, 128:256])
    nisa.dma_copy(dst=output[:, 0:128], src=first)  # expect-warning: NKI501
    nisa.dma_copy(dst=output[:, 128:256], src=second)
    return output


@nki.jit
def places_for_a_dtype_that_nothing_specifies(x):
    assert x.shape == (128, 256)
    return side_by_side(x, 2)


def product(x, y):
    a = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf)
    b = nl.ndarray((128, 512), dtype=y.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=y)
    psum = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=psum, stationary=a, moving=b)  # expect: NKI202 y.dtype == x.dtype
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=result, src=psum)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=result)
    return output


@nki.jit
def two_of_a_few_dtypes(x, y):
    assert x.shape == (128, 128) and y.shape == (128, 512)
    assert x.dtype in (nl.float32, nl.bfloat16)
    assert y.dtype in (nl.float32, nl.bfloat16)
    return product(x, y)


@nki.jit
def two_that_agree(x, y):
    assert x.shape == (128, 128) and y.shape == (128, 512)
    assert x.dtype in (nl.float32, nl.bfloat16) and y.dtype == x.dtype
    return product(x, y)


@nki.jit
def two_that_agree_in_reverse(x, y):
    assert x.shape == (128, 128) and y.shape == (128, 512)
    assert x.dtype in (nl.float32, nl.bfloat16) and y.dtype in (nl.float32, nl.bfloat16)
    assert not (x.dtype == nl.float32 and y.dtype == nl.bfloat16)
    assert not (x.dtype == nl.bfloat16 and y.dtype == nl.float32)
    return product(x, y)


@nki.jit
def two_of_small_dtypes(x, y):
    assert x.shape == (128, 128) and y.shape == (128, 512)
    assert x.dtype in (nl.float16, nl.bfloat16)
    assert y.dtype in (nl.float16, nl.bfloat16)
    return product(x, y)


class Allocator:
    def __init__(self):
        self.offset = 0

    def size(self, dtype):
        if dtype == nl.float32:
            return 4
        elif dtype == nl.bfloat16:
            return 2
        else:
            raise ValueError(f"Unsupported dtype: {dtype}")

    def allocate(self, size, dtype):
        at = self.offset
        self.offset += size * self.size(dtype)
        return (0, at)


@nki.jit
def two_that_an_allocator_takes(x, y):
    assert x.shape == (128, 128) and y.shape == (128, 512)
    allocator = Allocator()
    a = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.sbuf, address=allocator.allocate(128, x.dtype))
    b = nl.ndarray((128, 512), dtype=y.dtype, buffer=nl.sbuf, address=allocator.allocate(512, y.dtype))
    nisa.dma_copy(dst=a, src=x)
    nisa.dma_copy(dst=b, src=y)
    psum = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum, address=(0, 0))
    nisa.nc_matmul(dst=psum, stationary=a, moving=b)
    result = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf, address=allocator.allocate(512, nl.float32))
    nisa.tensor_copy(dst=result, src=psum)
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=result)
    return output
