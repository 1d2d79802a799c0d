"""Records that stay what they are, keys that are not there, and numbers that are gone over, in Beta 1."""

from dataclasses import dataclass

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@dataclass(frozen=True)
class Fixed:
    tile: int = 3


def copied(x, out):
    nl.store(out, value=nl.load(x[0:128, 0:64]))
    return out


@nki.jit
def field_set(x):
    assert x.shape == (128, 64)
    config = Fixed()
    config.tile = 2  # expect: NKI808
    return copied(x, nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm))


@nki.jit
def key_deleted(x):
    assert x.shape == (128, 64)
    sizes = {"rows": x.shape[0]}
    del sizes["row"]  # expect: NKI808
    return copied(x, nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm))


@nki.jit
def least_of_a_rest(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    size = min(rows - 128)  # expect: NKI809
    return copied(x, nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm))


@nki.jit
def as_it_should_be(x):
    rows, columns = x.shape
    assert rows >= 128 and columns >= 64
    config, sizes = Fixed(tile=min(rows, 128)), {"rows": rows}
    del sizes["rows"]
    assert config.tile == 128 and not sizes
    return copied(x, nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm))
