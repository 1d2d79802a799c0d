"""Gathers, searches and shuffles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..words.conditions import IsUnknown, all_of, any_of
from ..words.dialects import BETA1, NKI
from ..words.dtypes import (
    BFLOAT16,
    FLOAT32,
    INT32,
    UINT16,
    UINT32,
)
from ..words.memory import ON_CHIP, SBUF
from .effects import ALIGNED, RESULT, ROWS, Blocks, Effects, Gathered, Possible, Shuffled
from .form import Call, Limit, Result, operation, reads, usual_effects, writes
from .isa_results import MASK, columns, like, page, result_memory, tile
from .particular_movement import (
    LOCAL_GATHER,
    NC_FIND_INDEX8,
    NC_STREAM_SHUFFLE,
    TOPK,
)
from .requires import Requires
from .signatures import Era


@operation(
    "isa.local_gather",
    beta1="src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, *, mask=None",
    nki="dst, src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, name=None",
    engines="gpsimd",
    page=page("local_gather"),
    src_buffer=reads(SBUF, how=Gathered("index")),
    index=reads(SBUF, (UINT16,), how=Possible(Blocks(16))),
    dst=writes(SBUF),
    limits=[
        Limit("NKI109", "src_buffer", "partitions", "multiple", 16, page("local_gather")),
        Limit("NKI109", "index", "partitions", "multiple", 16, page("local_gather")),
    ],
    requires=Requires(same_partitions=("src_buffer", "index"), fixed_partitions=("src_buffer", "index")),
    requirements=LOCAL_GATHER,
    history=(Era(BETA1, "2.20", "2.21", "src_buffer, index, num_elem_per_idx=1, num_valid_indices=None, mask=None"),),
)
def local_gather(call: Call) -> Result:
    source, index = tile(call, "src_buffer"), tile(call, "index")
    indices = 16 * index.free if call.num_valid_indices is None else call.num_valid_indices
    if call.dialect != BETA1:
        return Result((source.shape[0], indices, call.num_elem_per_idx), source.dtype, exact=False)
    # The one documented call names all indices and several elements; what other calls return is not documented.
    if (indices == 16 * index.free) is not True or (call.num_elem_per_idx == 1) is not False:
        raise IsUnknown("the shape of this gather's result is not documented")
    return Result((source.shape[0], *index.shape[1:], 16, call.num_elem_per_idx), source.dtype, result_memory(call))


@operation(
    "isa.nc_n_gather",
    nki="dst, data, indices, name=None",
    engines="gpsimd",
    page=page("nc_n_gather"),
    data=reads(SBUF, how=Gathered("indices")),
    indices=reads(SBUF, (UINT32,), how=ALIGNED),
    dst=writes(SBUF),
    requires=Requires(same_partitions=("data", "indices"), same_dtype=(("data", "dst"),)),
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
    data=reads(ON_CHIP, how=ROWS),
    vals=reads(ON_CHIP, how=Possible(ROWS, ALIGNED)),
    dst=writes(ON_CHIP, (UINT16, UINT32)),
    limits=[
        Limit("NKI105", "vals", "rank", "<=", 3, page("nc_find_index8")),
        Limit("NKI109", "data", "free", ">=", 8, page("nc_find_index8")),
        Limit("NKI102", "data", "free", "<=", 16384, page("nc_find_index8")),
        Limit("NKI109", "vals", "free", "==", 8, page("nc_find_index8")),
    ],
    requires=Requires(same_partitions=("data", "vals")),
    requirements=NC_FIND_INDEX8,
)
def nc_find_index8(call: Call) -> Result:
    return columns(call, "data", 8, UINT32 if call.dialect == BETA1 else None)


def _replaced(call: Call) -> Effects:
    """A mask leaves out elements from the search: they are those of `data`."""
    effects = usual_effects(call).depending("dst_idx", data=ROWS, vals=Possible(ROWS, ALIGNED))
    return effects.changed(RESULT, outside="data")


@operation(
    "isa.nc_match_replace8",
    beta1=f"*, data, vals, imm, dst_idx=None, {MASK}",
    nki="dst, data, vals, imm, dst_idx=None, name=None",
    engines="vector",
    since="2.22",
    page=page("nc_match_replace8"),
    parameter_versions={"dst_idx": "2.25"},
    data=reads(ON_CHIP, how=Possible(ROWS, ALIGNED)),
    vals=reads(ON_CHIP, how=Possible(ROWS)),
    dst_idx=writes(ON_CHIP),
    dst=writes(ON_CHIP),
    limits=[
        Limit("NKI105", "data", "rank", "<=", 5, page("nc_match_replace8")),
        Limit("NKI105", "vals", "rank", "<=", 3, page("nc_match_replace8")),
        Limit("NKI102", "data", "free", "<=", 16384, page("nc_match_replace8")),
        Limit("NKI109", "vals", "free", "==", 8, page("nc_match_replace8")),
    ],
    depends=_replaced,
    requires=Requires(same_partitions=("data", "vals", "dst_idx"), same_free=("vals", "dst_idx")),
    history=(Era(BETA1, "2.22", "2.25", "*, data, vals, imm, mask=None, dtype=None, **kwargs"),),
)
def nc_match_replace8(call: Call) -> Result:
    return like(call, "data")


UNMODIFIED = 255
"""Stands in a shuffle mask for a partition of `dst` that stays as it is."""


def _shuffled(call: Call) -> Effects:
    mask = call.shuffle_mask
    if not isinstance(mask, (list, tuple)) or not all(isinstance(entry, int) for entry in mask):
        raise IsUnknown("`shuffle_mask` is not a list of constants")
    effects = usual_effects(call, Shuffled(tuple(mask)))
    return effects.changed("dst", partitions=partly(mask)) if UNMODIFIED in mask else effects


def partly(mask: Sequence[int]) -> Callable[[Any], Any]:
    """Of the number of a partition, whether a shuffle writes it."""
    runs: list[list[int]] = []
    for position, entry in enumerate(mask):
        if entry == UNMODIFIED:
            continue
        if runs and runs[-1][1] == position:
            runs[-1][1] = position + 1
        else:
            runs.append([position, position + 1])

    def is_written(partition: Any) -> Any:
        place = partition % len(mask)
        return any_of([all_of((place >= first, place < end)) for first, end in runs])

    return is_written


@operation(
    "isa.nc_stream_shuffle",
    beta1="src, dst, shuffle_mask, *, dtype=None, mask=None, **kwargs",
    nki="dst, src, shuffle_mask, name=None",
    engines="vector",
    since="2.22",
    page=page("nc_stream_shuffle"),
    src=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    depends=_shuffled,
    requires=Requires(same_free=("src", "dst"), same_dtype=(("src", "dst"),)),
    requirements=NC_STREAM_SHUFFLE,
)
def nc_stream_shuffle(call: Call) -> None:
    return None


def _first_of_cores(call: Call) -> Effects:
    """Each core of the GpSimd Engine serves 16 partitions, of which this operation takes the first."""
    effects = usual_effects(call, ROWS).changed("dst", partitions=_is_first)
    return replace(effects, only={"src": _is_first})


def _is_first(partition: Any) -> Any:
    return partition % 16 == 0


@operation(
    "isa.nonzero_with_count",
    nki="dst, src, index_offset=0, padding_val=-1, name=None",
    engines="gpsimd",
    targets=("trn2", "trn3"),
    page=page("nonzero_with_count"),
    parameter_versions={"name": "0.3"},
    src=reads(SBUF, (FLOAT32, INT32)),
    dst=writes(SBUF, (INT32,)),
    depends=_first_of_cores,
    requires=Requires(fixed_partitions=("src", "dst")),
    history=(Era(NKI, "0.2", "0.3", "dst, src, index_offset=0, padding_val=-1"),),
)
def nonzero_with_count(call: Call) -> Result:
    src = tile(call, "src")
    return Result((src.shape[0], src.free + 1), INT32, exact=False)


def _sorted_in_groups(call: Call) -> Effects:
    whole = (call.n == 16 * tile(call, "src").free) is True
    return usual_effects(call, Blocks(16) if whole else Possible(Blocks(16)))


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
    depends=_sorted_in_groups,
    requires=Requires(same_partitions=("src", "val_dst", "idx_dst"), same_free=("val_dst", "idx_dst")),
    requirements=TOPK,
)
def topk(call: Call) -> Any:
    return None
