"""Rules of one line: sums that nothing began, names bound anew, generations, mutable globals, dtypes of transpositions."""

import nki
import nki.isa as nisa
import nki.language as nl

SCALES = [1.0, 2.0]
CALLS = 0
EPSILON = 1e-6


def count():
    global CALLS
    CALLS += 1


def loaded(source, shape, dtype=None):
    tile = nl.ndarray(shape, dtype=dtype or source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def stored(tile, shape, dtype=nl.float32):
    out = nl.ndarray(shape, dtype=dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


# --- found ---


# nkilint: a: bfloat16[128, 128], b: bfloat16[128, 512]
@nki.jit
def added_to_what_no_product_began(a, b):
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=total, stationary=loaded(a, a.shape), moving=loaded(b, b.shape), accumulate=True)  # expect: NKI701
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=total)
    return stored(tile, (128, 512))


# nkilint: a: bfloat16[128, 128], b: bfloat16[128, 512]
@nki.jit
def added_to_zeros(a, b):
    total = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=total, stationary=loaded(a, a.shape), moving=loaded(b, b.shape), accumulate=True)  # expect: NKI505
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=total)
    return stored(tile, (128, 512))


# nkilint: a: bfloat16[256, 128], b: bfloat16[256, 512]
@nki.jit
def each_product_added(a, b):
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=total, value=0.0)
    for k in range(2):
        rows = nl.ds(128 * k, 128)
        nisa.nc_matmul(  # expect: NKI505
            dst=total,
            stationary=loaded(a[rows, :], (128, 128)),
            moving=loaded(b[rows, :], (128, 512)),
            accumulate=True,
        )
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=total)
    return stored(tile, (128, 512))


# nkilint: x: float32[128, 64]
@nki.jit
def made_twice(x):
    tile = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)  # expect: NKI411
    tile = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    return stored(tile, (128, 64), nl.bfloat16)


# nkilint: x: float32[128, 64]
@nki.jit
def one_generation_only(x):
    tile = loaded(x, x.shape)
    if nisa.get_nc_version() == nisa.nc_version.gen3:  # expect: NKI813
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def depends_on_how_often(x):
    tile = loaded(x, x.shape)
    if CALLS == 0:  # expect: NKI812
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: bfloat16[128, 128]
@nki.jit
def turned_into_floats(x):
    turned = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=loaded(x, x.shape))  # expect: NKI202
    tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=turned)
    return stored(tile, (128, 128))


# nkilint: x: float32[128, 64]
@nki.jit
def method_of_numpy(x):
    tile = loaded(x, x.shape)
    return stored(tile.astype(nl.bfloat16), (128, 64), nl.bfloat16)  # expect: NKI208


# nkilint: x: float32[128, 64]
@nki.jit
def method_of_torch(x):
    tile = loaded(x, x.shape)
    return stored(tile.contiguous(), (128, 64))  # expect: NKI208


# nkilint: x: float32[128, 64]
@nki.jit
def function_of_numpy(x):
    tile = loaded(x, x.shape)
    squares = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=squares, data1=tile, data2=tile, op=nl.dot)  # expect: NKI208
    return stored(squares, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def scales_that_change(x):
    tile = loaded(x, x.shape)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=SCALES[0])  # expect: NKI812
    return stored(tile, (128, 64))


def set_scales(values):
    SCALES.clear()
    SCALES.extend(values)


# --- silent ---


# nkilint: a: bfloat16[256, 128], b: bfloat16[256, 512]
@nki.jit
def first_product_begins(a, b):
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(2):
        rows = nl.ds(128 * k, 128)
        nisa.nc_matmul(
            dst=total,
            stationary=loaded(a[rows, :], (128, 128)),
            moving=loaded(b[rows, :], (128, 512)),
            accumulate=k > 0,
        )
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=total)
    return stored(tile, (128, 512))


# nkilint: a: bfloat16[256, 128], b: bfloat16[256, 512]
@nki.jit
def accumulates_by_itself(a, b):
    total = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.psum)
    for k in range(2):
        rows = nl.ds(128 * k, 128)
        nisa.nc_matmul(
            dst=total, stationary=loaded(a[rows, :], (128, 128)), moving=loaded(b[rows, :], (128, 512))
        )
    tile = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=total)
    return stored(tile, (128, 512))


# nkilint: x: float32[128, 64]
@nki.jit
def made_once_each(x):
    tile = loaded(x, x.shape)
    narrow = nl.ndarray((128, 64), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=narrow, src=tile)
    return stored(narrow, (128, 64), nl.bfloat16)


# nkilint: x: float32[128, 64]
@nki.jit
def from_one_generation_on(x):
    tile = loaded(x, x.shape)
    if nisa.get_nc_version() >= nisa.nc_version.gen3:
        nisa.activation(dst=tile, op=nl.exp, data=tile)
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def depends_on_a_constant(x):
    tile = loaded(x, x.shape)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0=EPSILON)
    return stored(tile, (128, 64))


# nkilint: x: bfloat16[128, 128]
@nki.jit
def turned_as_it_is(x):
    turned = nl.ndarray((128, 128), dtype=x.dtype, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=loaded(x, x.shape))
    tile = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=turned)
    return stored(tile, (128, 128))


# nkilint: x: float32[128, 64]
@nki.jit
def method_of_tiles(x):
    tile = loaded(x, x.shape)
    return stored(tile.reshape((128, 8, 8)).permute((0, 2, 1)), (128, 8, 8))


# nkilint: x: float32[128, 64]
@nki.jit
def function_of_the_language(x):
    tile = loaded(x, x.shape)
    squares = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_tensor(dst=squares, data1=tile, data2=tile, op=nl.multiply)
    return stored(squares, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def scales_of_the_caller(x, SCALES=(1.0, 2.0)):
    tile = loaded(x, x.shape)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=SCALES[0])
    return stored(tile, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def bound_anew_after_use(x):
    tile = loaded(x, x.shape)
    first = stored(tile, (128, 64))
    tile = loaded(x, x.shape)
    nisa.dma_copy(dst=first, src=tile)
    return first
