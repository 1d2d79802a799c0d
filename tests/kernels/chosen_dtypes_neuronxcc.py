"""Dtypes that branches and conditional expressions choose are those of tensors under the same conditions."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


# nkilint: x: bfloat16[128, 128]
@nki.jit
def copied_as_asked(x, n):
    dtype = nl.float32 if n > 256 else nl.bfloat16
    out = nl.ndarray((128, 128), dtype=dtype, buffer=nl.shared_hbm)
    tile = nl.copy(nl.load(x), dtype=dtype)
    more = nl.zeros((128, 128), dtype=dtype, buffer=nl.sbuf)
    nl.store(out, nl.add(tile, more, dtype=dtype))
    return out


# nkilint: x: bfloat16[128, 128]
@nki.jit
def loaded_as_asked(x, n):
    if n > 256:
        dtype = nl.float32
    else:
        dtype = nl.bfloat16
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x, dtype=dtype))
    return out


# nkilint: x: bfloat16[128, 128]
@nki.jit
def seen_as_asked(x, n):
    dtype = nl.float16 if n > 256 else nl.bfloat16
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, tile.view(dtype))
    return out


# nkilint: x: bfloat16[128, 128]
@nki.jit
def seen_as_narrower_ones(x, n):
    dtype = nl.int8 if n > 256 else nl.bfloat16
    out = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.load(x)
    nl.store(out, tile.view(dtype))  # expect-warning: NKI204 n <= 256
    return out
