"""Trip counts and steps that numpy computes of sizes."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np


# nkilint: x: float32[256, 512]
@nki.jit
def rounded_and_cast(x):  # expect: NKI003
    out = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(np.ceil(x.shape[0] / 128).astype(int)):
        tile = nl.load(x[nl.ds(128 * i, 129), :])  # expect: NKI101  # expect: NKI301
        nl.store(out[nl.ds(128 * i, 129), :], value=tile)  # expect: NKI301
    return out


# nkilint: x: float32[256, 512]
@nki.jit
def common_divisor(x):
    out = nl.ndarray((256, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    step = np.gcd(x.shape[0], 96)
    for i in range(x.shape[0] // step):
        nl.store(out[nl.ds(step * i, step), :], value=nl.load(x[nl.ds(step * i, step), :]))
    return out


# nkilint: x: float32[128, 512]
@nki.jit
def common_multiple(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    step = np.lcm(64, 32)
    for i in range(2):
        nl.store(out[nl.ds(step * i, step), :], value=nl.load(x[nl.ds(step * i, step), :]))
    return out


@nki.jit
def whole_tiles(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape[0] % 128 == 0 and x.shape[1] == 512
    for i in range(np.floor_divide(x.shape[0], 128)):
        nl.store(out[nl.ds(128 * i, 128), :], value=nl.load(x[nl.ds(128 * i, 128), :]))
    return out
