"""Loops that run nobody knows how often: what they do inside is judged, and what they change is unknown afterwards."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


# nkilint: x: float32[128, 64]
@nki.jit
def over_something(x, table):  # expect: NKI003
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for name in table.keys():
        spare = nl.zeros((256, 64), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI101
        print(name, spare)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def over_something_in_range(x, table):  # expect: NKI003
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for name in table.keys():
        spare = nl.zeros((128, 64), dtype=nl.float32, buffer=nl.sbuf)
        print(name, spare)
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def as_often_as_a_file_says(x, path):  # expect: NKI003
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(int(open(path).read())):
        nl.store(out[0:128, 0:64], nl.load(x[0:128, 0:65]))  # expect: NKI204  # expect: NKI301
        nl.store(x, nl.load(x))  # expect: NKI207
        print(missing)  # expect: NKI808
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def filled_perhaps(x, path):  # expect: NKI003
    """The loop may run not at all: the output is neither written for certain nor never."""
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(int(open(path).read())):
        nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def columns_of_which_nothing_is_known(x, path):  # expect: NKI003
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(int(open(path).read())):
        nl.store(out[0:128, i : i + 1], nl.load(x[0:128, i : i + 1]))
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def changed_afterwards(x, path):  # expect: NKI003
    """`width` is not 64 any more where the loop ran."""
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    width = 64
    for _ in range(int(open(path).read())):
        width = width * 3 // 2
    nl.store(out[0:128, 0:width], nl.load(x[0:128, 0:width]))
    nl.store(out, nl.load(x))
    return out


# nkilint: x: float32[128, 64]
@nki.jit
def trips_by_a_power(x, depth):
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in nl.affine_range(2**depth):
        nl.store(x[0:64, i : i + 1], value=nl.load(x[0:64, i : i + 1]))  # expect: NKI207  # expect-warning: NKI301 2**depth <= 64
        print(missing + i)  # expect: NKI808
    nl.store(out, nl.load(x))
    return out
