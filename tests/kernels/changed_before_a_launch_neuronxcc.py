"""Launches that come after functions changed what kernels hang on, by name or not, and some that come without."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np

MODE = "narrow"
WIDTH = 4096
LIMIT = 4096


def configure(name, value):
    globals()[name] = value


@nki.jit
def asserted(x):  # expect: NKI003
    assert MODE == "wide"
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:WIDTH])
    nl.store(out[0:128, 0:512], tile[0:128, 0:512])
    return out


@nki.jit
def indexed(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:LIMIT])  # expect: NKI301 x.shape[0] >= 128  # expect: NKI301 x.shape[1] >= 4096
    nl.store(out[0:128, 0:512], tile[0:128, 0:512])
    return out


@nki.jit
def bound_by_name(x):  # expect: NKI003
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:DEPTH])
    nl.store(out[0:128, 0:512], tile[0:128, 0:512])
    return out


@nki.jit
def of_a_size_of_its_own(x):
    out = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.load(x[0:128, 0:513])  # expect: NKI301
    nl.store(out[0:128, 0:512], tile[0:128, 0:512])
    return out


def test_launches():
    x = np.zeros((128, 512), dtype=np.float32)
    configure("MODE", "wide")
    configure("WIDTH", 512)
    configure("LIMIT", 512)
    configure("DEPTH", 512)
    asserted(x)
    indexed(x)
    bound_by_name(x)
    of_a_size_of_its_own(x)
