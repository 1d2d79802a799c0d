"""Patterns, selections, searches and shuffles."""

from __future__ import annotations

from typing import Any

from ..words.conditions import IsUnknown, Unknown
from ..words.dialects import BETA1
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
    UINT32,
)
from ..words.memory import ON_CHIP, SBUF
from ..words.promotion import as_dtype
from .form import Call, Limit, Result, operation, reads, writes
from .isa_results import MASK, columns, like, page, result_dtype, result_memory, tile, written_through_dst

FLOATS = (FLOAT8_E4M3, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT16, BFLOAT16, TFLOAT32, FLOAT32)
_SELECTABLE = (FLOAT8_E4M3, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT16, BFLOAT16, FLOAT32, INT8, INT16, UINT8, UINT16, BOOL)


@operation(
    "isa.iota",
    beta1="expr, dtype, *, mask=None, **kwargs",
    nki="dst, pattern, offset=0, channel_multiplier=0, name=None",
    engines="gpsimd",
    page=page("iota"),
    dst=writes(SBUF),
)
def iota(call: Call) -> Result | None:
    if call.dialect != BETA1:
        return None
    if isinstance(call.expr, Unknown):
        raise IsUnknown(call.expr.reason)
    sizes = getattr(call.expr, "shape", (1, 1))  # a loop index alone makes a single element
    return Result(tuple(sizes), as_dtype(call.dtype), result_memory(call))


@operation(
    "isa.affine_select",
    beta1="pred, on_true_tile, on_false_value, *, mask=None, dtype=None, **kwargs",
    nki="dst, pattern, channel_multiplier, on_true_tile, on_false_value, cmp_op=language.equal, offset=0, name=None",
    engines="gpsimd",
    page=page("affine_select"),
    on_true_tile=reads(ON_CHIP, (*FLOATS, INT8, INT16, UINT8, UINT16, BOOL)),
    dst=writes(SBUF),
    nki_operands={"on_true_tile": reads(SBUF)},
)
def affine_select(call: Call) -> Result:
    return like(call, "on_true_tile")


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
    on_true_tile=reads(ON_CHIP, FLOATS),
    bound0=reads(ON_CHIP, (FLOAT32,)),
    bound1=reads(ON_CHIP, (FLOAT32,)),
    reduce_res=writes(ON_CHIP),
    dst=writes(ON_CHIP),
)
def range_select(call: Call) -> Result:
    return like(call, "on_true_tile")


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
    reduce_res=writes(ON_CHIP, FLOATS),
    dst=writes(ON_CHIP),
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
)
def sequence_bounds(call: Call) -> Result:
    ids = tile(call, "segment_ids")
    sizes = (ids.shape[0], 2, ids.free)
    if call.dialect == BETA1:
        return Result(sizes, result_dtype(call, ids.dtype), result_memory(call))
    return Result(sizes, None, exact=False)


@operation(
    "isa.local_gather",
    beta1="src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, *, mask=None",
    nki="dst, src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, name=None",
    engines="gpsimd",
    page=page("local_gather"),
    src_buffer=reads(SBUF),
    index=reads(SBUF, (UINT16,)),
    dst=writes(SBUF),
    limits=[
        Limit("NKI109", "src_buffer", "partitions", "multiple", 16, page("local_gather")),
        Limit("NKI109", "index", "partitions", "multiple", 16, page("local_gather")),
    ],
)
def local_gather(call: Call) -> Result:
    source, index = tile(call, "src_buffer"), tile(call, "index")
    indices = 16 * index.free if call.num_valid_indices is None else call.num_valid_indices
    if call.dialect != BETA1:
        return Result((source.shape[0], indices, call.num_elem_per_idx), source.dtype, exact=False)
    # The one documented call names all indices and several elements; what other calls return is not documented.
    if (indices == 16 * index.free) is not True or call.num_elem_per_idx == 1:
        raise IsUnknown("the shape of this gather's result is not documented")
    return Result((source.shape[0], *index.shape[1:], 16, call.num_elem_per_idx), source.dtype, result_memory(call))


@operation(
    "isa.nc_n_gather",
    nki="dst, data, indices, name=None",
    engines="gpsimd",
    page=page("nc_n_gather"),
    data=reads(SBUF),
    indices=reads(SBUF, (UINT32,)),
    dst=writes(SBUF),
)
def nc_n_gather(call: Call) -> Result:
    return Result(tuple(tile(call, "indices").shape), tile(call, "data").dtype, exact=False)


@operation(
    "isa.nc_find_index8",
    beta1=f"*, data, vals, {MASK}",
    nki="dst, data, vals, name=None",
    engines="vector",
    since="2.22",
    page=page("nc_find_index8"),
    data=reads(ON_CHIP),
    vals=reads(ON_CHIP),
    dst=writes(ON_CHIP, (UINT16, UINT32)),
    limits=[
        Limit("NKI105", "vals", "rank", "<=", 3, page("nc_find_index8")),
        Limit("NKI109", "data", "free", ">=", 8, page("nc_find_index8")),
        Limit("NKI102", "data", "free", "<=", 16384, page("nc_find_index8")),
        Limit("NKI109", "vals", "free", "==", 8, page("nc_find_index8")),
    ],
)
def nc_find_index8(call: Call) -> Result:
    return columns(call, "data", 8, UINT32 if call.dialect == BETA1 else None)


@operation(
    "isa.nc_match_replace8",
    beta1=f"*, data, vals, imm, dst_idx=None, {MASK}",
    nki="dst, data, vals, imm, dst_idx=None, name=None",
    engines="vector",
    since="2.22",
    page=page("nc_match_replace8"),
    parameter_versions={"dst_idx": "2.25"},
    data=reads(ON_CHIP),
    vals=reads(ON_CHIP),
    dst_idx=writes(ON_CHIP),
    dst=writes(ON_CHIP),
    limits=[
        Limit("NKI105", "data", "rank", "<=", 5, page("nc_match_replace8")),
        Limit("NKI105", "vals", "rank", "<=", 3, page("nc_match_replace8")),
        Limit("NKI102", "data", "free", "<=", 16384, page("nc_match_replace8")),
        Limit("NKI109", "vals", "free", "==", 8, page("nc_match_replace8")),
    ],
)
def nc_match_replace8(call: Call) -> Result:
    return like(call, "data")


@operation(
    "isa.nc_stream_shuffle",
    beta1="src, dst, shuffle_mask, *, dtype=None, mask=None, **kwargs",
    nki="dst, src, shuffle_mask, name=None",
    engines="vector",
    since="2.22",
    page=page("nc_stream_shuffle"),
    src=reads(ON_CHIP),
    dst=writes(ON_CHIP),
)
def nc_stream_shuffle(call: Call) -> None:
    return None


@operation(
    "isa.nonzero_with_count",
    nki="dst, src, index_offset=0, padding_val=-1, name=None",
    engines="gpsimd",
    targets=("trn2", "trn3"),
    page=page("nonzero_with_count"),
    parameter_versions={"name": "0.3"},
    src=reads(SBUF, (FLOAT32, INT32)),
    dst=writes(SBUF, (INT32,)),
)
def nonzero_with_count(call: Call) -> Result:
    src = tile(call, "src")
    return Result((src.shape[0], src.free + 1), INT32, exact=False)


@operation(
    "isa.topk",
    nki="val_dst, idx_dst, src, n, name=None",
    engines="gpsimd",
    since="0.6",
    page=page("topk"),
    src=reads(SBUF, (BFLOAT16,)),
    val_dst=writes(SBUF, (BFLOAT16,)),
    idx_dst=writes(SBUF, (UINT32,)),
    limits=[Limit("NKI109", "src", "partitions", "multiple", 16, page("topk"))],
)
def topk(call: Call) -> Any:
    return None
