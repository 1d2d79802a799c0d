"""Parts of tensors that loops write and read, beside other parts of the same ones."""

import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[32, 8]
@nki.jit
def taken_by_the_next_iteration(x):
    out = nl.ndarray((32, 9), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((32, 8), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    a = nl.ndarray((32, 9), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(a, 0.0)
    for r in range(8):
        nisa.tensor_scalar(dst=a[:, r + 1 : r + 2], data=a[:, 0:1], op0=nl.add, operand0=1.0)
        nisa.tensor_scalar(dst=a[:, 0:1], data=t[:, r : r + 1], op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=out, src=a)
    return out


@nki.jit
def taken_by_the_next_of_many(x):
    m, n = x.shape
    assert m == 32 and n <= 256
    out = nl.ndarray((m, n + 1), dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray((32, n), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    a = nl.ndarray((32, n + 1), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(a, 0.0)
    for r in range(n):
        nisa.tensor_scalar(dst=a[:, r + 1 : r + 2], data=a[:, 0:1], op0=nl.add, operand0=1.0)
        nisa.tensor_scalar(dst=a[:, 0:1], data=t[:, r : r + 1], op0=nl.add, operand0=1.0)
    nisa.dma_copy(dst=out, src=a)
    return out


@nki.jit
def parts_that_each_pass_overwrites(x):
    m, n = x.shape
    assert m % 32 == 0 and m >= 32 and n <= 256 and m <= 256 and n >= 3
    out = nl.ndarray((m, 1), dtype=x.dtype, buffer=nl.shared_hbm)
    for u in range(3):
        for r in range(m // 32):
            t = nl.ndarray((32, 1), dtype=x.dtype, buffer=nl.sbuf)
            nisa.dma_copy(dst=t, src=x[r * 32 : r * 32 + 32, u : u + 1])
            nisa.dma_copy(dst=out[r * 32 : r * 32 + 32, :], src=t)  # expect: NKI708
    return out


@nki.jit
def selected_from_a_float(x):
    m, n = x.shape
    assert m == 32 and n <= 256
    out = nl.ndarray((m, n), dtype=nl.float32, buffer=nl.shared_hbm)
    a = nl.ndarray((32, n), dtype=nl.float32, buffer=nl.sbuf)
    b = nl.ndarray((32, n), dtype=nl.float32, buffer=nl.sbuf)
    low = nl.ndarray((32, 1), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=a, src=x)
    nisa.memset(low, 0.0)
    least = -3.4028235e38
    nisa.range_select(
        dst=b, on_true_tile=a, comp_op0=nl.greater_equal, comp_op1=nl.less, bound0=low, bound1=low, range_start=0.0,
        on_false_value=least,
    )  # fmt: skip
    nisa.dma_copy(dst=out, src=b)
    return out
