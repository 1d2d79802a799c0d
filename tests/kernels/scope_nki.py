"""Names, calls and comparisons in a file that knows NKI, in functions that no kernel reaches."""

import functools
import os
from dataclasses import dataclass, field

import nki
import nki.isa as nisa
import nki.language as nl
import numpy as np


@dataclass
class Shape:
    rows: int
    columns: int
    dtype: object = np.float32


@dataclass
class Padded(Shape):
    pad: int = field(default=0, kw_only=True)


class Runner:
    kind = "baseline"

    def __init__(self, kernel, *, warmup):
        self.kernel = kernel
        self.warmup = warmup

    def measure(self, count, *inputs):
        times = [self.kernel(*inputs) for _ in range(count)]
        return np.percentile(times, 50)

    @classmethod
    def of(cls, kernel):
        return cls(kernel, warmup=1)

    @staticmethod
    def label(name, suffix=""):
        return name + suffix


# --- found ---


def bytes_of_a_row(tensor):
    return product(tensor.shape[1:]) * tensor.dtype.itemsize  # expect: NKI808


def last_positive(values):
    for value in values:
        if value < 0:
            return found  # expect-warning: NKI808
        if value % 2:
            found = value
    return None


def best_time(results):
    for result in results:
        if result.ok:
            best = result.time
    return best  # expect-warning: NKI808


def configured():
    if "NKI_TARGET" in os.environ:
        target = os.environ["NKI_TARGET"]
    return target  # expect-warning: NKI808


def check_result(expected, actual):
    np.testing.assert_allclose(expected, expected, rtol=1e-3)  # expect-warning: NKI810
    return actual


def check_shapes(a, b):
    assert a.shape == a.shape  # expect-warning: NKI810
    return b


def shape_of(matrix):
    return Shape(rows=matrix.shape[0])  # expect: NKI809


def padded(matrix):
    return Padded(matrix.shape[0], 64, np.float32, 4)  # expect: NKI809


def measured(kernel, inputs):
    runner = Runner(kernel, warmup=2, repeat=3)  # expect: NKI809
    return runner.measure(*inputs)


def labelled(name):
    return Runner.label(name, prefix="x")  # expect: NKI809


def opened(path):
    try:
        handle = open(path)
    except OSError as error:
        message = str(error)
        print(message)
    return handle  # expect-warning: NKI808


def stacked(arrays):
    return np.stack(arrays, axis=axis)  # expect: NKI808


def counted(values):
    def visit(value):
        total += value  # expect: NKI808
        return total

    total = 0
    return [visit(value) for value in values]


def after_the_end(values):
    return sorted(values)
    values.clear()  # expect-warning: NKI810


def table_of_tests():
    return {"small": (128, 512), "large": (PARTITIONS, 2048)}  # expect: NKI808


@functools.lru_cache(maxsize=None)
def reference(name):
    return getattr(numpy, name)  # expect: NKI808


# --- silent ---


def product_of(values):
    return functools.reduce(lambda a, b: a * b, values, 1)


def last_even(values):
    found = None
    for value in values:
        if value < 0:
            return found
        if value % 2 == 0:
            found = value
    return found


def best_of(results):
    best = min((result.time for result in results if result.ok), default=None)
    return best


def configured_or_not():
    target = os.environ.get("NKI_TARGET")
    if target is None:
        raise RuntimeError("NKI_TARGET is not set")
    return target


def check_both(expected, actual):
    np.testing.assert_allclose(actual, expected, rtol=1e-3)
    assert expected.shape == actual.shape


def shape_with_all(matrix):
    return Padded(*matrix.shape, pad=4)


def measured_well(kernel, inputs):
    return Runner(kernel, warmup=2).measure(10, *inputs)


def labelled_well(name, **options):
    return Runner.label(name, **options)


def opened_or_not(path):
    try:
        handle = open(path)
    except OSError as error:
        print(error)
        raise
    return handle


def counted_well(values):
    total = 0

    def visit(value):
        nonlocal total
        total += value
        return total

    return [visit(value) for value in values]


def searched(values):
    for place, value in enumerate(values):
        if value:
            break
    else:
        place = -1
    return place


def not_a_number(value):
    return value != value


def later():
    return defined_below()


def defined_below():
    return Runner.kind


# nkilint: x: float32[128, 64]
@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out
