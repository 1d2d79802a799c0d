"""Imports in kernels, of what Python's modules have in all versions, in some, and in none."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def misspelt(x):
    from math import ceill  # expect: NKI808

    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, 0:64]))
    return out


@nki.jit
def replaced(x):
    try:
        from math import ceill
    except ImportError:
        from math import ceil as ceill
    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, 0 : 64 * ceill(0.5)]))
    return out


@nki.jit
def there(x):
    from math import ceil

    assert x.shape == (128, 64)
    out = nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x[0:128, 0 : 64 * ceil(0.5)]))
    return out
