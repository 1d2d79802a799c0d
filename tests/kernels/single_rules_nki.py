"""Rules of one line each, beside what is right."""

import nki
import nki.isa as nisa
import nki.language as nl

TABLE = {"scale": 1.0}
CACHE = []


def remember(value):
    CACHE.append(value)
    TABLE["scale"] = value


def tile(rows=128, columns=128, dtype=nl.float32, buffer=nl.sbuf, value=0.0):
    made = nl.ndarray((rows, columns), dtype=dtype, buffer=buffer)
    nisa.memset(dst=made, value=value)
    return made


def stored(made):
    out = nl.ndarray(made.shape, dtype=made.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=made)
    return out


@nki.jit
def accumulates_on_a_fill():
    sums = tile(128, 128, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=tile(), moving=tile(), accumulate=True)  # expect: NKI505
    t = tile()
    nisa.tensor_copy(dst=t, src=sums)
    return stored(t)


@nki.jit
def accumulates_on_zeros():
    sums = nl.zeros((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=tile(), moving=tile(), accumulate=True)  # expect: NKI505
    t = tile()
    nisa.tensor_copy(dst=t, src=sums)
    return stored(t)


@nki.jit
def accumulates_on_nothing():
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_matmul(dst=sums, stationary=tile(), moving=tile(), accumulate=True)  # expect: NKI701
    t = tile()
    nisa.tensor_copy(dst=t, src=sums)
    return stored(t)


@nki.jit
def begins_and_goes_on():
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    for k in range(4):
        nisa.nc_matmul(dst=sums, stationary=tile(), moving=tile(), accumulate=k > 0)
    t = tile()
    nisa.tensor_copy(dst=t, src=sums)
    return stored(t)


@nki.jit
def rebound_in_a_loop():
    for i in range(2):
        t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
        t = tile(128, 64, value=1.0)
    return stored(t)


@nki.jit
def rebound_by_a_view():
    t = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t, value=1.0)
    t = t.reshape((128, 8, 8))
    out = nl.ndarray((128, 8, 8), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def exact_generation():
    t = tile()
    if nisa.get_nc_version() == nisa.nc_version.gen3:  # expect: NKI813
        nisa.memset(dst=t, value=2.0)
    return stored(t)


@nki.jit
def that_generation_or_later():
    t = tile()
    if nisa.get_nc_version() >= nisa.nc_version.gen3:
        nisa.memset(dst=t, value=2.0)
    return stored(t)


@nki.jit
def reads_a_table():
    t = tile(value=TABLE["scale"])  # expect: NKI812
    return stored(t)


@nki.jit
def reads_a_cache():
    t = tile()
    for v in CACHE:
        nisa.memset(dst=t, value=v)
    return stored(t)


@nki.jit
def dma_from_psum():
    sums = tile(128, 128, buffer=nl.psum)
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=sums)  # expect: NKI201
    return out


@nki.jit
def transposed_to_another_type():
    sums = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=sums, data=tile(dtype=nl.bfloat16))  # expect: NKI202
    t = tile()
    nisa.tensor_copy(dst=t, src=sums)
    return stored(t)


@nki.jit
def transposed_to_its_type():
    sums = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=sums, data=tile(dtype=nl.bfloat16))
    t = tile(dtype=nl.bfloat16)
    nisa.tensor_copy(dst=t, src=sums)
    return stored(t)


# nkilint: x: float32[1, 512]
@nki.jit
def broadcast_by_dma(x):
    t = tile(128, 512)
    nisa.dma_copy(dst=t, src=x.ap(pattern=[[0, 128], [1, 512]]))
    return stored(t)


# nkilint: x: float32[128, 128]
@nki.jit
def dma_transpose_of_floats(x):
    t = tile(128, 128)
    nisa.dma_transpose(dst=t, src=x)
    return stored(t)


# nkilint: x: bfloat16[128, 128]
@nki.jit
def dma_transpose_of_halves(x):
    t = tile(128, 128, nl.bfloat16)
    nisa.dma_transpose(dst=t, src=x)
    return stored(t)


# nkilint: x: float32[512, 128], w: int32[1, 4]
@nki.jit
def pattern_as_offset(x, w):
    k = nl.ndarray((1, 4), dtype=nl.int32, buffer=nl.sbuf)
    nisa.dma_copy(dst=k, src=w)
    t = tile(128, 128)
    nisa.dma_copy(
        dst=t,
        src=x.ap(pattern=[[128, 128], [1, 128]], scalar_offset=k.ap(pattern=[[4, 1], [1, 1]], offset=2)),
    )
    return stored(t)


@nki.jit
def reduced_activation():
    t, s = tile(), tile(128, 1)
    nisa.activation_reduce(dst=t, op=nl.exp, data=t, reduce_op=nl.multiply, reduce_res=s)
    return stored(t)


@nki.jit
def reduced_activation_good():
    t, s = tile(), tile(128, 1)
    nisa.activation_reduce(dst=t, op=nl.exp, data=t, reduce_op=nl.add, reduce_res=s)
    return stored(t)
