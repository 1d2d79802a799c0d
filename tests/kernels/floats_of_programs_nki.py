"""Values that hang on the program or on the iteration by a float, an operator or a list."""

import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def scaled_by_its_place(x):  # expect: NKI003
    m, n = x.shape
    assert m == 32 and n <= 64 and nl.num_programs(0) == 2
    c = nl.program_id(0)
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    u = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    t = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=u, src=x)
    nisa.activation(dst=t, op=nl.exp, data=u, scale=1.0 / (c + 1))
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def scaled_by_a_size(x):
    m, n = x.shape
    assert m == 32 and n <= 64
    c = nl.program_id(0)
    programs = nl.num_programs(0)
    out = nl.ndarray((programs, m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    u = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    t = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=u, src=x)
    nisa.activation(dst=t, op=nl.exp, data=u, scale=1.0 / n)
    nisa.dma_copy(dst=out[c], src=t)
    return out


@nki.jit
def another_operator_each_time(x):
    m, n = x.shape
    assert m == 32 and 2 <= n <= 64
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    u = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    t = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=u, src=x)
    for i in range(2):
        nisa.activation(dst=t, op=nl.exp if i else nl.square, data=u)
        nisa.dma_copy(dst=out, src=t)  # expect: NKI708
    return out


@nki.jit
def two_operators(x):
    m, n = x.shape
    assert m == 32 and n <= 64
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    u = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    t = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=u, src=x)
    nisa.activation(dst=t, op=nl.exp, data=u)  # expect-warning: NKI708
    nisa.activation(dst=t, op=nl.square, data=u)
    nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def one_operator_twice(x):
    m, n = x.shape
    assert m == 32 and n <= 64
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    u = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    t = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=u, src=x)
    for _ in range(2):
        nisa.activation(dst=t, op=nl.exp, data=u)
        nisa.dma_copy(dst=out, src=t)
    return out


@nki.jit
def scaled_by_a_size_for_all(x):
    m, n = x.shape
    assert m == 32 and n <= 64 and nl.num_programs(0) == 2
    c = nl.program_id(0)
    assert c < 2
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    u = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    t = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=u, src=x)
    nisa.activation(dst=t, op=nl.exp, data=u, scale=1 / n)
    nisa.dma_copy(dst=out, src=t)  # expect: NKI605
    return out


@nki.jit
def scaled_by_a_number_of_the_caller(x, scale: float):
    m, n = x.shape
    assert m == 32 and n <= 64
    out = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.shared_hbm)
    u = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    t = nl.ndarray((m, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=u, src=x)
    for _ in range(n):
        nisa.activation(dst=t, op=nl.exp, data=u, scale=scale)
        nisa.dma_copy(dst=out, src=t)
    return out
