"""Numbers and tiles beside bit patterns: they are integers, too (NKI202), wherever the operator comes from."""

import nki
import nki.isa as nisa
import nki.language as nl

OPERATIONS = {"keep": (nl.bitwise_and, 0xFF), "mark": (nl.bitwise_or, 0.5), "turn": (nl.bitwise_xor, 1)}


def on_chip(source, shape, dtype=None):
    tile = nl.ndarray(shape, dtype=dtype or source.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=source)
    return tile


def stored(tile, shape):
    out = nl.ndarray(shape, dtype=tile.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=out, src=tile)
    return out


class Step(nl.NKIObject):
    """An operator with its operand."""

    def __init__(self, op, operand):
        self.op = op
        self.operand = operand

    def apply(self, tile):
        nisa.tensor_scalar(dst=tile, data=tile, op0=self.op, operand0=self.operand)  # expect: NKI202


# --- found ---


# nkilint: x: int32[128, 64]
@nki.jit
def halves_in_a_step(x):
    tile = on_chip(x, (128, 64))
    for step in [Step(nl.bitwise_and, 255), Step(nl.left_shift, 1.5)]:
        step.apply(tile)
    return stored(tile, (128, 64))


# nkilint: x: int32[128, 64]
@nki.jit
def operator_out_of_a_table(x, mode="mark"):
    tile = on_chip(x, (128, 64))
    op, operand = OPERATIONS[mode]
    nisa.tensor_scalar(dst=tile, data=tile, op0=op, operand0=operand)  # expect: NKI202
    return stored(tile, (128, 64))


# nkilint: x: int32[128, 64], masks: float32[128, 1]
@nki.jit
def column_of_floats(x, masks):
    tile, column = on_chip(x, (128, 64)), on_chip(masks, (128, 1))
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.bitwise_and, operand0=column)  # expect: NKI202
    return stored(tile, (128, 64))


# nkilint: x: int32[128, 64], shifts: float32[128, 1]
@nki.jit
def second_operator_of_two(x, shifts):
    tile, column = on_chip(x, (128, 64)), on_chip(shifts, (128, 1))
    nisa.tensor_scalar(
        dst=tile, data=tile, op0=nl.bitwise_and, operand0=255, op1=nl.right_shift, operand1=column  # expect: NKI202
    )
    return stored(tile, (128, 64))


# nkilint: x: int32[128, 64]
@nki.jit
def quotient_for_a_mask(x):
    tile = on_chip(x, (128, 64))
    masked = nl.bitwise_and(tile, x.shape[1] / 2)  # expect: NKI202
    return stored(masked, (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def bits_of_floats(x):
    tile = on_chip(x, (128, 64))
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.bitwise_and, operand0=255)  # expect: NKI202  # expect: NKI202
    return stored(tile, (128, 64))


# --- silent ---


# nkilint: x: int32[128, 64]
@nki.jit
def whole_numbers_in_a_loop(x):
    tile = on_chip(x, (128, 64))
    for op, operand in [(nl.bitwise_and, 255), (nl.left_shift, 2), (nl.bitwise_or, 1)]:
        nisa.tensor_scalar(dst=tile, data=tile, op0=op, operand0=operand)
    return stored(tile, (128, 64))


# nkilint: x: int32[128, 64]
@nki.jit
def another_operator_out_of_a_table(x, mode="turn"):
    tile = on_chip(x, (128, 64))
    if mode != "mark":
        op, operand = OPERATIONS["keep"]
        nisa.tensor_scalar(dst=tile, data=tile, op0=op, operand0=operand)
    return stored(tile, (128, 64))


# nkilint: x: int32[128, 64], masks: int32[128, 1]
@nki.jit
def column_of_integers(x, masks):
    tile, column = on_chip(x, (128, 64)), on_chip(masks, (128, 1))
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.bitwise_and, operand0=column)
    return stored(tile, (128, 64))


# nkilint: x: int32[128, 64]
@nki.jit
def two_operators(x):
    tile = on_chip(x, (128, 64))
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.bitwise_and, operand0=255, op1=nl.right_shift, operand1=4)
    return stored(tile, (128, 64))


# nkilint: x: int32[128, 64]
@nki.jit
def whole_quotient_for_a_mask(x):
    tile = on_chip(x, (128, 64))
    return stored(nl.bitwise_and(tile, x.shape[1] // 2), (128, 64))


# nkilint: x: float32[128, 64]
@nki.jit
def bits_of_floats_seen_as_integers(x):
    tile = on_chip(x, (128, 64))
    bits = tile.view(nl.int32)
    nisa.tensor_scalar(dst=bits, data=bits, op0=nl.bitwise_and, operand0=0x7FFFFFFF)
    return stored(tile, (128, 64))


@nki.jit
def fill_that_hangs_on_a_size(x):  # expect: NKI003
    """The number is a float that nothing here knows, and no other one."""
    assert x.shape[0] == 128 and 2 <= x.shape[1] <= 512
    tile = on_chip(x, x.shape)
    chosen = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.range_select(
        dst=chosen,
        on_true_tile=tile,
        comp_op0=nl.greater_equal,
        comp_op1=nl.less,
        bound0=tile[:, 0:1],
        bound1=tile[:, 1:2],
        on_false_value=-3.4028235e38 * (x.shape[1] / x.shape[1]),
    )
    return stored(chosen, x.shape)
