"""Activation functions on the Scalar Engine, and the Vector Engine's exponential."""

from __future__ import annotations

from ..words.dialects import BETA1, NKI
from ..words.dtypes import (
    BFLOAT16,
    FLOAT8_E4M3,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    INT8,
    INT16,
    INT32,
    TFLOAT32,
    UINT8,
    UINT16,
    UINT32,
)
from ..words.memory import ON_CHIP
from .effects import ALIGNED, ROWS, Effects
from .form import Call, Limit, Result, operation, reads, usual_effects, writes
from .implicit import bias_of_zeros
from .isa_results import MASK, like, page, reduced_aside, says
from .particular_compute import ACTIVATE2, ACTIVATION, ACTIVATION_REDUCE, EXPONENTIAL
from .requires import ALL_BUT_TFLOAT32, BIASES, FP32, Column, Requires
from .signatures import Era

_NARROW_FLOATS = (FLOAT8_E4M3, FLOAT8_E5M2, FLOAT16, BFLOAT16, FLOAT32)
_EXPONENTIAL_INPUTS = (*_NARROW_FLOATS, INT8, INT16, INT32, UINT8, UINT16, UINT32)
_EXPONENTIAL_RESULTS = (*_NARROW_FLOATS, TFLOAT32, INT8, INT16, INT32, UINT8, UINT16)

_COLUMNS_BETA1 = Requires(
    columns={
        "scale": Column("data", FP32),
        "bias": Column("data", BIASES, scalar=False),
        "reduce_res": Column("data", scalar=False),
    }
)
_COLUMNS = Requires(
    columns={
        "scale": Column("data", FP32),
        "bias": Column("data", ALL_BUT_TFLOAT32, scalar_generation=3),
        "reduce_res": Column("data", scalar=False),
    }
)


def _activate2(call: Call) -> Effects:
    """An immediate takes part unless its stage is bypassed."""
    effects = usual_effects(call)
    for stage in "01":
        if call.get(f"op{stage}") is None or says(call, f"op{stage}", "bypass"):
            effects = effects.without(f"imm{stage}")
    return effects


@operation(
    "isa.activation",
    beta1=f"op, data, *, bias=None, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd=isa.reduce_cmd.idle, {MASK}",
    nki="dst, op, data, bias=None, scale=1.0, reduce_op=None, reduce_res=None, reduce_cmd=isa.reduce_cmd.idle, "
    "name=None",
    engines="scalar",
    implicit=bias_of_zeros,
    page=page("activation"),
    parameter_versions={"reduce_op": "2.22", "reduce_res": "2.22", "reduce_cmd": "2.22"},
    data=reads(ON_CHIP),
    bias=reads(ON_CHIP, scalar=True, how=ROWS),
    scale=reads(ON_CHIP, scalar=True, how=ROWS),
    reduce_res=writes(ON_CHIP, how=ROWS),
    dst=writes(ON_CHIP),
    depends=ALIGNED,
    requires=Requires(operators={"op": "activation", "reduce_op": "add"}),
    beta1_requires=_COLUMNS_BETA1,
    nki_requires=_COLUMNS,
    requirements=ACTIVATION,
    history=(
        Era(BETA1, "2.20", "2.21", "op, data, bias=None, scale=1.0, mask=None, dtype=None, **kwargs"),
        Era(BETA1, "2.21", "2.22", "op, data, *, bias=None, scale=1.0, mask=None, dtype=None, **kwargs"),
    ),
)
def activation(call: Call) -> Result:
    return like(call, "data")


@operation(
    "isa.activation_reduce",
    beta1=f"op, data, *, reduce_op, reduce_res, bias=None, scale=1.0, {MASK}",
    nki="dst, op, data, reduce_op, reduce_res, bias=None, scale=1.0, name=None",
    engines="scalar",
    implicit=bias_of_zeros,
    since="2.21",
    page=page("activation_reduce"),
    data=reads(ON_CHIP),
    bias=reads(ON_CHIP, scalar=True, how=ROWS),
    scale=reads(ON_CHIP, scalar=True, how=ROWS),
    reduce_res=writes(ON_CHIP, how=ROWS),
    dst=writes(ON_CHIP),
    depends=ALIGNED,
    requires=Requires(operators={"op": "activation", "reduce_op": "reduce"}),
    beta1_requires=_COLUMNS_BETA1,
    nki_requires=_COLUMNS,
    requirements=ACTIVATION_REDUCE,
)
def activation_reduce(call: Call) -> Result:
    return like(call, "data")


@operation(
    "isa.activate2",
    nki="dst, op, data, imm0, imm1, op0, op1, relu_param=0.0, reverse0=False, reverse1=False, reduce_op=None, "
    "reduce_res=None, reduce_cmd=isa.reduce_cmd.idle, name=None",
    engines="scalar",
    targets=("trn3",),
    since="0.4",
    page=page("activate2"),
    data=reads(ON_CHIP),
    imm0=reads(ON_CHIP, scalar=True, how=ROWS),
    imm1=reads(ON_CHIP, scalar=True, how=ROWS),
    relu_param=reads(ON_CHIP, scalar=True, how=ROWS),
    reduce_res=writes(ON_CHIP, how=ROWS),
    dst=writes(ON_CHIP),
    depends=_activate2,
    requires=Requires(
        same_dtype=(("imm0", "imm1"),),
        columns={
            "imm0": Column("data"),
            "imm1": Column("data"),
            "relu_param": Column("data"),
            "reduce_res": Column("data", scalar=False),
        },
        operators={
            "op": "activation",
            "op0": "tensor-scalar-stage",
            "op1": "tensor-scalar-stage",
            "reduce_op": "activate2-reduce",
        },
    ),
    requirements=ACTIVATE2,
)
def activate2(call: Call) -> Result:
    return like(call, "data")


@operation(
    "isa.exponential",
    nki="dst, src, max_value=0.0, reduce_res=None, reduce_cmd=isa.reduce_cmd.idle, reduce_init=0.0, name=None",
    engines="vector",
    targets=("trn3",),
    page=page("exponential"),
    parameter_versions={"name": "0.3"},
    src=reads(ON_CHIP, _EXPONENTIAL_INPUTS),
    max_value=reads(ON_CHIP, scalar=True, how=ROWS),
    reduce_init=reads(ON_CHIP, scalar=True, how=ROWS),
    reduce_res=writes(ON_CHIP, (*_NARROW_FLOATS, TFLOAT32), how=ROWS),
    dst=writes(ON_CHIP, _EXPONENTIAL_RESULTS),
    limits=[
        Limit("NKI105", "src", "rank", "<=", 4, page("exponential")),
        Limit("NKI105", "dst", "rank", "<=", 4, page("exponential")),
    ],
    depends=reduced_aside,
    requires=Requires(
        columns={
            "max_value": Column("src", FP32),
            "reduce_init": Column("src", FP32),
            "reduce_res": Column("src", scalar=False),
        }
    ),
    requirements=EXPONENTIAL,
    history=(
        Era(
            NKI,
            "0.2",
            "0.3",
            "dst, src, max_value=0.0, reduce_res=None, reduce_cmd=isa.reduce_cmd.idle, reduce_init=0.0",
        ),
    ),
)
def exponential(call: Call) -> Result:
    return like(call, "src")
