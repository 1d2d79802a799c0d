"""Products and shifts of counted integers: what they put into a tile of integers, its type holds (NKI212)."""

import nki
import nki.isa as nisa
import nki.language as nl


def tile(shape, dtype=nl.int32):
    return nl.ndarray(shape, dtype=dtype, buffer=nl.sbuf)


def counted(first=0, step=512, dtype=nl.int32):
    """From `first` on, one row `step` after the other."""
    made = tile((128, 512), dtype)
    nisa.iota(dst=made, pattern=[[1, 512]], offset=first, channel_multiplier=step)
    return made


def stored(made):
    output = nl.ndarray(made.shape, dtype=made.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=made)
    return output


# --- found ---


@nki.jit
def positions_times_a_row():
    made = counted()
    nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=65536)  # expect: NKI212
    return stored(made)


@nki.jit
def positions_times_themselves():
    made, squares = counted(), tile((128, 512))
    nisa.tensor_tensor(dst=squares, data1=made, data2=made, op=nl.multiply)  # expect: NKI212
    return stored(squares)


@nki.jit
def times_a_negative_number():
    made = counted()
    nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=-65536)  # expect: NKI212
    return stored(made)


@nki.jit
def negative_numbers_squared():
    made = counted(first=-60000, step=0)
    nisa.tensor_tensor(dst=made, data1=made, data2=made, op=nl.multiply)  # expect: NKI212
    return stored(made)


@nki.jit
def squares_around_zero():
    made, squares = counted(first=-200, step=0), tile((128, 512), nl.int16)
    nisa.tensor_tensor(dst=squares, data1=made, data2=made, op=nl.multiply)  # expect: NKI212
    return stored(squares)


@nki.jit
def squares_of_blocks_around_zero():
    made, squares = tile((128, 512)), tile((128, 512), nl.int16)
    nisa.iota(dst=made, pattern=[[64, 8], [1, 64]], offset=-200, channel_multiplier=0)
    nisa.tensor_tensor(dst=squares, data1=made, data2=made, op=nl.multiply)  # expect: NKI212
    return stored(squares)


@nki.jit
def product_that_is_added_to():
    made = counted()
    nisa.tensor_scalar(  # expect: NKI212
        dst=made, data=made, op0=nl.add, operand0=1, op1=nl.multiply, operand1=32768
    )
    return stored(made)


@nki.jit
def one_number_squared():
    made = tile((128, 8))
    nisa.memset(dst=made, value=46341)
    nisa.tensor_tensor(dst=made, data1=made, data2=made, op=nl.multiply)  # expect: NKI212
    return stored(made)


@nki.jit
def times_a_tile_of_one_number():
    made, factor = counted(), tile((128, 512))
    nisa.memset(dst=factor, value=65539)
    nisa.tensor_tensor(dst=made, data1=made, data2=factor, op=nl.multiply)  # expect: NKI212
    return stored(made)


@nki.jit
def shifted_into_half_the_bits():
    made, shifted = counted(step=0), tile((128, 512), nl.int16)
    nisa.tensor_scalar(dst=shifted, data=made, op0=nl.left_shift, operand0=7)  # expect: NKI212
    return stored(shifted)


@nki.jit
def scaled_by_one_of_two_operations():
    made, sums = counted(), tile((128, 512))
    nisa.scalar_tensor_tensor(  # expect: NKI212
        dst=sums, data=made, op0=nl.add, operand0=1, op1=nl.multiply, operand1=factors(65536)
    )
    return stored(sums)


def factors(value):
    made = tile((128, 512))
    nisa.memset(dst=made, value=value)
    return made


# --- nothing to find ---


@nki.jit
def product_that_fits():
    made = counted()
    nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=32768)
    return stored(made)


@nki.jit
def squares_that_fit():
    made = counted(step=360)
    nisa.tensor_tensor(dst=made, data1=made, data2=made, op=nl.multiply)
    return stored(made)


@nki.jit
def squares_are_never_negative():
    made, squares = counted(first=-3, step=0), tile((128, 512), nl.uint32)
    nisa.tensor_tensor(dst=squares, data1=made, data2=made, op=nl.multiply)
    return stored(squares)


@nki.jit
def squares_of_blocks_are_never_negative():
    made, squares = tile((128, 512)), tile((128, 512), nl.uint16)
    nisa.iota(dst=made, pattern=[[64, 8], [1, 64]], offset=-255, channel_multiplier=0)
    nisa.tensor_scalar(dst=made, data=made, op0=nl.minimum, operand0=255)
    nisa.tensor_tensor(dst=squares, data1=made, data2=made, op=nl.multiply)
    return stored(squares)


@nki.jit
def what_grows_times_what_falls():
    rising, falling = counted(step=0), tile((128, 512))
    nisa.iota(dst=falling, pattern=[[-1, 512]], offset=511, channel_multiplier=0)
    product = tile((128, 512), nl.uint16)
    nisa.tensor_tensor(dst=product, data1=rising, data2=falling, op=nl.multiply)
    return stored(product)


@nki.jit
def times_a_part_of_itself():
    made, product = counted(step=0), tile((128, 256), nl.uint16)
    nisa.tensor_tensor(dst=product, data1=made[:, 0:256], data2=made[:, 0:256], op=nl.multiply)
    return stored(product)


@nki.jit
def one_part_of_blocks():
    made, product = tile((128, 512)), tile((128, 100), nl.uint8)
    nisa.iota(dst=made, pattern=[[64, 8], [1, 64]], offset=0, channel_multiplier=0)
    nisa.tensor_scalar(dst=product, data=made[:, 0:100], op0=nl.multiply, operand0=2)
    return stored(product)


@nki.jit
def negative_ends_of_the_type():
    made = counted(first=-65536, step=0)
    nisa.tensor_scalar(dst=made, data=made, op0=nl.multiply, operand0=32768)
    return stored(made)


@nki.jit
def bits_are_shifted_out():
    made = counted()
    nisa.tensor_scalar(dst=made, data=made, op0=nl.left_shift, operand0=16)
    return stored(made)


@nki.jit
def bits_are_shifted_out_of_bytes():
    made, shifted = counted(step=0), tile((128, 512), nl.uint8)
    nisa.tensor_scalar(dst=shifted, data=made, op0=nl.bitwise_and, operand0=255)
    nisa.tensor_scalar(dst=shifted, data=shifted, op0=nl.left_shift, operand0=4)
    return stored(shifted)


@nki.jit
def product_in_a_wider_type():
    made, wide = counted(), tile((128, 512), nl.uint32)
    nisa.tensor_scalar(dst=wide, data=made, op0=nl.multiply, operand0=65536)
    return stored(wide)
