"""What elementwise operations, activations, reductions and random numbers require beyond the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..words.conditions import all_of, any_of, negation
from ..words.dialects import BETA1, NKI
from ..words.dtypes import dtype_in, same_dtype
from ..words.memory import PSUM
from ..words.operators import UNARY_SINCE_GENERATION, is_bitvec, is_unary
from ..words.promotion import INTEGERS, as_dtype
from .form import Call
from .particular import (
    Requirement,
    has_integers,
    implies,
    in_memory,
    is_tile,
    mode,
    not_gathered,
    on_engine,
    operator,
    truth,
)
from .requires import FP32

_STAGES = {
    ("multiply", "add"),
    ("multiply", "subtract"),
    ("multiply", "bypass"),
    ("add", "bypass"),
    ("subtract", "bypass"),
    ("bypass", "bypass"),
}


def _bits_of(name: str, *operators: str) -> Requirement:
    """Operators on bit patterns take integers."""

    def holds(call: Call) -> Any:
        bits = any(is_bitvec(given) for given in (operator(call, each) for each in operators) if given is not None)
        return has_integers(call.get(name)) if bits else True

    return Requirement("NKI202", name, holds, f"`{name}` is {{{name}.dtype}}; bitwise operators take integers")


def _whole_bits(name: str, of: str) -> Requirement:
    """Numbers beside bit patterns are whole, whatever type they have."""

    def holds(call: Call) -> Any:
        value, given = call.get(name), operator(call, of)
        fraction = isinstance(value, float) and not value.is_integer()
        return not (fraction and given is not None and is_bitvec(given))

    return Requirement("NKI202", name, holds, f"`{name}` is {{{name}}}; bitwise operators take integers")


def _not_in_psum(name: str) -> Requirement:
    """The GpSimd Engine cannot reach PSUM."""

    def holds(call: Call) -> Any:
        value = call.get(name)
        return negation(in_memory(value, PSUM)) if on_engine(call, "gpsimd") and is_tile(value) else True

    return Requirement("NKI201", name, holds, f"`{name}` is in psum, which the GpSimd Engine cannot reach")


def _power_in_psum(name: str) -> Requirement:
    """Powers are the GpSimd Engine's, whatever engine is asked for."""

    def holds(call: Call) -> Any:
        value = call.get(name)
        return negation(in_memory(value, PSUM)) if operator(call, "op") == "power" and is_tile(value) else True

    return Requirement(
        "NKI201", name, holds, f"`{name}` is in psum; powers run on the GpSimd Engine, which cannot reach it"
    )


TENSOR_TENSOR = (
    _bits_of("data1", "op"),
    _bits_of("data2", "op"),
    _bits_of("dst", "op"),
    _power_in_psum("data1"),
    _power_in_psum("data2"),
    _power_in_psum("dst"),
    _not_in_psum("data1"),
    _not_in_psum("data2"),
    _not_in_psum("dst"),
    *not_gathered("data2"),
)


# --- tensor_scalar and its like ------------------------------------------------------------------------------------


def _one_kind(call: Call) -> bool:
    first, second = operator(call, "op0"), operator(call, "op1")
    return first is None or second is None or is_bitvec(first) == is_bitvec(second)


def _second_complete(call: Call) -> bool:
    second = operator(call, "op1")
    if second is None:
        return call.get("operand1") is None
    return is_unary(second, call.dialect) or call.get("operand1") is not None


def _bits_on_vector(call: Call) -> bool:
    return not (on_engine(call, "scalar", "gpsimd") and is_bitvec(operator(call, "op0") or ""))


def _scalar_engine_operators(call: Call) -> bool:
    """trn2's Scalar Engine scales and shifts, in this order; older ones do neither, newer ones take all."""
    if not on_engine(call, "scalar") or call.target.generation >= 4:
        return True
    given = operator(call, "op0"), operator(call, "op1")
    if call.target.generation == 3:
        return given in {("multiply", "add"), ("multiply", None), ("add", None)}
    return not {"add", "multiply"} & set(given)


def _no_operand_for_unary(name: str, of: str) -> Callable[[Call], Any]:
    def holds(call: Call) -> Any:
        given, value = operator(call, of), call.get(name)
        if given is None or call.dialect == BETA1 or not is_unary(given, call.dialect) or value is None:
            return True
        return False if is_tile(value) else value == 0

    return holds


def _fp32_operand(name: str, of: str) -> Requirement:
    """Vector operands of arithmetic are float32; whole 32-bit integers meet their own kind in address arithmetic."""

    def holds(call: Call) -> Any:
        value, given = call.get(name), operator(call, of)
        if call.dialect == BETA1 or given is None or is_bitvec(given) or not is_tile(value):
            return True
        addresses = all_of((dtype_in(value.dtype, INTEGERS), has_integers(call.data)))
        return any_of((dtype_in(value.dtype, FP32), addresses))

    return Requirement(
        "NKI202", name, holds, f"`{name}` is {{{name}.dtype}}; as an operand of arithmetic it is float32"
    )


def _unary_on_target(call: Call) -> bool:
    return UNARY_SINCE_GENERATION.get(operator(call, "op0") or "", 2) <= call.target.generation or call.dialect == BETA1


_UNARY_ON_TARGET = Requirement("NKI206", "op0", _unary_on_target, "{target} has no such first operator")

TENSOR_SCALAR = (
    Requirement(
        "NKI205", "op1", _one_kind, "`op0` and `op1` are of different kinds; both are bitwise or both arithmetic"
    ),
    Requirement("NKI205", "operand1", _second_complete, "`op1` and `operand1` are given only together"),
    Requirement("NKI206", "engine", _bits_on_vector, "bitwise operators run on the Vector Engine alone"),
    Requirement(
        "NKI206", "engine", _scalar_engine_operators, "the Scalar Engine of {target} does not have these operators"
    ),
    Requirement("NKI205", "operand0", _no_operand_for_unary("operand0", "op0"), "`op0` has no second operand"),
    Requirement("NKI205", "operand1", _no_operand_for_unary("operand1", "op1"), "`op1` has no second operand"),
    _fp32_operand("operand0", "op0"),
    _fp32_operand("operand1", "op1"),
    _UNARY_ON_TARGET,
    _bits_of("data", "op0", "op1"),
    _bits_of("dst", "op0", "op1"),
    _bits_of("operand0", "op0"),
    _bits_of("operand1", "op1"),
    _whole_bits("operand0", "op0"),
    _whole_bits("operand1", "op1"),
    _not_in_psum("data"),
    _not_in_psum("operand0"),
    _not_in_psum("operand1"),
    _not_in_psum("dst"),
    *not_gathered("operand0", "operand1"),
)


def _loads(call: Call) -> bool:
    return mode(call, "reduce_cmd") == "load_reduce"


def _initial_exactly_with_load(call: Call) -> Any:
    return True if call.dialect == BETA1 else (call.reduce_init is not None) == _loads(call)


def _initial_only_with_load(call: Call) -> Any:
    return _loads(call) or (False if is_tile(call.reduce_init) else call.reduce_init == 0.0)


TENSOR_SCALAR_REDUCE = (
    Requirement(
        "NKI205", "reverse0", lambda call: negation(truth(call.reverse0)), "`reverse0` has no effect on this operation"
    ),
    Requirement("NKI205", "operand0", _no_operand_for_unary("operand0", "op0"), "`op0` has no second operand"),
    _fp32_operand("operand0", "op0"),
    _UNARY_ON_TARGET,
    Requirement(
        "NKI205",
        "reduce_init",
        _initial_exactly_with_load,
        "`reduce_init` and `reduce_cmd.load_reduce` are given only together",
    ),
    *not_gathered("operand0", "reduce_res", "reduce_init"),
)

TENSOR_SCALAR_CUMULATIVE = (
    Requirement(
        "NKI205",
        "imm1",
        lambda call: not _loads(call) or call.imm1 is not None,
        "`reduce_cmd.load_reduce` loads `imm1`, which is not given",
    ),
    *not_gathered("imm0", "imm1"),
)

EXPONENTIAL = (
    Requirement(
        "NKI205",
        "reduce_init",
        _initial_only_with_load,
        "`reduce_init` has an effect only with `reduce_cmd.load_reduce`",
    ),
    *not_gathered("max_value", "reduce_res", "reduce_init"),
)


# --- activations ---------------------------------------------------------------------------------------------------


def _gen2_adds(call: Call) -> bool:
    return call.target.generation >= 3 or operator(call, "reduce_op") in (None, "add")


def _reciprocal_without_bias(call: Call) -> bool:
    biased = call.target.generation == 2 and operator(call, "op") == "reciprocal"
    return not biased or call.get("bias") is None


_BIAS_ON_GEN2 = Requirement(
    "NKI206", "bias", _reciprocal_without_bias, "the reciprocal of {target}'s Scalar Engine takes no bias"
)

ACTIVATION_REDUCE = (
    Requirement("NKI206", "reduce_op", _gen2_adds, "the Scalar Engine of {target} reduces by addition alone"),
    _BIAS_ON_GEN2,
    *not_gathered("bias", "scale", "reduce_res"),
)

ACTIVATE2 = (
    Requirement(
        "NKI205",
        "op1",
        lambda call: (operator(call, "op0"), operator(call, "op1")) in _STAGES,
        "the Scalar Engine does not combine these two operators",
    ),
    *not_gathered("imm0", "imm1", "relu_param", "reduce_res"),
)


# --- reductions, copies, random numbers ----------------------------------------------------------------------------

TENSOR_REDUCE = (
    _bits_of("data", "op"),
    _bits_of("dst", "op"),
    Requirement(
        "NKI205",
        "negate",
        lambda call: negation(truth(call.negate)) if is_bitvec(operator(call, "op") or "") else True,
        "a bitwise reduction cannot be negated",
    ),
)

TENSOR_COPY = (_not_in_psum("src"), _not_in_psum("dst"))


def _value_fits_dtype(call: Call) -> Any:
    """A float is no value for a tile of integers; packed dtypes take 0 alone."""
    if call.dialect == BETA1 or call.before("0.3") or not is_tile(call.dst):
        return True
    return negation(dtype_in(call.dst.dtype, INTEGERS)) if isinstance(call.value, float) else True


def _packed_zero(call: Call) -> Any:
    if call.dialect == BETA1 or call.before("0.3") or not is_tile(call.dst):
        return True
    return implies(call.dst.dtype.packed > 1, call.value == 0)


MEMSET = (
    Requirement("NKI202", "value", _value_fits_dtype, "`value` is the float {value}; `dst` is {dst.dtype}"),
    Requirement(
        "NKI202", "value", _packed_zero, "`value` is {value}; a tile of {dst.dtype} can be filled with 0 alone"
    ),
    _not_in_psum("dst"),
)


def _probability(call: Call) -> Any:
    if not is_tile(call.prob):
        return True
    of_integers = dtype_in(call.data.dtype, INTEGERS)
    return any_of((dtype_in(call.prob.dtype, FP32), all_of((negation(of_integers), call.prob.dtype.is_float))))


def _keeps_integers(call: Call) -> Any:
    if call.dialect == NKI or call.get("dtype") is None:
        return True
    return implies(dtype_in(call.data.dtype, INTEGERS), same_dtype(call.data.dtype, as_dtype(call.dtype)))


DROPOUT = (
    Requirement(
        "NKI202", "prob", _probability, "`prob` is {prob.dtype}; it is float32, or any float where `data` is a float"
    ),
    Requirement("NKI202", "dtype", _keeps_integers, "`dtype` is {dtype}; dropout of integers keeps {data.dtype}"),
)


def _state_size(name: str) -> Requirement:
    def holds(call: Call) -> Any:
        if on_engine(call, "gpsimd", "vector"):
            return call.get(name).free == (6 if on_engine(call, "gpsimd") else 24) if is_tile(call.get(name)) else True
        return True

    message = (
        f"`{name}` has {{{name}.free}} elements per partition; a state is 6 on the GpSimd and 24 on the Vector Engine"
    )
    return Requirement("NKI109", name, holds, message)


def _state_in_sbuf(call: Call) -> Any:
    limited = on_engine(call, "gpsimd") or call.target.generation < 4
    return negation(in_memory(call.dst, PSUM)) if limited and is_tile(call.dst) else True


def _reduces(call: Call) -> bool:
    """An operator of reduction comes with a command: to reduce, or to do nothing but read the registers out."""
    return call.get("reduce_op") is None or "reduce_cmd" in call.given


ACTIVATION = (
    _BIAS_ON_GEN2,
    Requirement(
        "NKI205",
        "reduce_op",
        _reduces,
        "`reduce_op` is given, but `reduce_cmd` is idle, so that nothing is reduced",
        enforced=False,
    ),
    *not_gathered("bias", "scale", "reduce_res"),
)
RNG = (_not_in_psum("dst"),)
RAND_SET_STATE = (_state_size("src_seeds"),)
RAND_GET_STATE = (
    _state_size("dst"),
    Requirement("NKI201", "dst", _state_in_sbuf, "`dst` is in psum, which this engine of {target} cannot reach"),
)
