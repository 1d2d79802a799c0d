"""Access patterns of tiles: what one partition is read from has to lie in that partition."""

import nki
import nki.isa as nisa
import nki.language as nl


def load(x):
    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    return t


# nkilint: x: float32[128, 514]
@nki.jit
def window_too_wide(x):
    t = load(x)
    r = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=r, op=nl.add, data=t.ap(pattern=[[514, 64], [1, 512], [1, 4]]), axis=2)  # expect: NKI301
    out = nl.ndarray(r.shape, dtype=r.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=r)
    return out


# nkilint: x: float32[128, 514]
@nki.jit
def window_too_wide_in_all(x):
    t = load(x)
    r = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=r, op=nl.add, data=t.ap(pattern=[[514, 128], [1, 512], [1, 4]]), axis=2)  # expect: NKI301
    out = nl.ndarray(r.shape, dtype=r.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=r)
    return out


# nkilint: x: float32[128, 514]
@nki.jit
def window_that_fits(x):
    t = load(x)
    r = nl.ndarray((64, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_reduce(dst=r, op=nl.add, data=t.ap(pattern=[[514, 64], [1, 512], [1, 3]], offset=64 * 514), axis=2)
    out = nl.ndarray(r.shape, dtype=r.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=r)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def offset_in_the_row(x):
    t = load(x)
    out = nl.ndarray((4, 64, 129), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        r = nl.ndarray((64, 129), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=r, src=t.ap(pattern=[[512, 64], [1, 129]], offset=i * 128))  # expect: NKI301
        nisa.dma_copy(dst=out[i], src=r)
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def offset_that_fits_in_the_row(x):
    t = load(x)
    out = nl.ndarray((4, 64, 128), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(4):
        r = nl.ndarray((64, 128), dtype=nl.float32, buffer=nl.sbuf)
        nisa.tensor_copy(dst=r, src=t.ap(pattern=[[512, 64], [1, 128]], offset=i * 128))
        nisa.dma_copy(dst=out[i], src=r)
    return out


# nkilint: x: float32[128, N]
@nki.jit
def every_other_of_a_row(x):
    N = x.shape[1]
    t = load(x)
    r = nl.ndarray((128, N // 2), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=r, src=t.ap(pattern=[[N, 128], [2, N // 2]], offset=0))
    out = nl.ndarray(r.shape, dtype=r.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=r)
    return out


# nkilint: x: float32[128, N]
@nki.jit
def neighbours_in_a_row(x):
    N = x.shape[1]
    assert N > 1
    t = load(x)
    r = nl.ndarray((64, N), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=r, src=t.ap(pattern=[[N, 64], [1, N]], offset=1))  # expect: NKI301
    out = nl.ndarray(r.shape, dtype=r.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=r)
    return out


# nkilint: x: float32[128, 256]
@nki.jit
def rows_as_another_type(x):
    t = load(x)
    r = nl.ndarray((128, 512), dtype=nl.bfloat16, buffer=nl.sbuf)
    nisa.tensor_copy(dst=r, src=t.ap(pattern=[[512, 128], [1, 512]], dtype=nl.bfloat16))
    out = nl.ndarray(r.shape, dtype=r.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=r)
    return out


# nkilint: x: float32[256, 128]
@nki.jit
def rows_of_memory(x):
    r = nl.ndarray((64, 192), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=r, src=x.ap(pattern=[[128, 64], [1, 192]]))
    out = nl.ndarray(r.shape, dtype=r.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=r)
    return out
