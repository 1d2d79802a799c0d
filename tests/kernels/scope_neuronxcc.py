"""Names, calls and comparisons in a file that knows NKI, in functions that no kernel reaches, and in its tests."""

import itertools

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np
import pytest


def reference(x, scale, *, bias=None):
    out = x * scale
    return out if bias is None else out + bias


def make(shape, dtype=np.float32):
    return np.random.rand(*shape).astype(dtype)


# nkilint: x: float32[128, 64]
@nki.jit
def doubled(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, value=nl.multiply(nl.load(x), 2.0))
    return out


# --- found ---


@pytest.mark.parametrize("rows", [128])
def test_doubled(rows):
    x = make((rows, 64))
    want = reference(x, 2.0)
    got = nki.simulate_kernel(doubled, x)
    assert np.allclose(got, got)  # expect-warning: NKI810


def test_bias():
    x = make((128, 64))
    want = reference(x, 2.0, bais=x)  # expect: NKI809
    assert np.allclose(nki.simulate_kernel(doubled, x), want)


def test_scale():
    x = make((128, 64))
    want = reference(x)  # expect: NKI809
    assert np.allclose(nki.simulate_kernel(doubled, x), want)


def test_many():
    for rows in (128,):
        x = make((rows, 64))
        got = nki.simulate_kernel(doubled, x)
        assert np.allclose(got, expected)  # expect-warning: NKI808
        expected = reference(x, 2.0)


def test_options():
    x = make((128, 64), np.float32, "cpu")  # expect: NKI809
    assert x.shape == (128, 64)


def benchmark(sizes):
    for size in sizes:
        if size > 512:
            continue
        result = make((128, size))
    return result  # expect-warning: NKI808


def pairs(rows, columns):
    return list(itertools.product(rows, colums))  # expect: NKI808


def main(argv):
    if len(argv) > 1:
        shape = tuple(map(int, argv[1:]))
    elif argv:
        print("shape")
    return doubled(make(shape))  # expect-warning: NKI808


def summary(results):
    for name, value in results.items():
        print(name, value, unit)  # expect: NKI808


class Suite:
    shapes = [(128, 64)]

    def run(self):
        for shape in shapes:  # expect: NKI808
            yield make(shape)


def compare(a, b):
    if a.dtype != a.dtype:  # expect-warning: NKI810
        raise TypeError
    return np.array_equal(a, b)


# --- silent ---


def test_doubled_well():
    x = make((128, 64))
    assert np.allclose(nki.simulate_kernel(doubled, x), reference(x, 2.0))


def test_twice_gives_the_same():
    x = make((128, 64))
    assert np.array_equal(nki.simulate_kernel(doubled, x), nki.simulate_kernel(doubled, x))


def test_bias_well():
    x = make((128, 64))
    assert reference(x, 2.0, bias=x).shape == x.shape


def benchmark_of_one(sizes):
    result = None
    for size in sizes:
        if size <= 512:
            result = make((128, size))
    return result


def benchmark_of_three():
    for size in (128, 256, 512):
        result = make((128, size))
    return result


def main_with_a_default(argv):
    if len(argv) > 1:
        shape = tuple(map(int, argv[1:]))
    else:
        shape = (128, 64)
    return doubled(make(shape))


def main_that_ends(argv):
    if len(argv) < 2:
        raise SystemExit("shape")
    else:
        shape = tuple(map(int, argv[1:]))
    return doubled(make(shape))


class WholeSuite:
    shapes = [(128, 64)]

    def run(self):
        return [make(shape) for shape in self.shapes]


def optional():
    try:
        import torch
    except ImportError:
        torch = None
    return torch


def retried(count):
    while True:
        try:
            value = make((128, 64))
        except MemoryError:
            count -= 1
            if not count:
                raise
        else:
            break
    return value


def is_nan(value):
    return value != value
