"""Host code that raises, or may: no such kernel is verified, unless it is a `raise` or an assertion of its own."""

import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def key_that_is_not_there(a):
    assert a.shape == (64, 64)
    print({1: 2, 3: 4}[a.shape[0]])  # expect: NKI808
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def key_that_is_there(a):
    assert a.shape == (64, 64)
    print({1: 2, 64: 4}[a.shape[0]])
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def key_that_may_be_there(a):  # expect: NKI003
    assert a.shape[0] <= 64 and a.shape[1] == 64
    print({1: 2, 64: 4}[a.shape[0]])
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def number_of_nothing(a):  # expect: NKI003
    assert a.shape == (64, 64)
    print(int(None))
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def removed_if_it_is_there(a):  # expect: NKI003
    assert a.shape[0] <= 64 and a.shape[1] == 64
    found = [1, 2, 3]
    found.remove(a.shape[0])
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def removed_for_certain(a):
    assert a.shape == (64, 64)
    found = [1, a.shape[0], 3]
    found.remove(64)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def too_few_names(a):
    assert a.shape == (64, 64)
    first, second = (1, 2, 3)  # expect: NKI204
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def attribute_of_some_inputs(a):  # expect: NKI003
    rows, columns = a.shape
    assert rows <= 64 and columns <= 64
    if rows > 3:
        print(rows.height)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def handled(a):
    assert a.shape == (64, 64)
    try:
        print({1: 2, 3: 4}["rows"])
    except KeyError:
        pass
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def its_own(a):
    rows, columns = a.shape
    assert columns == 64
    if rows > 128:
        raise ValueError(rows)
    out = nl.ndarray(a.shape, dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(a))
    return out


@nki.jit
def lowest_number(a):
    assert a.shape == (64, 64)
    out = nl.ndarray((64, 64), dtype=a.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.full((64, 64), nl.finfo(a.dtype).min, dtype=nl.float32))
    return out


@nki.jit
def lowest_number_of_integers(a):  # expect: NKI003
    assert a.shape == (64, 64)
    out = nl.ndarray((64, 64), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(out, nl.full((64, 64), nl.finfo(nl.int32).min, dtype=nl.int32))
    return out
