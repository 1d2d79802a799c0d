"""Python that the compiler of `nki` does not take, as kernels would use it (NKI803), and what stands in its place."""

import functools

import nki
import nki.isa as nisa
import nki.language as nl

SEED = 0x9E3779B97F4A7C15


def loaded(source, shape):
    tile = nl.ndarray(shape, dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def blended(left, right):
    return left * right  # expect: NKI803


def seeded(tile):
    mixed = SEED ^ 0x5555  # expect: NKI803
    nisa.memset(dst=tile, value=float(mixed % 7))


def rotated(tiles):
    tiles[0], tiles[-1] = tiles[-1], tiles[0]  # expect: NKI803


class Accumulator(nl.NKIObject):
    def __init__(self, tile):
        self.tile = tile

    def add(self, other):
        self.tile += other  # expect: NKI803


# --- found ---


# nkilint: x: float32[128, 256]
@nki.jit
def with_an_epilogue_of_its_own(x):
    def epilogue(tile):  # expect: NKI803
        nisa.activation(dst=tile, op=nl.gelu, data=tile)

    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, x.shape)
    epilogue(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256], y: float32[128, 256]
@nki.jit
def gated_by_a_helper(x, y):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=blended(loaded(x, x.shape), loaded(y, y.shape)))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def seeded_with_64_bits(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, x.shape)  # expect-warning: NKI708
    seeded(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[4, 128, 64]
@nki.jit
def buffers_that_change_places(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = []
    for i in range(4):
        tiles.append(loaded(x[i], (128, 64)))
    rotated(tiles)
    for i in range(4):
        nisa.dma_copy(dst=out[i], src=tiles[i])
    return out


# nkilint: x: float32[128, 256], y: float32[128, 256]
@nki.jit
def sum_in_an_object(x, y):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    total = Accumulator(loaded(x, x.shape))
    total.add(loaded(y, y.shape))
    nisa.dma_copy(dst=out, src=total.tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def residual_by_an_operator(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, x.shape)
    scaled = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.tensor_scalar(dst=scaled, data=tile, op0=nl.multiply, operand0=0.5)
    nisa.dma_copy(dst=out, src=1.0 - scaled)  # expect: NKI803
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def unpacked_into_an_item(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    sizes = [0, 0]
    sizes[0], width = x.shape  # expect: NKI803
    nisa.dma_copy(dst=out, src=loaded(x, (128, width)))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def mask_of_33_bits(x):
    limit = 2**33  # expect: NKI803
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, x.shape)
    if x.shape[1] < limit:
        nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[4, 128, 64]
@nki.jit
def parts_by_a_function_of_its_own(x):
    def part(i):  # expect: NKI803
        return loaded(x[i], (128, 64))

    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        nisa.dma_copy(dst=out[i], src=part(i))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def identity_of_dtypes(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, x.shape)
    if x.dtype is nl.float32:  # expect: NKI803
        nisa.dma_copy(dst=out, src=tile)
    else:
        nisa.dma_copy(dst=out, src=x)
    return out


# --- silent ---


def gelu(tile):
    nisa.activation(dst=tile, op=nl.gelu, data=tile)


def product(dst, left, right):
    nisa.tensor_tensor(dst=dst, data1=left, data2=right, op=nl.multiply)
    return dst


def exchanged(tiles):
    first, last = tiles[-1], tiles[0]
    tiles[0] = first
    tiles[-1] = last


class Sum(nl.NKIObject):
    def __init__(self, tile):
        self.tile = tile

    def add(self, other):
        nisa.tensor_tensor(dst=self.tile, data1=self.tile, data2=other, op=nl.add)


# nkilint: x: float32[128, 256]
@nki.jit
def with_an_epilogue(x, epilogue=gelu):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, x.shape)
    epilogue(tile)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256], y: float32[128, 256]
@nki.jit
def gated(x, y):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    left = loaded(x, x.shape)
    nisa.dma_copy(dst=out, src=product(left, left, loaded(y, y.shape)))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def seeded_with_32_bits(x):
    mixed = 0x9E3779B9 ^ 0x5555
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, x.shape)  # expect-warning: NKI708
    nisa.memset(dst=tile, value=float(mixed % 7))
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[4, 128, 64]
@nki.jit
def buffers_exchanged(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tiles = [loaded(x[i], (128, 64)) for i in range(4)]
    exchanged(tiles)
    for i in range(4):
        nisa.dma_copy(dst=out[i], src=tiles[i])
    return out


# nkilint: x: float32[128, 256], y: float32[128, 256]
@nki.jit
def sum_of_an_object(x, y):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    total = Sum(loaded(x, x.shape))
    total.add(loaded(y, y.shape))
    nisa.dma_copy(dst=out, src=total.tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def residual(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, x.shape)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=-0.5, op1=nl.add, operand1=1.0)
    nisa.dma_copy(dst=out, src=tile)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def guarded_by_an_if(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    width = x.shape[1] if len(x.shape) > 1 else 1
    nisa.dma_copy(dst=out, src=loaded(x, (128, width)))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def largest_of_32_bits(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape[1] < 2**31 - 1
    nisa.dma_copy(dst=out, src=loaded(x, x.shape))
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def equality_of_dtypes(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = loaded(x, x.shape)
    if x.dtype == nl.float32:
        nisa.dma_copy(dst=out, src=tile)
    else:
        nisa.dma_copy(dst=out, src=x)
    return out


def host_launch(x):
    """Host code may do all of this."""

    def twice(value):
        return value - 2**40

    try:
        pairs = [(i, twice(i)) for i in range(3)]
        pairs[0], pairs[1] = pairs[1], pairs[0]
    except ValueError:
        pairs = []
    return functools.reduce(lambda a, b: a, pairs)


# nkilint: x: float32[128, 256]
@nki.jit
def unpacked_into_names(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    rows, columns = x.shape
    rows, columns = columns // 2, rows * 2
    nisa.dma_copy(dst=out, src=loaded(x, (rows, columns)))
    return out
