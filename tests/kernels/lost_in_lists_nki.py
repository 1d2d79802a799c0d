"""Results that iterations over lists, pairs and counters of Python overwrite before anything reads them (NKI708)."""

import nki
import nki.isa as nisa
import nki.language as nl


def tile(shape=(128, 64), buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=nl.float32, buffer=buffer)


def loaded(x, row):
    made = tile()
    nisa.dma_copy(dst=made, src=x[row : row + 128, 0:64])
    return made


def result(x):
    assert x.shape == (512, 64)
    return nl.ndarray((128, 64), dtype=x.dtype, buffer=nl.shared_hbm)


def four_tiles():
    for row in (0, 128, 256, 384):
        yield row


# --- found ---


@nki.jit
def over_pairs_of_a_range(x):
    output, scaled = result(x), tile()
    for _, row in enumerate(range(0, 512, 128)):
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def over_a_list(x):
    output, scaled = result(x), tile()
    for row in [0, 128, 256, 384]:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def over_a_tuple_of_two(x):
    output, scaled = result(x), tile()
    for row in (0, 384):
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def while_it_counts(x):
    output, scaled = result(x), tile()
    i = 0
    while i < 4:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, i * 128), op0=nl.multiply, operand0=0.25)  # expect: NKI708
        i += 1
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def over_numbers_of_two_lists(x):
    output, scaled = result(x), tile()
    for row, factor in zip((0, 128, 256), (0.5, 0.25, 0.125)):
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=factor)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def over_tiles_in_a_list(x):
    output, scaled = result(x), tile()
    tiles = [loaded(x, row) for row in range(0, 512, 128)]
    for each in tiles:
        nisa.tensor_scalar(dst=scaled, data=each, op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def over_two_tensors(x, y):
    assert y.shape == (512, 64)
    output, scaled = result(x), tile()
    for each in (x, y):
        nisa.tensor_scalar(dst=scaled, data=loaded(each, 0), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def sums_that_begin_anew(x):
    output, total = result(x), tile()
    for row in [0, 128, 256, 384]:
        nisa.memset(dst=total, value=0.0)
        nisa.tensor_tensor(dst=total, data1=total, data2=loaded(x, row), op=nl.add)  # expect: NKI708
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def products_that_begin_anew(x):
    output, total, copied = result(x), tile((64, 64), nl.psum), tile((64, 64))
    for row in [0, 128, 256, 384]:
        made = loaded(x, row)
        nisa.nc_matmul(dst=total, stationary=made, moving=made, accumulate=False)  # expect: NKI708
    nisa.tensor_copy(dst=copied, src=total)
    nisa.dma_copy(dst=output[0:64], src=copied)
    nisa.dma_copy(dst=output[64:128], src=copied)
    return output


@nki.jit
def made_anew_in_each(x):
    output, copied = result(x), tile()
    for row in [0, 128, 256, 384]:
        made = nl.ndarray((128, 64), dtype=nl.float32, buffer=nl.sbuf)  # expect: NKI708
        nisa.dma_copy(dst=made, src=x[row : row + 128, 0:64])
    nisa.tensor_copy(dst=copied, src=made)
    nisa.dma_copy(dst=output, src=copied)
    return output


@nki.jit
def backwards_over_a_generator(x):
    output, scaled = result(x), tile()
    for row in reversed(list(four_tiles())):
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


# --- nothing to find ---


@nki.jit
def sum_over_a_list(x):
    output, total = result(x), tile()
    nisa.memset(dst=total, value=0.0)
    for row in [0, 128, 256, 384]:
        nisa.tensor_tensor(dst=total, data1=total, data2=loaded(x, row), op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def sum_that_is_stored_each_time(x):
    output, total, scaled = result(x), tile(), tile()
    nisa.memset(dst=total, value=0.0)
    for _, row in enumerate(range(0, 512, 128)):
        nisa.tensor_tensor(dst=total, data1=total, data2=loaded(x, row), op=nl.add)
        nisa.tensor_scalar(dst=scaled, data=total, op0=nl.multiply, operand0=0.25)
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def read_in_each_round(x):
    output = nl.ndarray((512, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape == (512, 64)
    scaled, i = tile(), 0
    while i < 4:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, i * 128), op0=nl.multiply, operand0=0.25)
        nisa.dma_copy(dst=output[i * 128 : i * 128 + 128], src=scaled)
        i += 1
    return output


@nki.jit
def the_same_each_time(x):
    output, scaled = result(x), tile()
    for _ in ("once", "again"):
        nisa.tensor_scalar(dst=scaled, data=loaded(x, 0), op0=nl.multiply, operand0=0.25)
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def one_item(x):
    output, scaled = result(x), tile()
    for row in [128]:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def other_columns_each_time(x):
    output, scaled = result(x), tile()
    for place, row in enumerate((0, 128, 256, 384)):
        part = slice(place * 16, place * 16 + 16)
        nisa.tensor_scalar(dst=scaled[:, part], data=loaded(x, row)[:, part], op0=nl.multiply, operand0=0.25)
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def begun_by_the_first(x):
    output, total = result(x), tile()
    for place, row in enumerate(range(0, 512, 128)):
        if place == 0:
            nisa.dma_copy(dst=total, src=x[row : row + 128, 0:64])
        else:
            nisa.tensor_tensor(dst=total, data1=total, data2=loaded(x, row), op=nl.add)
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def last_one_is_kept_besides(x):
    output = nl.ndarray((640, 64), dtype=x.dtype, buffer=nl.shared_hbm)
    assert x.shape == (512, 64)
    last = tile()
    for row in (0, 128, 256, 384):
        made = loaded(x, row)
        nisa.tensor_copy(dst=last, src=made)
        nisa.dma_copy(dst=output[row : row + 128], src=made)
    nisa.dma_copy(dst=output[512:640], src=last)
    return output


@nki.jit
def from_one_to_the_other(x):
    output, one, other = result(x), loaded(x, 0), tile()
    for factor in (0.5, 0.25):
        nisa.tensor_scalar(dst=other, data=one, op0=nl.multiply, operand0=factor)
        one, other = other, one
    nisa.dma_copy(dst=output, src=one)
    return output


@nki.jit
def left_at_the_first_that_fits(x):
    output, scaled = result(x), tile()
    for row in [512, 384, 256]:
        if row + 128 <= x.shape[0]:
            nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)
            break
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def product_over_a_list(x):
    output, total, copied = result(x), tile((64, 64), nl.psum), tile((64, 64))
    for place, row in enumerate([0, 128, 256, 384]):
        made = loaded(x, row)
        nisa.nc_matmul(dst=total, stationary=made, moving=made, accumulate=place > 0)
    nisa.tensor_copy(dst=copied, src=total)
    nisa.dma_copy(dst=output[0:64], src=copied)
    nisa.dma_copy(dst=output[64:128], src=copied)
    return output
