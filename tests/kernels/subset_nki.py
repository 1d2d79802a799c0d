"""Python that no version of the compiler of `nki` takes (NKI803), in kernels and in all that they lead to."""

import nki
import nki.isa as nisa
import nki.language as nl


def tile(value=0.0):
    made = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=made, value=value)
    return made


def stored(made):
    output = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=made)
    return output


# --- found ---


@nki.jit
def inner_function():
    made = tile()

    def double(dst, src):  # expect: NKI803 @ double
        nisa.tensor_scalar(dst=dst, data=src, op0=nl.multiply, operand0=2.0)

    double(made, made)
    return stored(made)


@nki.jit
def inner_function_of_a_branch_not_taken(wide=False):
    if wide:

        def spread(made):  # expect: NKI803 @ spread
            return made

        return stored(spread(tile()))
    return stored(tile())


def with_a_closure(factor):
    def scaled(made):  # expect: NKI803 @ scaled
        nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=factor)
        return made

    return scaled


@nki.jit
def inner_function_of_a_helper():
    return stored(with_a_closure(3.0)(tile()))


class Scaler(nl.NKIObject):
    def __init__(self, factor):
        self.factor = factor

    def scale(self, made):
        def once():  # expect: NKI803 @ once
            nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=self.factor)

        once()


@nki.jit
def inner_function_of_a_method():
    made = tile()
    Scaler(2.0).scale(made)
    return stored(made)


@nki.jit
def exchanged():
    parts = [tile(1.0), tile(2.0)]
    parts[0], parts[1] = parts[1], parts[0]  # expect: NKI803 @ parts[0]
    return stored(parts[0])


@nki.jit
def unpacked_into_an_item():
    found = {"first": None}
    second, found["first"] = tile(1.0), tile(2.0)  # expect: NKI803 @ found["first"]
    nisa.tensor_tensor(dst=second, data1=second, data2=found["first"], op=nl.add)
    return stored(second)


@nki.jit
def counted_into_an_item():
    last = [None, None]
    for last[0], last[1] in ((1.0, 2.0), (3.0, 4.0)):  # expect: NKI803 @ last[0]
        pass
    return stored(tile(last[1]))


@nki.jit
def large_constant():
    made = nl.ndarray((128, 64), dtype=nl.int32, buffer=nl.sbuf)
    limit = 0x1_0000_0000  # expect: NKI803 @ 0x1_0000_0000
    nisa.memset(dst=made, value=0 if limit > 1 else 1)
    return stored(made)


@nki.jit
def large_power():
    return stored(tile(1.0 / (2**40)))  # expect: NKI803 @ 2**40


@nki.jit
def large_negative():
    seed = -3_000_000_000  # expect: NKI803 @ -3_000_000_000
    return stored(tile(1.0 if seed < 0 else 2.0))


@nki.jit
def difference():
    made = tile(1.0) - tile(2.0)  # expect: NKI803 @ tile(1.0) - tile(2.0)
    return stored(made)


@nki.jit
def negative():
    made = -tile(1.0)  # expect: NKI803 @ -tile(1.0)
    return stored(made)


@nki.jit
def scaled_by_a_number():
    made = 0.5 * tile(1.0)  # expect: NKI803 @ 0.5 * tile(1.0)
    return stored(made)


@nki.jit
def in_place():
    made = tile(1.0)
    made += tile(2.0)  # expect: NKI803
    return stored(made)


@nki.jit
def in_place_of_elements():
    made = tile(1.0)
    made[:, 0:32] *= 2.0  # expect: NKI803
    return stored(made)


# --- silent ---


def doubled(made):
    nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=2.0)
    return made


def kept(made):
    return made


@nki.jit
def function_of_the_module(double=True):
    change = doubled if double else kept
    return stored(change(tile(1.0)))


def made_for(value):
    @nki.jit
    def made_by_a_function():
        return stored(tile(value))

    return made_by_a_function


KERNEL = made_for(64.0)


@nki.jit
def items_one_by_one():
    parts = [tile(1.0), tile(2.0)]
    first = parts[0]
    parts[0] = parts[1]
    parts[1] = first
    return stored(parts[0])


@nki.jit
def unpacked_into_names():
    parts = (tile(1.0), (tile(2.0), tile(3.0)))
    first, (second, third) = parts
    nisa.tensor_tensor(dst=first, data1=second, data2=third, op=nl.add)
    return stored(first)


@nki.jit
def counted_pairs():
    parts = [tile(1.0), tile(2.0)]
    for i, part in enumerate(parts):
        nisa.tensor_scalar(dst=part, data=part, op0=nl.add, operand0=float(i))
        parts[i] = part
    return stored(parts[1])


@nki.jit
def largest_constants():
    made = nl.ndarray((128, 64), dtype=nl.uint32, buffer=nl.sbuf)
    nisa.memset(dst=made, value=0xFFFFFFFF if -(2**31) < 0x7FFFFFFF else 0)
    return stored(made)


@nki.jit
def large_floats():
    return stored(tile(1e30 / 3.0e38))


@nki.jit
def arithmetic_on_sizes():
    made = tile(1.0)
    rows, columns = made.shape
    nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=1.0 / (rows * columns - 1))
    return stored(made)


@nki.jit
def operations_by_name():
    made = nl.subtract(tile(1.0), nl.negative(tile(2.0)))
    return stored(made)


@nki.jit
def is_there(bias=None):
    made = tile(1.0)
    if bias != None:  # noqa: E711
        nisa.tensor_tensor(dst=made, data1=made, data2=bias, op=nl.add)
    return stored(made)


@nki.jit
def comprehension_of_numbers():
    sizes = [32 * i for i in range(2)]
    return stored(tile(float(sizes[1])))


def host(arrays):
    def launch(array):
        return KERNEL() if array else None

    arrays[0], arrays[1] = arrays[1], arrays[0]
    return [launch(array) for array in arrays], 2**40
