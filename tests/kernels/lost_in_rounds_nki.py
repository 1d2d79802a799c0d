"""Results that iterations of Python's loops overwrite unread (NKI708): dicts, counters, queues, loops left early."""

import nki
import nki.isa as nisa
import nki.language as nl


def tile(shape=(128, 64), buffer=nl.sbuf):
    return nl.ndarray(shape, dtype=nl.float32, buffer=buffer)


def loaded(x, row):
    made = tile()
    nisa.dma_copy(dst=made, src=x[row : row + 128, 0:64])
    return made


def result(x, rows=128):
    assert x.shape == (512, 64)
    return nl.ndarray((rows, 64), dtype=x.dtype, buffer=nl.shared_hbm)


def scaled_in_turn(x, scaled):
    for row in sorted([384, 0, 128]):
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708


def rows_of(x):
    for row in range(0, x.shape[0], 128):
        yield row


# --- found ---


@nki.jit
def over_items_of_a_dict(x):
    output, scaled = result(x), tile()
    for row, factor in {0: 0.5, 128: 0.25, 256: 0.125}.items():
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=factor)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def over_a_range_backwards(x):
    output, scaled = result(x), tile()
    for row in reversed(range(0, 512, 128)):
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def over_a_range_with_a_name(x):
    output, scaled, steps = result(x), tile(), range(4)
    for step in steps:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, step * 128), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def over_what_a_generator_gives(x):
    output, scaled = result(x), tile()
    for row in rows_of(x):
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def in_what_it_calls(x):
    output, scaled = result(x), tile()
    scaled_in_turn(x, scaled)
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def in_an_inner_loop(x):
    output, scaled = result(x, 512), tile()
    for row in [0, 128, 256, 384]:
        for factor in (0.5, 0.25):
            nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=factor)  # expect: NKI708
        nisa.dma_copy(dst=output[row : row + 128], src=scaled)
    return output


@nki.jit
def while_it_counts_down(x):
    output, scaled, n = result(x), tile(), 3
    while n >= 0:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, n * 128), op0=nl.multiply, operand0=0.25)  # expect: NKI708
        n -= 1
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def while_rows_are_left(x):
    output, scaled, rows = result(x), tile(), [0, 128, 256]
    while rows:
        row = rows.pop()
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def until_it_is_left(x):
    output, scaled, n = result(x), tile(), 0
    while True:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, n * 128), op0=nl.multiply, operand0=0.25)  # expect: NKI708
        n += 1
        if n == 4:
            break
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def left_behind_the_third(x):
    output, scaled = result(x), tile()
    for row in [0, 128, 256, 384]:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708
        if row == 256:
            break
    nisa.dma_copy(dst=output, src=scaled)
    return output


@nki.jit
def read_where_the_loop_was_not_left(x):
    output, scaled = result(x), tile()
    for row in [0, 128, 256, 384]:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)  # expect: NKI708
    else:
        nisa.dma_copy(dst=output, src=scaled)
    return output


# --- nothing to find ---


@nki.jit
def read_by_the_next(x):
    output, before = result(x, 512), tile()
    nisa.memset(dst=before, value=0.0)
    for row in [0, 128, 256, 384]:
        now, both = loaded(x, row), tile()
        nisa.tensor_tensor(dst=both, data1=now, data2=before, op=nl.add)
        nisa.tensor_copy(dst=before, src=now)
        nisa.dma_copy(dst=output[row : row + 128], src=both)
    return output


@nki.jit
def kept_in_a_list(x):
    output, tiles = result(x, 512), []
    for row in (0, 128, 256, 384):
        one = tile()
        nisa.tensor_scalar(dst=one, data=loaded(x, row), op0=nl.multiply, operand0=0.5)
        tiles.append(one)
    for number, one in enumerate(tiles):
        nisa.dma_copy(dst=output[number * 128 : number * 128 + 128], src=one)
    return output


@nki.jit
def in_two_buffers_by_turns(x):
    output, buffers = result(x, 512), [loaded(x, 0), tile()]
    for number, row in enumerate([0, 128, 256, 384]):
        if number < 3:
            nisa.dma_copy(dst=buffers[(number + 1) % 2], src=x[row + 128 : row + 256, 0:64])
        nisa.dma_copy(dst=output[row : row + 128], src=buffers[number % 2])
    return output


@nki.jit
def sum_while_it_counts(x):
    output, total, n = result(x), tile(), 0
    nisa.memset(dst=total, value=0.0)
    while n < 4:
        nisa.tensor_tensor(dst=total, data1=total, data2=loaded(x, n * 128), op=nl.add)
        n += 1
    nisa.dma_copy(dst=output, src=total)
    return output


@nki.jit
def largest_of_pairs(x):
    output, top = result(x), tile()
    nisa.memset(dst=top, value=-1000.0)
    for row, factor in zip([0, 128, 256, 384], (1.0, 2.0, 3.0, 4.0)):
        scaled = tile()
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=factor)
        nisa.tensor_tensor(dst=top, data1=top, data2=scaled, op=nl.maximum)
    nisa.dma_copy(dst=output, src=top)
    return output


@nki.jit
def handed_on_under_one_name(x):
    output, last = result(x), loaded(x, 0)
    for row in [128, 256, 384]:
        now = tile()
        nisa.tensor_tensor(dst=now, data1=last, data2=loaded(x, row), op=nl.add)
        last = now
    nisa.dma_copy(dst=output, src=last)
    return output


@nki.jit
def parts_of_one_tile(x):
    output, scaled = result(x, 512), tile()
    for row in [0, 128, 256, 384]:
        for part in (slice(0, 32), slice(32, 64)):
            nisa.tensor_scalar(dst=scaled[:, part], data=loaded(x, row)[:, part], op0=nl.multiply, operand0=0.5)
        nisa.dma_copy(dst=output[row : row + 128], src=scaled)
    return output


@nki.jit
def made_twice_alike(x):
    output, copied = result(x), tile()
    for _ in [0, 1]:
        made = loaded(x, 0)
    nisa.tensor_copy(dst=copied, src=made)
    nisa.dma_copy(dst=output, src=copied)
    return output


@nki.jit
def written_once_more_behind_them(x):
    output, scaled = result(x, 512), tile()
    for row in [0, 128, 256]:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, row), op0=nl.multiply, operand0=0.25)
        nisa.dma_copy(dst=output[row : row + 128], src=scaled)
    else:
        nisa.tensor_scalar(dst=scaled, data=loaded(x, 384), op0=nl.multiply, operand0=0.5)
        nisa.dma_copy(dst=output[384:512], src=scaled)
    return output
