"""Tiles on the chip that are made without any dimension (NKI105), and tiles of one element."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


# --- found ---


# nkilint: x: float32[128, 512]
@nki.jit
def of_zeros(x):
    total = nl.zeros((), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI105
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.add(nl.load(x), total))
    return output


# nkilint: x: float32[128, 512]
@nki.jit
def what_the_shape_leaves(x):
    kept = nl.full(x.shape[2:], 1.0, dtype=nl.float32, buffer=nl.psum)  # expect: NKI105
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output, value=nl.load(x))
    return output


# --- right ---


# nkilint: x: float32[128, 512]
@nki.jit
def of_one_element(x):
    output = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    one = nl.full((1, 1), 1.0, dtype=nl.float32)
    nl.store(output, value=nl.add(nl.load(x), one.broadcast_to((128, 512))))
    return output
