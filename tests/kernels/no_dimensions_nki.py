"""Tiles on the chip that are made, or seen, without any dimension (NKI105), and shapes that look like it."""

import nki
import nki.isa as nisa
import nki.language as nl


def copied(x):
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.dma_copy(dst=output, src=tile)
    return output


# --- found ---


# nkilint: x: float32[128, 512]
@nki.jit
def made_and_filled(x):
    t = nl.ndarray((), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI105
    nisa.memset(dst=t, value=0.0)
    return copied(x)


# nkilint: x: float32[128, 512]
@nki.jit
def what_the_shape_leaves(x):
    t = nl.ndarray(x.shape[2:], dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI105
    nisa.dma_copy(dst=t, src=x[0, 0])
    return copied(x)


# nkilint: x: float32[128, 512]
@nki.jit
def of_zeros_in_psum(x):
    t = nl.zeros((), dtype=nl.float32, buffer=nl.psum)  # expect: NKI105
    u = nl.ndarray((128, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.tensor_copy(dst=u, src=t)
    return copied(x)


# nkilint: x: float32[128, 512]
@nki.jit
def seen_as_a_scalar(x):
    t = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t, value=1.0)
    u = t.reshape(())  # expect: NKI105
    nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=u)
    return copied(x)


# nkilint: x: float32[128, 512]
@nki.jit
def list_of_no_sizes(x):
    sizes = [n for n in x.shape if n < 0]
    t = nl.ndarray(tuple(sizes), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI105
    nisa.memset(dst=t, value=0.0)
    return copied(x)


# nkilint: x: float32[128, 512]
@nki.jit
def in_a_loop(x):
    for _ in range(2):
        t = nl.ndarray((), dtype=nl.bfloat16, buffer=nl.psum)  # expect: NKI105
        nisa.memset(dst=t, value=0.0)
    return copied(x)


# --- right ---


# nkilint: x: float32[128, 512]
@nki.jit
def of_one_element(x):
    t = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t, value=0.0)
    return copied(x)


# nkilint: x: float32[128, 512]
@nki.jit
def scalar_in_hbm(x):
    t = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x[0, 0])  # expect: NKI210
    return copied(x)


# nkilint: x: float32[128, 512]
@nki.jit
def seen_as_a_row(x):
    t = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=t.reshape((1, 2, 2)), value=1.0)
    return copied(x)
