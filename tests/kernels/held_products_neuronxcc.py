"""Products and shifts of counted integers: what they put into a tile of integers, its type holds (NKI212)."""

import neuronxcc.nki as nki
import neuronxcc.nki.isa as nisa
import neuronxcc.nki.language as nl
import numpy as np


def counted(first=0, step=512):
    """From `first` on, one row `step` after the other."""
    row, column = nl.mgrid[0:128, 0:512]
    return nisa.iota(row * step + column + first, dtype=nl.int32)


# --- found ---


@nki.jit
def positions_times_themselves():
    made = counted()
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.multiply(made, made, dtype=nl.int32))  # expect: NKI212
    return output


@nki.jit
def positions_times_a_row():
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.tensor_scalar(counted(), np.multiply, 65536, dtype=nl.int32))  # expect: NKI212
    return output


@nki.jit
def squares_of_positions():
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.square(counted(), dtype=nl.int32))  # expect: NKI212
    return output


@nki.jit
def times_a_negative_number():
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.tensor_scalar(counted(), np.multiply, -65536, dtype=nl.int32))  # expect: NKI212
    return output


@nki.jit
def squares_around_zero():
    made = counted(first=-200, step=0)
    output = nl.ndarray((128, 512), dtype=nl.int16, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.tensor_tensor(made, made, op=np.multiply, dtype=nl.int16))  # expect: NKI212
    return output


@nki.jit
def product_of_an_operator():
    made = counted()
    product = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.sbuf)
    product[...] = nl.multiply(made, 65539, dtype=nl.int32)  # expect: NKI212
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=product)
    return output


@nki.jit
def product_that_is_added_to():
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    made = counted()
    made = nisa.tensor_scalar(made, np.add, 1, op1=np.multiply, operand1=32768, dtype=nl.int32)  # expect: NKI212
    nl.store(output, value=made)
    return output


@nki.jit
def one_number_squared():
    made = nl.full((128, 512), 46341, dtype=nl.int32)
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.multiply(made, made, dtype=nl.int32))  # expect: NKI212
    return output


@nki.jit
def shifted_into_half_the_bits():
    output = nl.ndarray((128, 512), dtype=nl.int16, buffer=nl.shared_hbm)
    nl.store(output, value=nl.left_shift(counted(step=0), 7, dtype=nl.int16))  # expect: NKI212
    return output


@nki.jit
def negative_numbers_squared():
    made = counted(first=-60000, step=0)
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.multiply(made, made, dtype=nl.int32))  # expect: NKI212
    return output


# --- nothing to find ---


@nki.jit
def product_that_fits():
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.tensor_scalar(counted(), np.multiply, 32768, dtype=nl.int32))
    return output


@nki.jit
def squares_that_fit():
    made = counted(step=360)
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.multiply(made, made, dtype=nl.int32))
    return output


@nki.jit
def squares_are_never_negative():
    made = counted(first=-3, step=0)
    output = nl.ndarray((128, 512), dtype=nl.uint32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.multiply(made, made, dtype=nl.uint32))
    return output


@nki.jit
def what_grows_times_what_falls():
    row, column = nl.mgrid[0:128, 0:512]
    rising, falling = nisa.iota(column, dtype=nl.int32), nisa.iota(511 - column, dtype=nl.int32)
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.multiply(rising, falling, dtype=nl.int32))
    return output


@nki.jit
def squares_of_a_part():
    made = counted(step=0)
    output = nl.ndarray((128, 256), dtype=nl.uint16, buffer=nl.shared_hbm)
    row, column = nl.mgrid[0:128, 0:256]
    part = nl.copy(made[row, column])
    nl.store(output, value=nl.multiply(part, part, dtype=nl.uint16))
    return output


@nki.jit
def bits_are_shifted_out():
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.left_shift(counted(), 16, dtype=nl.int32))
    return output


@nki.jit
def product_in_a_wider_type():
    output = nl.ndarray((128, 512), dtype=nl.uint32, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.tensor_scalar(counted(), np.multiply, 65536, dtype=nl.uint32))
    return output


@nki.jit
def product_in_floats():
    made = counted()
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    nl.store(output, value=nl.multiply(made, made, dtype=nl.float32))
    return output


@nki.jit
def negative_ends_of_the_type():
    output = nl.ndarray((128, 512), dtype=nl.int32, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.tensor_scalar(counted(first=-65536, step=0), np.multiply, 32768, dtype=nl.int32))
    return output


@nki.jit
def times_nothing():
    output = nl.ndarray((128, 512), dtype=nl.uint8, buffer=nl.shared_hbm)
    nl.store(output, value=nisa.tensor_scalar(counted(), np.multiply, 0, dtype=nl.uint8))
    return output
