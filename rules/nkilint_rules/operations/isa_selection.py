"""Patterns and selections."""

from __future__ import annotations

from ..words.conditions import IsUnknown, Unknown
from ..words.dialects import BETA1, NKI
from ..words.dtypes import (
    BFLOAT16,
    BOOL,
    FLOAT8_E4M3,
    FLOAT8_E4M3FN,
    FLOAT8_E5M2,
    FLOAT16,
    FLOAT32,
    INT8,
    INT16,
    INT32,
    TFLOAT32,
    UINT8,
    UINT16,
)
from ..words.memory import ON_CHIP, SBUF
from ..words.promotion import as_dtype
from .effects import ALIGNED, ROWS, Chosen, Effects, Possible
from .form import Call, Limit, Result, operation, reads, usual_effects, writes
from .isa_results import MASK, like, page, result_dtype, result_memory, tile, written_through_dst
from .particular_movement import RANGE_SELECT
from .particular_patterns import AFFINE_SELECT, IOTA
from .requires import FP32, Column, Requires
from .signatures import Era

_ENGINE_FLOATS = (FLOAT8_E4M3, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT16, BFLOAT16, TFLOAT32, FLOAT32)
_SELECTABLE = (FLOAT8_E4M3, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT16, BFLOAT16, FLOAT32, INT8, INT16, UINT8, UINT16, BOOL)


@operation(
    "isa.iota",
    beta1="expr, dtype, *, mask=None, **kwargs",
    nki="dst, pattern, offset=0, channel_multiplier=0, name=None",
    engines="gpsimd",
    page=page("iota"),
    dst=writes(SBUF),
    requirements=IOTA,
    history=(
        Era(BETA1, "2.20", "2.21", "expr, dtype, mask=None, **kwargs"),
        Era(NKI, "0.1", "0.3", "dst, pattern, offset, channel_multiplier=0, name=None"),
    ),
)
def iota(call: Call) -> Result | None:
    if call.dialect != BETA1:
        return None
    if isinstance(call.expr, Unknown):
        raise IsUnknown(call.expr.reason)
    sizes = getattr(call.expr, "shape", (1, 1))  # a loop index alone makes a single element
    return Result(tuple(sizes), as_dtype(call.dtype), result_memory(call))


def _affinely_chosen(call: Call) -> Effects:
    return usual_effects(call, Chosen("pred" if call.dialect == BETA1 else ""))


@operation(
    "isa.affine_select",
    beta1="pred, on_true_tile, on_false_value, *, mask=None, dtype=None, **kwargs",
    nki="dst, pattern, channel_multiplier, on_true_tile, on_false_value, cmp_op=language.equal, offset=0, name=None",
    engines="gpsimd",
    page=page("affine_select"),
    on_true_tile=reads(ON_CHIP, (*_ENGINE_FLOATS, INT8, INT16, UINT8, UINT16, BOOL)),
    dst=writes(SBUF),
    nki_operands={"on_true_tile": reads(SBUF)},
    depends=_affinely_chosen,
    requires=Requires(operators={"cmp_op": "comparison"}),
    requirements=AFFINE_SELECT,
    history=(
        Era(BETA1, "2.20", "2.21", "pred, on_true_tile, on_false_value, mask=None, dtype=None, **kwargs"),
        Era(
            NKI,
            "0.1",
            "0.3",
            "dst, pattern, offset, channel_multiplier, on_true_tile, on_false_value, cmp_op=language.equal, name=None",
        ),
    ),
)
def affine_select(call: Call) -> Result:
    return like(call, "on_true_tile")


def _ranged(call: Call) -> Effects:
    return usual_effects(call).depending("reduce_res", on_true_tile=Chosen(of=ROWS))


@operation(
    "isa.range_select",
    beta1="*, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=isa.reduce_cmd.idle, reduce_res=None, "
    f"reduce_op=numpy.amax, range_start=0, on_false_value=-3.4028234663852886e+38, {MASK}",
    nki="dst, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=isa.reduce_cmd.reset_reduce, "
    "reduce_res=None, reduce_op=language.maximum, range_start=0, on_false_value=-3.4028234663852886e+38, name=None",
    engines="vector",
    since="2.23",
    targets=("trn2", "trn3"),
    page=page("range_select"),
    on_true_tile=reads(ON_CHIP, _ENGINE_FLOATS, how=Chosen()),
    bound0=reads(ON_CHIP, (FLOAT32,), how=ROWS),
    bound1=reads(ON_CHIP, (FLOAT32,), how=ROWS),
    reduce_res=writes(ON_CHIP),
    dst=writes(ON_CHIP),
    depends=_ranged,
    requires=Requires(
        columns={
            "bound0": Column("on_true_tile", FP32, scalar=False),
            "bound1": Column("on_true_tile", FP32, scalar=False),
            "reduce_res": Column("on_true_tile", scalar=False),
        },
        operators={"comp_op0": "range-comparison", "comp_op1": "range-comparison", "reduce_op": "maximum"},
    ),
    requirements=RANGE_SELECT,
    history=(
        Era(
            NKI,
            "0.1",
            "0.2",
            "dst, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=isa.reduce_cmd.idle, "
            "reduce_res=None, reduce_op=language.maximum, range_start=0.0, on_false_value=0.0, name=None",
        ),
        Era(
            NKI,
            "0.2",
            "0.3",
            "dst, on_true_tile, comp_op0, comp_op1, bound0, bound1, reduce_cmd=isa.reduce_cmd.reset_reduce, "
            "reduce_res=None, reduce_op=language.maximum, range_start=0.0, "
            "on_false_value=-3.4028234663852886e+38, name=None",
        ),
    ),
)
def range_select(call: Call) -> Result:
    return like(call, "on_true_tile")


def _selected(call: Call) -> Effects:
    turned = call.get("reverse_pred") is True
    effects = usual_effects(call)
    for name, how in (("dst", ALIGNED), ("reduce_res", ROWS)):
        for source, negated in (("on_true", turned), ("on_false", not turned)):
            if source in effects.reads:
                effects = effects.depending(name, **{source: Chosen("predicate", negated, how)})
        effects = effects.depending(name, predicate=how)
    return effects


@operation(
    "isa.select_reduce",
    beta1="*, dst, predicate, on_true, on_false, reduce_res=None, reduce_cmd=isa.reduce_cmd.idle, "
    f"reduce_op=numpy.amax, reverse_pred=False, {MASK}",
    nki="dst, predicate, on_true, on_false, reduce_res=None, reduce_cmd=isa.reduce_cmd.idle, "
    "reduce_op=language.maximum, reverse_pred=False, name=None",
    engines="vector",
    since="2.26",
    page=page("select_reduce"),
    predicate=reads(ON_CHIP, (INT8, UINT8, INT16, UINT16, BOOL)),
    on_true=reads(ON_CHIP, _SELECTABLE),
    on_false=reads(ON_CHIP, scalar=True),
    reduce_res=writes(ON_CHIP, _ENGINE_FLOATS),
    dst=writes(ON_CHIP),
    depends=_selected,
    requires=Requires(
        same_partitions=("on_true", "predicate"),
        same_free=("on_true", "predicate"),
        columns={"on_false": Column("on_true"), "reduce_res": Column("on_true", scalar=False)},
        not_both_psum=("on_true", "predicate"),
        operators={"reduce_op": "maximum"},
    ),
    beta1_requires=Requires(same_partitions=("on_true", "predicate", "dst"), same_free=("on_true", "predicate", "dst")),
)
def select_reduce(call: Call) -> Result | None:
    return written_through_dst(call, "on_true")


@operation(
    "isa.sequence_bounds",
    beta1="*, segment_ids, dtype=None",
    nki="dst, segment_ids, name=None",
    engines="gpsimd",
    since="2.26",
    page=page("sequence_bounds"),
    segment_ids=reads(ON_CHIP, (FLOAT32, INT32)),
    dst=writes(ON_CHIP, (FLOAT32, INT32)),
    nki_operands={"segment_ids": reads(SBUF, (FLOAT32, INT32)), "dst": writes(SBUF, (FLOAT32, INT32))},
    limits=[Limit("NKI109", "segment_ids", "partitions", "==", 1, page("sequence_bounds"))],
    depends=Possible(ROWS, ALIGNED),
)
def sequence_bounds(call: Call) -> Result:
    ids = tile(call, "segment_ids")
    sizes = (ids.shape[0], 2, ids.free)
    if call.dialect == BETA1:
        return Result(sizes, result_dtype(call, ids.dtype), result_memory(call))
    return Result(sizes, None, exact=False)
