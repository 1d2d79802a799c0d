"""Dtypes that nothing specifies: what is asked of them has to leave one."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(x):
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return tile


def handed_back(tile):
    out = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    copied = nl.ndarray(tile.shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=copied, src=tile)
    nisa.dma_copy(dst=out, src=copied)
    return out


# --- found ---


@nki.jit
def two_transposes(x):
    """One asks for float32, the other for bfloat16."""
    assert x.shape == (128, 128)
    tile = loaded(x)
    wide = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    narrow = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=wide, data=tile)
    nisa.nc_transpose(dst=narrow, data=tile)  # expect: NKI202
    return handed_back(wide), handed_back(narrow)


@nki.jit
def two_products(x):
    """32-bit floats are multiplied by 32-bit floats alone, and others by others."""
    assert x.shape == (128, 128)
    tile = loaded(x)
    ones = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.memset(dst=ones, value=1.0)
    wide = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=wide, value=1.0)
    first = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=first, stationary=tile, moving=ones)
    second = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=second, stationary=tile, moving=wide)  # expect: NKI202
    return handed_back(first), handed_back(second)


@nki.jit
def shared_by_two_inputs(x, y):
    """The dtype of `x` is that of `y`, which both other operands ask to be another one."""
    assert x.shape == (128, 128)
    assert y.shape == (128, 128)
    one, other = loaded(x), loaded(y)
    like_x = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=like_x, data=other)
    wide = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=wide, data=one)
    narrow = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=narrow, data=other)  # expect: NKI202
    return handed_back(like_x), handed_back(wide), handed_back(narrow)


@nki.jit
def against_its_own_assertion(x):
    assert x.shape == (128, 128) and x.dtype == nl.bfloat16
    wide = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=wide, data=loaded(x))  # expect: NKI202
    return handed_back(wide)


@nki.jit
def against_the_test_around(x):
    assert x.shape == (128, 128)
    tile = loaded(x)
    if x.dtype == nl.bfloat16:
        wide = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_transpose(dst=wide, data=tile)  # expect: NKI202
        return handed_back(wide)
    return handed_back(tile)


@nki.jit
def as_asserted(x):
    assert x.shape == (128, 128) and x.dtype in (nl.bfloat16, nl.float32)
    wide = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=wide, data=loaded(x))  # expect-warning: NKI202 x.dtype == float32
    return handed_back(wide)


@nki.jit
def one_of_three(x):
    assert x.shape == (128, 128)
    assert x.dtype in (nl.bfloat16, nl.float16, nl.float32)
    wide = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    if x.dtype != nl.float32:
        wide = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=wide, data=loaded(x))  # expect-warning: NKI202 x.dtype in (bfloat16, float32)
    return handed_back(wide)


@nki.jit
def named_for_another_of_the_same(x, y):
    assert x.shape == (128, 128) and y.shape == (128, 128)
    assert x.dtype == y.dtype
    assert x.dtype in (nl.bfloat16, nl.float32)
    wide = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=wide, data=loaded(y))  # expect-warning: NKI202 y.dtype == float32
    return handed_back(wide)


# --- right ---


@nki.jit
def each_of_three(x):
    assert x.shape == (128, 128)
    assert x.dtype in (nl.bfloat16, nl.float16, nl.float32)
    turned = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=loaded(x))
    return handed_back(turned)


@nki.jit
def converted_unless_wide(x):
    assert x.shape == (128, 128)
    assert x.dtype == nl.bfloat16 or x.dtype == nl.float32
    tile = loaded(x)
    if x.dtype == nl.bfloat16:
        converted = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=converted, src=tile)
        tile = converted
    wide = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=wide, data=tile)
    return handed_back(wide)


@nki.jit
def transposes_of_two_inputs(x, y):
    assert x.shape == (128, 128)
    assert y.shape == (128, 128)
    wide = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    narrow = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=wide, data=loaded(x))
    nisa.nc_transpose(dst=narrow, data=loaded(y))
    return handed_back(wide), handed_back(narrow)


@nki.jit
def by_what_the_dtype_is(x):
    assert x.shape == (128, 128)
    tile = loaded(x)
    if x.dtype == nl.float32:
        turned = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
        nisa.nc_transpose(dst=turned, data=tile)
        return handed_back(turned)
    turned = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)
    return handed_back(turned)


@nki.jit
def by_a_flag(x, wide: bool = False):
    """Callers know which dtype goes with which."""
    assert x.shape == (128, 128)
    tile = loaded(x)
    turned = nl.ndarray((128, 128), dtype=nl.float32 if wide else nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=tile)
    return handed_back(turned)


@nki.jit
def products_of_either(x, y):
    assert x.shape == (128, 128)
    assert y.shape == (128, 512)
    product = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=product, stationary=loaded(x), moving=loaded(y))
    return handed_back(product)
