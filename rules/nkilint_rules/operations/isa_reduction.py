"""Reductions, scans and statistics."""

from __future__ import annotations

from typing import Any

from ..words.conditions import IsUnknown
from ..words.dialects import BETA1, NKI
from ..words.dtypes import (
    BFLOAT16,
    FLOAT8_E4M3,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    INT8,
    INT16,
    UINT8,
    UINT16,
)
from ..words.memory import ON_CHIP, SBUF
from ..words.promotion import promote
from ..words.shapes import axes_of, reduced
from .effects import ROWS, SCANNED, Effects, Reduced
from .form import Call, Limit, Result, operation, reads, usual_effects, writes
from .isa_results import MASK, columns, like, page, reduced_aside, result_dtype, result_memory, says, tile
from .particular_compute import TENSOR_REDUCE, TENSOR_SCALAR_CUMULATIVE, TENSOR_SCALAR_REDUCE
from .particular_movement import MAX8
from .requires import FP32, Column, Requires
from .signatures import Era

_CUMULATIVE = (BFLOAT16, FLOAT16, FLOAT32, FLOAT8_E4M3, FLOAT8_E4M3FN, FLOAT8_E5M2, UINT8, UINT16, INT8, INT16)


def reduced_axes(call: Call) -> tuple[int, ...]:
    """The axes that `tensor_reduce` reduces.

    Beta 1 calls axis 1 the innermost free axis in one sentence and the first one in another. The readings agree where
    the axes reach to the last one; elsewhere on a tile of several free axes the meaning is unknown.
    """
    rank = tile(call, "data").rank
    axes = axes_of(call.axis, rank)
    if call.dialect == BETA1 and rank > 2 and axes[0] == 1 and axes[-1] != rank - 1:
        raise IsUnknown("the documentation of Beta 1 does not say which axes `axis` names on a tile of this rank")
    return axes


def _reduced(call: Call) -> Effects:
    return usual_effects(call, Reduced(reduced_axes(call), call.keepdims is True))


@operation(
    "isa.tensor_reduce",
    beta1="op, data, axis, *, mask=None, dtype=None, negate=False, keepdims=False, **kwargs",
    nki="dst, op, data, axis, negate=False, keepdims=False, name=None",
    engines="vector",
    page=page("tensor_reduce"),
    data=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    depends=_reduced,
    requires=Requires(operators={"op": "reduce"}, last_free_axes=True),
    requirements=TENSOR_REDUCE,
    history=(
        Era(BETA1, "2.20", "2.21", "op, data, axis, mask=None, dtype=None, negate=False, keepdims=False, **kwargs"),
    ),
)
def tensor_reduce(call: Call) -> Result:
    data = tile(call, "data")
    if not isinstance(call.keepdims, bool):
        raise IsUnknown("`keepdims` is not a constant")
    sizes = _at_least_two(reduced(data.shape, reduced_axes(call), call.keepdims))
    if call.dialect == BETA1:
        return Result(sizes, result_dtype(call, data.dtype), result_memory(call))
    return Result(sizes, None, exact=False)


def _at_least_two(sizes: tuple[Any, ...]) -> tuple[Any, ...]:
    """On chip a tile keeps one free axis even where all were reduced."""
    return sizes if len(sizes) > 1 else (*sizes, 1)


@operation(
    "isa.tensor_partition_reduce",
    beta1="op, data, *, mask=None, dtype=None, **kwargs",
    nki="dst, op, data, name=None",
    engines="gpsimd",
    since="2.21",
    page=page("tensor_partition_reduce"),
    data=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    nki_operands={"data": reads(SBUF), "dst": writes(SBUF)},
    depends=Reduced((0,), kept=True),
    requires=Requires(operators={"op": "partition-reduce"}),
)
def tensor_partition_reduce(call: Call) -> Result:
    data = tile(call, "data")
    sizes = (1, *data.shape[1:])
    if call.dialect == BETA1:
        return Result(sizes, result_dtype(call, data.dtype), result_memory(call))
    return Result(sizes, None, exact=False)


@operation(
    "isa.tensor_scalar_reduce",
    beta1="*, data, op0, operand0, reduce_op, reduce_res, reverse0=False, dtype=None, mask=None, **kwargs",
    nki="dst, data, op0, operand0, reduce_op, reduce_res=None, reverse0=False, "
    "reduce_cmd=isa.reduce_cmd.reset_reduce, reduce_init=None, reduce_res_negate=False, name=None",
    engines="vector",
    since="2.21",
    page=page("tensor_scalar_reduce"),
    parameter_versions={"reduce_cmd": "0.4", "reduce_init": "0.4", "reduce_res_negate": "0.6"},
    data=reads(ON_CHIP),
    operand0=reads(ON_CHIP, scalar=True, how=ROWS),
    reduce_init=reads(ON_CHIP, (FLOAT32,), scalar=True, how=ROWS),
    reduce_res=writes(ON_CHIP, how=ROWS),
    dst=writes(ON_CHIP),
    depends=reduced_aside,
    requires=Requires(
        columns={
            "operand0": Column("data"),
            "reduce_init": Column("data", FP32),
            "reduce_res": Column("data", scalar=False),
        },
        operators={"op0": "arithmetic", "reduce_op": "accumulate-or-subtract"},
    ),
    nki_requires=Requires(operators={"op0": "arithmetic", "reduce_op": "accumulate"}),
    requirements=TENSOR_SCALAR_REDUCE,
    history=(
        Era(NKI, "0.1", "0.4", "dst, data, op0, operand0, reduce_op, reduce_res, reverse0=False, name=None"),
        Era(
            NKI,
            "0.4",
            "0.6",
            "dst, data, op0, operand0, reduce_op, reduce_res, reverse0=False, "
            "reduce_cmd=isa.reduce_cmd.reset_reduce, reduce_init=None, name=None",
        ),
    ),
)
def tensor_scalar_reduce(call: Call) -> Result:
    return like(call, "data")


def _cumulated(call: Call) -> Effects:
    loaded = says(call, "reduce_cmd", "load_reduce")
    return usual_effects(call) if loaded else usual_effects(call).without("imm1")


# Documented for 0.x only, but AWS's example of it imports `neuronxcc.nki`.
@operation(
    "isa.tensor_scalar_cumulative",
    beta1="dst, src, op0, op1, imm0, imm1=None, reduce_cmd=isa.reduce_cmd.reset_reduce, **kwargs",
    nki="dst, src, op0, op1, imm0, imm1=None, reduce_cmd=isa.reduce_cmd.reset_reduce, name=None",
    engines="vector",
    page=page("tensor_scalar_cumulative"),
    parameter_versions={"name": "0.3"},
    src=reads(ON_CHIP, _CUMULATIVE, how=SCANNED),
    imm0=reads(ON_CHIP, (FLOAT32,), scalar=True, how=ROWS),
    imm1=reads(ON_CHIP, (FLOAT32,), scalar=True, how=ROWS),
    dst=writes(ON_CHIP, _CUMULATIVE),
    depends=_cumulated,
    requires=Requires(
        columns={"imm0": Column("src", FP32), "imm1": Column("src", FP32)},
        operators={"op0": "arithmetic", "op1": "accumulate-or-subtract"},
    ),
    beta1_requires=Requires(same_partitions=("src", "dst"), same_free=("src", "dst")),
    requirements=TENSOR_SCALAR_CUMULATIVE,
    history=(Era(NKI, "0.1", "0.3", "dst, src, op0, op1, imm0, imm1=None, reduce_cmd=isa.reduce_cmd.reset_reduce"),),
)
def tensor_scalar_cumulative(call: Call) -> Result | None:
    return None if call.dialect == BETA1 else like(call, "src")


@operation(
    "isa.tensor_tensor_scan",
    beta1="data0, data1, initial, op0, op1, reverse0=False, reverse1=False, *, dtype=None, mask=None, **kwargs",
    nki="dst, data0, data1, initial, op0, op1, reverse0=False, reverse1=False, name=None",
    engines="vector",
    page=page("tensor_tensor_scan"),
    data0=reads(ON_CHIP),
    data1=reads(ON_CHIP),
    initial=reads(ON_CHIP, scalar=True, how=ROWS),
    dst=writes(ON_CHIP),
    depends=SCANNED,
    requires=Requires(
        same_partitions=("data0", "data1"),
        same_free=("data0", "data1"),
        columns={"initial": Column("data0")},
        not_both_psum=("data0", "data1"),
        operators={"op0": "arithmetic-binary", "op1": "arithmetic-binary"},
    ),
    history=(
        Era(
            BETA1,
            "2.20",
            "2.21",
            "data0, data1, initial, op0, op1, reverse0=False, reverse1=False, dtype=None, mask=None, **kwargs",
        ),
    ),
)
def tensor_tensor_scan(call: Call) -> Result:
    return like(call, "data0", promote(tile(call, "data0").dtype, tile(call, "data1").dtype))


@operation(
    "isa.bn_stats",
    beta1="data, *, mask=None, dtype=None, **kwargs",
    nki="dst, data, name=None",
    engines="vector",
    page=page("bn_stats"),
    data=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    limits=[Limit("NKI102", "data", "free", "<=", "bn_stats_fmax", page("bn_stats"))],
    depends=ROWS,
    history=(Era(BETA1, "2.20", "2.21", "data, mask=None, dtype=None, **kwargs"),),
)
def bn_stats(call: Call) -> Result:
    return columns(call, "data", 6)


@operation(
    "isa.bn_aggr",
    beta1="data, *, mask=None, dtype=None, **kwargs",
    nki="dst, data, name=None",
    engines="vector",
    page=page("bn_aggr"),
    data=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    limits=[Limit("NKI109", "data", "free", "multiple", 3, page("bn_aggr"))],
    depends=ROWS,
    history=(Era(BETA1, "2.20", "2.21", "data, mask=None, dtype=None, **kwargs"),),
)
def bn_aggr(call: Call) -> Result:
    return columns(call, "data", 2)


@operation(
    "isa.max8",
    beta1=f"*, src, {MASK}",
    nki="dst, src, name=None",
    engines="vector",
    since="2.22",
    page=page("max8"),
    src=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    limits=[
        Limit("NKI109", "src", "free", ">=", 8, page("max8")),
        Limit("NKI102", "src", "free", "<=", 16384, page("max8")),
    ],
    depends=ROWS,
    requirements=MAX8,
)
def max8(call: Call) -> Result:
    return columns(call, "src", 8)
