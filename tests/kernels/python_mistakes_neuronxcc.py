"""What Python has no meaning for: names that its modules lack, and None compared with numbers."""

import itertools
import math

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


def copied(output, x, parts):
    for part in parts:
        columns = nl.ds(part * 128, 128)
        nl.store(output[0:128, columns], value=nl.load(x[0:128, columns]))
    return output


@nki.jit
def misspelt_function(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    return copied(output, x, range(math.ceill(x.shape[1] / 128)))  # expect: NKI808


@nki.jit
def well_spelt_function(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    return copied(output, x, range(math.ceil(x.shape[1] / 128)))


@nki.jit
def misspelt_iterator(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    return copied(output, x, [2 * i + j for i, j in itertools.products(range(2), range(2))])  # expect: NKI808


@nki.jit
def function_of_some_versions(x):  # expect: NKI003
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    return copied(output, x, [first for first, *_ in itertools.batched(range(4), 1)])


@nki.jit
def function_that_is_asked_for(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    parts = math.isqrtt(16) if hasattr(math, "isqrtt") else math.isqrt(16)
    return copied(output, x, range(getattr(math, "floored", math.floor)(parts)))


@nki.jit
def function_that_is_missed(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    try:
        parts = math.isqrtt(16)
    except AttributeError:
        parts = 4
    return copied(output, x, range(parts))


@nki.jit
def more_than_none(x):  # expect: NKI003
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    most = {"parts": None}["parts"]
    parts = 4
    if parts > most:  # expect: NKI809
        parts = most
    return copied(output, x, range(parts))


@nki.jit
def no_less_than_none(x):  # expect: NKI003
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)

    def limited(parts, most):
        while parts >= most:  # expect: NKI809
            parts -= 1
        return parts

    return copied(output, x, range(limited(4, None)))


@nki.jit
def none_by_default(x, most=None):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    parts = 4
    if most is not None and parts > most:
        parts = most
    return copied(output, x, range(4 if parts >= 0 else 0))


@nki.jit
def none_that_raises(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    try:
        parts = 4 if 4 < None else 3
    except TypeError:
        parts = 4
    return copied(output, x, range(parts))


class Tiling:
    columns = 128


@nki.jit
def misspelt_in_the_head_of_a_loop(x):
    assert x.shape[0] == 128 and x.shape[1] == 512
    tiling, named = Tiling(), {"columns": 128}
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for _ in range(x.shape[1] // 512):
        for part in range(512 // tiling.column):  # expect: NKI808
            copied(output, x, [part])
        for part in range(512 // named["columns"]):
            copied(output, x, [part])
    return output


@nki.jit
def none_in_a_loop(x):
    assert x.shape[0] == 128
    last = None
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for part in range(x.shape[1] // 128):
        copied(output, x, [part + last])  # expect: NKI809
    return output


@nki.jit
def none_where_another_test_says_so(x):
    assert x.shape[0] == 128 and x.shape[1] >= 512
    last = None
    if x.shape[1] > 1023:
        last = 3
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for part in range(4):
        if x.shape[1] >= 1024:
            part = last - part
        copied(output, x, [part])
    return output
