"""What the compiler of `nki` rejects in kernels, their helpers and methods (NKI803), and what stands in its place."""

import nki
import nki.isa as nisa
import nki.language as nl


def tile(rows=128, columns=64):
    made = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=made, value=0.0)
    return made


def shown(made):
    out = nl.ndarray(made.shape, dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=made)
    return out


def with_inner(made):
    def inner(t):  # expect: NKI803
        nisa.memset(dst=t, value=1.0)
    inner(made)
    return made


def swapped(pair):
    pair[0], pair[1] = pair[1], pair[0]  # expect: NKI803
    return pair


def loop_in_an_order(made, times):
    with nl.no_reorder():
        nisa.memset(dst=made, value=1.0)
        if times > 1:
            for _ in nl.dynamic_range(times):  # expect: NKI803  # expect: NKI904
                nisa.tensor_scalar(dst=made, data=made, op0=nl.add, operand0=1.0)
    return made


def order_in_a_loop(made, times):
    for _ in nl.dynamic_range(times):
        with nl.no_reorder():
            nisa.tensor_scalar(dst=made, data=made, op0=nl.add, operand0=1.0)
    with nl.no_reorder():
        for _ in nl.static_range(2):  # expect: NKI904
            nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=2.0)
    return made


@nki.jit
def loops_and_orders():
    return shown(order_in_a_loop(loop_in_an_order(tile(), 3), 3))


@nki.jit
def inner_in_helper():
    return shown(with_inner(tile()))


@nki.jit
def swapped_in_helper():
    return shown(swapped([tile(), tile()])[0])


@nki.jit
def difference():
    a, b = tile(), tile()
    return shown(a - b)  # expect: NKI803


@nki.jit
def negative():
    a = tile()
    return shown(-a)  # expect: NKI803


@nki.jit
def quotient_in_place():
    a, b = tile(), tile()
    a /= b  # expect: NKI803
    return shown(a)


@nki.jit
def scaled_by_number():
    a = tile()
    return shown(2.0 * a)  # expect: NKI803


@nki.jit
def sum_of_parts():
    parts = [tile(), tile()]
    total = parts[0]
    for i in range(1, 2):
        total = total + parts[i]  # expect: NKI803
    return shown(total)


@nki.jit
def large_mask():
    made = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=made, value=0)
    nisa.tensor_scalar(dst=made, data=made, op0=nl.bitwise_and, operand0=0xFFFFFFFFFF)  # expect: NKI803
    out = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=made)
    return out


@nki.jit
def large_computed():
    seed = 1 << 33  # expect: NKI803
    made = tile()
    if seed > 3:
        nisa.memset(dst=made, value=1.0)
    return shown(made)


# --- silent ---


@nki.jit
def names_swapped():
    a, b = tile(), tile()
    a, b = b, a
    return shown(a)


@nki.jit
def items_one_by_one():
    parts = [tile(), tile()]
    kept = parts[0]
    parts[0] = parts[1]
    parts[1] = kept
    return shown(parts[0])


@nki.jit
def number_operators():
    n = 64 - 2 * 16
    m = -n
    made = tile(128, n)
    nisa.memset(dst=made, value=float(-m))
    return shown(made)


@nki.jit
def largest_integer():
    made = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    nisa.memset(dst=made, value=0)
    nisa.tensor_scalar(dst=made, data=made, op0=nl.bitwise_and, operand0=0x7FFFFFFF)
    out = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=made)
    return out


def helper_of_the_host(values):
    def visit(v):
        return v + (1 << 40)

    values[0], values[1] = values[1], values[0]
    return [visit(v) for v in values]


@nki.jit
def appended():
    parts = []
    for i in range(3):
        parts.append(tile())
    return shown(parts[2])


@nki.jit
def for_pairs():
    made = tile()
    for a, b in ((1, 2), (3, 4)):
        nisa.memset(dst=made[:, a:b], value=1.0)
    return shown(made)


class Plain(nl.NKIObject):
    def __init__(self, made):
        self.made = made

    def fill(self, value):
        nisa.memset(dst=self.made, value=value)
        return self


@nki.jit
def methods():
    return shown(Plain(tile()).fill(1.0).made)


@nki.jit
def sizes_unpacked(x):
    rows, columns = x.shape
    assert rows <= 128
    assert columns <= 512
    out = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=x)
    return out


@nki.jit
def booleans():
    made = tile()
    ok = made.shape[0] == 128 and not made.shape[1] == 3
    if ok:
        nisa.memset(dst=made, value=3.0)
    return shown(made)
