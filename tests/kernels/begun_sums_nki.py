"""Matmuls that add to PSUM: to what no matmul began (NKI701, NKI505), and after one did, however the flag comes about."""

import nki
import nki.isa as nisa
import nki.language as nl


def loaded(source, rows=128, columns=128):
    tile = nl.ndarray((rows, columns), dtype=source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def drained(sums, shape):
    tile = nl.ndarray(shape, dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=tile, src=sums)
    out = nl.ndarray(shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


class Accumulator(nl.NKIObject):
    """A tile of PSUM that knows whether a product has begun it."""

    def __init__(self, shape, begun):
        self.sums = nl.ndarray(shape, dtype=nl.float32, buffer=nl.psum)
        self.begun = begun

    def add(self, left, right):
        nisa.nc_matmul(dst=self.sums, stationary=left, moving=right, accumulate=self.begun)  # expect: NKI701
        self.begun = True


class Fresh(nl.NKIObject):
    def __init__(self, shape):
        self.sums = nl.ndarray(shape, dtype=nl.float32, buffer=nl.psum)
        self.count = 0

    def add(self, left, right):
        nisa.nc_matmul(dst=self.sums, stationary=left, moving=right, accumulate=self.count > 0)
        self.count += 1


# --- found ---


# nkilint: a: bfloat16[256, 128]
@nki.jit
def begun_by_an_object_that_says_so(a):
    total = Accumulator((128, 128), True)
    for k in range(2):
        tile = loaded(a[128 * k : 128 * k + 128, :])
        total.add(tile, tile)
    return drained(total.sums, (128, 128))


# nkilint: a: bfloat16[512, 128]
@nki.jit
def flag_of_the_last_product(a):
    """It starts over with the last one and adds before."""
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for k in range(4):
        tile = loaded(a[128 * k : 128 * k + 128, :])
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=k < 3)  # expect: NKI506  # expect: NKI701
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[512, 128]
@nki.jit
def each_half_but_the_first_column(a):
    """The second half is begun by nobody."""
    sums = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.psum)
    for k in range(4):
        tile = loaded(a[128 * k : 128 * k + 128, :])
        half = sums[:, 128 * (k % 2) : 128 * (k % 2) + 128]
        nisa.nc_matmul(dst=half, stationary=tile, moving=tile, accumulate=k != 0)  # expect: NKI701
    return drained(sums, (128, 256))


# nkilint: a: bfloat16[128, 128], bias: float32[128, 128]
@nki.jit
def added_to_a_bias(a, bias):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.tensor_copy(dst=sums, src=loaded(bias))
    tile = loaded(a)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=True)  # expect: NKI505
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[128, 128]
@nki.jit
def filled_in_a_list_of_tiles(a):
    tile = loaded(a)
    banks = [nl.zeros((128, 128), dtype=nl.float32, buffer=nl.psum) for _ in range(2)]
    for bank in banks:
        nisa.nc_matmul(dst=bank, stationary=tile, moving=tile, accumulate=True)  # expect: NKI505
    first = drained(banks[0], (128, 128))
    return first, drained(banks[1], (128, 128))


# nkilint: a: bfloat16[256, 128]
@nki.jit
def number_for_a_flag(a):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=sums, value=0.0)
    step = 0
    while step < 2:
        tile = loaded(a[128 * step : 128 * step + 128, :])
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=step >= 0)  # expect: NKI505
        step += 1
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[R, 128], R % 128 == 0
@nki.jit
def begun_by_the_second_of_any_number(a):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for k in range(a.shape[0] // 128):
        tile = loaded(a[nl.ds(128 * k, 128), :])
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=k != 1)  # expect: NKI506  # expect: NKI701
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[128, 128]
@nki.jit
def begun_in_one_of_two_branches(a, fresh=False):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    tile = loaded(a)
    if fresh:
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=False)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=True)  # expect: NKI701
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[128, 128]
@nki.jit
def transposed_before(a):
    """A transposition is no product that begins a sum of floats: it writes the tile's own type."""
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    tile = loaded(a)
    nisa.activation(dst=sums, op=nl.exp, data=tile)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=True)  # expect: NKI505
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[128, 128]
@nki.jit
def columns_that_nobody_began(a):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    tile = loaded(a)
    nisa.nc_matmul(dst=sums[:, 0:64], stationary=tile, moving=tile[:, 0:64], accumulate=False)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=True)  # expect: NKI701
    return drained(sums, (128, 128))


# --- silent ---


# nkilint: a: bfloat16[256, 128]
@nki.jit
def begun_by_an_object_that_counts(a):
    total = Fresh((128, 128))
    for k in range(2):
        tile = loaded(a[128 * k : 128 * k + 128, :])
        total.add(tile, tile)
    return drained(total.sums, (128, 128))


# nkilint: a: bfloat16[512, 128]
@nki.jit
def flag_of_all_but_the_first(a):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for k in range(3, -1, -1):
        tile = loaded(a[128 * k : 128 * k + 128, :])
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=k < 3)
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[512, 128]
@nki.jit
def each_half_is_begun(a):
    sums = nl.ndarray((128, 256), dtype=nl.float32, buffer=nl.psum)
    for k in range(4):
        tile = loaded(a[128 * k : 128 * k + 128, :])
        half = sums[:, 128 * (k % 2) : 128 * (k % 2) + 128]
        nisa.nc_matmul(dst=half, stationary=tile, moving=tile, accumulate=k > 1)
    return drained(sums, (128, 256))


# nkilint: a: bfloat16[128, 128], bias: float32[128, 128]
@nki.jit
def bias_added_behind(a, bias):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    tile, offset = loaded(a), loaded(bias)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=False)
    nisa.tensor_tensor(dst=offset, data1=sums, data2=offset, op=nl.add)
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=offset)
    return out


# nkilint: a: bfloat16[128, 128]
@nki.jit
def overwritten_in_a_list_of_tiles(a):
    tile = loaded(a)
    banks = []
    for _ in range(2):
        banks.append(nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum))
    for bank in banks:
        nisa.nc_matmul(dst=bank, stationary=tile, moving=tile, accumulate=False)
    first = drained(banks[0], (128, 128))
    return first, drained(banks[1], (128, 128))


# nkilint: a: bfloat16[256, 128]
@nki.jit
def left_to_the_compiler(a):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    step = 0
    while step < 2:
        tile = loaded(a[128 * step : 128 * step + 128, :])
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile)
        step += 1
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[R, 128], R % 128 == 0
@nki.jit
def begun_by_the_first_of_any_number(a):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for k in range(a.shape[0] // 128):
        tile = loaded(a[nl.ds(128 * k, 128), :])
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=k != 0)
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[128, 128]
@nki.jit
def begun_in_both_branches(a, fresh=False):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    tile = loaded(a)
    if fresh:
        nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=False)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=fresh)
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[128, 128]
@nki.jit
def filled_and_overwritten(a):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.memset(dst=sums, value=0.0)
    tile = loaded(a)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=False)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=True)
    return drained(sums, (128, 128))


# nkilint: a: bfloat16[128, 128]
@nki.jit
def columns_that_were_begun(a):
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    tile = loaded(a)
    for c in range(2):
        part = nl.ds(64 * c, 64)
        nisa.nc_matmul(dst=sums[:, part], stationary=tile, moving=tile[:, part], accumulate=False)
    nisa.nc_matmul(dst=sums, stationary=tile, moving=tile, accumulate=True)
    return drained(sums, (128, 128))
