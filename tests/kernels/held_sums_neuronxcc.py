"""What sums, products and reductions of integer tiles hold, in their types (NKI212) and as indices (NKI301)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl


def ramp(columns, first=0, step=1):
    return nisa.iota(first + step * nl.arange(columns)[None, :], dtype=nl.int32)


def rows():
    return nisa.iota(nl.arange(64)[:, None], dtype=nl.int32)


def shown(tile, output):
    nl.store(output, value=tile)
    return output


@nki.jit
def product_beyond_bytes():
    output = nl.ndarray((1, 20), dtype=nl.uint8, buffer=nl.shared_hbm)
    return shown(nisa.tensor_tensor(ramp(20), ramp(20), op=nl.multiply, dtype=nl.uint8), output)  # expect: NKI212


@nki.jit
def product_within_bytes():
    output = nl.ndarray((1, 16), dtype=nl.uint8, buffer=nl.shared_hbm)
    return shown(nisa.tensor_tensor(ramp(16), ramp(16), op=nl.multiply, dtype=nl.uint8), output)


@nki.jit
def sum_by_operator():
    output = nl.ndarray((1, 200), dtype=nl.int8, buffer=nl.shared_hbm)
    return shown(nl.copy(ramp(200) + ramp(200), dtype=nl.int8), output)  # expect: NKI212


@nki.jit
def sum_by_operator_in_range():
    output = nl.ndarray((1, 64), dtype=nl.int8, buffer=nl.shared_hbm)
    return shown(nl.copy(ramp(64) + ramp(64), dtype=nl.int8), output)


@nki.jit
def product_by_function():
    output = nl.ndarray((1, 20), dtype=nl.uint8, buffer=nl.shared_hbm)
    return shown(nl.multiply(ramp(20), ramp(20), dtype=nl.uint8), output)  # expect: NKI212


@nki.jit
def opposite_ramps():
    """The greatest product of j and 31 - j is 240, though either may be 31."""
    output = nl.ndarray((1, 32), dtype=nl.uint8, buffer=nl.shared_hbm)
    return shown(nl.multiply(ramp(32), ramp(32, 31, -1), dtype=nl.uint8), output)


@nki.jit
def longer_opposite_ramps():
    output = nl.ndarray((1, 33), dtype=nl.uint8, buffer=nl.shared_hbm)
    return shown(nl.multiply(ramp(33), ramp(33, 32, -1), dtype=nl.uint8), output)  # expect: NKI212


@nki.jit
def index_from_a_product(a):
    assert a.shape == (128, 512)
    output = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    thrice = nl.multiply(rows(), 3, dtype=nl.int32)
    return shown(nl.load(a[thrice, nl.arange(512)[None, :]]), output)  # expect: NKI301


@nki.jit
def index_from_a_sum(a):
    assert a.shape == (127, 512)
    output = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    return shown(nl.load(a[nl.add(rows(), rows(), dtype=nl.int32), nl.arange(512)[None, :]]), output)


@nki.jit
def index_from_a_longer_sum(a):
    assert a.shape == (126, 512)
    output = nl.ndarray((64, 512), dtype=a.dtype, buffer=nl.shared_hbm)
    return shown(nl.load(a[nl.add(rows(), rows(), dtype=nl.int32), nl.arange(512)[None, :]]), output)  # expect: NKI301


@nki.jit
def reduced():
    output = nl.ndarray((1, 1), dtype=nl.uint8, buffer=nl.shared_hbm)
    total = nisa.tensor_reduce(nl.add, ramp(100), axis=1, dtype=nl.uint8, keepdims=True)  # expect: NKI212
    return shown(total, output)


@nki.jit
def reduced_in_range():
    output = nl.ndarray((1, 1), dtype=nl.uint8, buffer=nl.shared_hbm)
    return shown(nisa.tensor_reduce(nl.add, ramp(20), axis=1, dtype=nl.uint8, keepdims=True), output)
