"""Rules of one line: dtypes of transpositions (NKI202), methods that tensors do not have (NKI208), tensors that nothing uses
before their name is bound anew (NKI411), names of the module that change (NKI812)."""

import nki
import nki.isa as nisa
import nki.language as nl

FACTOR = 2.0
LIMIT = 3.0


def set_factor(value):
    global FACTOR
    FACTOR = value


def tile(dtype=nl.float32, columns=128, buffer=nl.sbuf):
    made = nl.ndarray((128, columns), dtype=dtype, buffer=buffer)
    nisa.memset(dst=made, value=0.0)
    return made


def stored(made):
    output = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=made)
    return output


def scaled(made):
    nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=FACTOR)  # expect: NKI812 @ FACTOR
    return made


# --- found ---


@nki.jit
def transposed_into_another_dtype():
    turned = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=tile(nl.bfloat16))  # expect: NKI202 @ turned
    made = tile()
    nisa.tensor_copy(dst=made, src=turned)
    return stored(made)


@nki.jit
def method_of_other_libraries():
    made = tile()
    return stored(made.transpose(1, 0))  # expect: NKI208


@nki.jit
def another_method_of_other_libraries():
    made = tile()
    made.fill_(1.0)  # expect: NKI208
    return stored(made)


@nki.jit
def bound_anew_at_once():
    made = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
    made = tile()
    return stored(made)


@nki.jit
def bound_anew_in_a_branch(wide=True):
    made = tile()
    if wide:
        spare = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI411
        size = 128
        spare = tile(columns=size)
        nisa.tensor_copy(dst=made, src=spare)
    return stored(made)


@nki.jit
def depends_on_a_name_that_changes():
    made = tile()
    if FACTOR > 1.0:  # expect: NKI812 @ FACTOR
        nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=FACTOR)
    return stored(made)


@nki.jit
def depends_on_it_through_a_helper():
    return stored(scaled(tile()))


# --- silent ---


@nki.jit
def transposed_into_the_same_dtype():
    turned = nl.ndarray((128, 128), dtype=nl.bfloat16, buffer=nl.psum)
    nisa.nc_transpose(dst=turned, data=tile(nl.bfloat16))
    made = tile()
    nisa.tensor_copy(dst=made, src=turned)
    return stored(made)


@nki.jit
def documented_methods():
    made = tile().reshape((128, 2, 64)).flatten_dims(1, 2)
    return stored(made)


@nki.jit
def used_before_it_is_bound_anew():
    made = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(dst=made, value=1.0)
    first = stored(made)
    made = tile()
    nisa.dma_copy(dst=first, src=made)
    return first


@nki.jit
def bound_in_a_loop():
    made = nl.ndarray((128, 128), dtype=nl.float32, buffer=nl.sbuf)
    for i in range(2):
        made = tile()
    return stored(made)


@nki.jit
def depends_on_constants():
    made = tile()
    nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=LIMIT)
    return stored(made)


@nki.jit
def has_a_name_of_its_own(FACTOR=1.0):
    made = tile()
    nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=FACTOR)
    return stored(made)
