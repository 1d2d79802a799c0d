"""What selections, gathers, searches, shuffles, DMA and synchronisation require beyond the tables."""

from __future__ import annotations

from typing import Any

from ..words.conditions import IsUnknown, Unknown, all_of, any_of, ceil_div, is_integer, maximum, rounded_up
from ..words.dialects import BETA1
from ..words.dtypes import BFLOAT16, FLOAT16, INT16, UINT16, UINT32, dtype_in, same_dtype
from ..words.memory import HBM
from ..words.shapes import axes_of, same_size
from ..words.tiles import Tile
from .form import Call
from .isa_results import TRANSPOSES, tile
from .language_constants import FP32_MIN
from .particular import Requirement, has_dtype, in_memory, is_tile, items, mode, one_of, truth

_GATHERED = (1, 2, 4, 8, 16, 32)
_EXACT_INTEGERS = 2**24
_TWO_BYTES = frozenset({BFLOAT16, FLOAT16, INT16, UINT16})


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# --- selections ----------------------------------------------------------------------------------------------------


def _is_fp32_min(call: Call) -> Any:
    value = call.on_false_value
    if not _is_number(value):
        raise IsUnknown(value.reason if isinstance(value, Unknown) else "`on_false_value` is not a constant")
    return call.before("0.3") or abs(value - FP32_MIN) <= 1e31  # half a unit in the last place; 0.2 takes any for it


def _indices_are_exact(call: Call) -> Any:
    return rounded_up(call.range_start) + call.on_true_tile.free <= _EXACT_INTEGERS


RANGE_SELECT = (
    Requirement(
        "NKI205", "on_false_value", _is_fp32_min, "`on_false_value` is {on_false_value}; it is the smallest fp32"
    ),
    Requirement(
        "NKI212",
        "range_start",
        _indices_are_exact,
        "indices reach {range_start} + {on_true_tile.free}; they are compared in float32, which is exact up to 2^24",
    ),
)


# --- gathers and searches ------------------------------------------------------------------------------------------


def _gathered_indices(call: Call) -> Any:
    return 16 * call.index.free if call.num_valid_indices is None else call.num_valid_indices


LOCAL_GATHER = (
    Requirement(
        "NKI109",
        "num_elem_per_idx",
        lambda call: one_of(call.num_elem_per_idx, _GATHERED),
        "`num_elem_per_idx` is {num_elem_per_idx}; a gather takes 1, 2, 4, 8, 16 or 32 elements for each index",
    ),
    Requirement(
        "NKI102",
        "index",
        lambda call: _gathered_indices(call) <= 4096,
        "a GpSimd core gathers by {indices} indices; it takes at most 4096",
        lambda call: {"indices": _gathered_indices(call)},
    ),
    Requirement(
        "NKI109",
        "num_valid_indices",
        lambda call: True if call.num_valid_indices is None else call.num_valid_indices <= 16 * call.index.free,
        "`num_valid_indices` is {num_valid_indices}; a GpSimd core has {indices} indices",
        lambda call: {"indices": 16 * call.index.free},
    ),
)


def _rank_limit(name: str, beta1: int, nki: int) -> Requirement:
    def limit(call: Call) -> int:
        return beta1 if call.dialect == BETA1 else nki

    def holds(call: Call) -> Any:
        return getattr(call, name).rank <= limit(call) if is_tile(getattr(call, name)) else True

    message = f"`{name}` has {{{name}.rank}} dimensions; this operation takes at most {{limit}}"
    return Requirement("NKI105", name, holds, message, lambda call: {"limit": limit(call)})


def _index_dtype(call: Call) -> Any:
    dtype = call.get("dtype")
    return True if call.dialect != BETA1 or dtype is None else dtype_in(dtype, frozenset({UINT16, UINT32}))


NC_FIND_INDEX8 = (
    _rank_limit("data", 5, 3),
    Requirement("NKI202", "dtype", _index_dtype, "`dtype` is {dtype}; indices are uint16 or uint32"),
)


def _at_least_8(call: Call) -> Any:
    return all_of((call.n >= 8, call.n < 65536))


TOPK = (
    Requirement("NKI109", "n", _at_least_8, "`n` is {n}; the search is over 8 to 65535 elements"),
    Requirement(
        "NKI109",
        "val_dst",
        lambda call: all_of((call.val_dst.free >= 1, call.val_dst.free < 32768, call.val_dst.free <= call.n)),
        "`val_dst` takes {val_dst.free} values; there are 1 to 32767 of them, and at most `n`",
    ),
    Requirement(
        "NKI109",
        "src",
        lambda call: call.src.free >= ceil_div(call.n, 16),
        "`src` has {src.free} elements per partition; 16 partitions of it hold fewer than the {n} that `n` says",
    ),
)


# --- shuffles ------------------------------------------------------------------------------------------------------


def _known_mask(call: Call) -> tuple[Any, ...]:
    """The entries of the shuffle mask that are constants."""
    return tuple(entry for entry in items(call, "shuffle_mask") if isinstance(entry, int))


def _active_partitions(call: Call) -> Any:
    return ceil_div(maximum(call.src.partitions, call.dst.partitions), 32) * 32


def _start_fits(name: str) -> Requirement:
    def holds(call: Call) -> Any:
        start, active = getattr(call, name).start_partition, _active_partitions(call)
        if start is None:
            raise IsUnknown(f"the first partition of `{name}` is not known")
        return any_of(
            (
                start == 0,
                all_of((active <= 64, start == 64)),
                all_of((active <= 32, start % 32 == 0)),
            )
        )

    message = f"`{name}` starts at partition {{{name}.start_partition}}; a shuffle of {{active}} partitions cannot"
    return Requirement("NKI106", name, holds, message, lambda call: {"active": _active_partitions(call)})


NC_STREAM_SHUFFLE = (
    Requirement(
        "NKI205",
        "shuffle_mask",
        lambda call: len(items(call, "shuffle_mask")) == 32,
        "`shuffle_mask` has {length} entries; there are 32, one for each partition of a quadrant",
        lambda call: {"length": len(items(call, "shuffle_mask"))},
    ),
    Requirement(
        "NKI205",
        "shuffle_mask",
        lambda call: all(0 <= entry < 32 or entry == 255 for entry in _known_mask(call)),
        "`shuffle_mask` names a partition outside its quadrant; entries are 0 to 31, or 255 to keep what is there",
    ),
    _start_fits("src"),
    _start_fits("dst"),
)


# --- DMA -----------------------------------------------------------------------------------------------------------


def _hardware_dge(call: Call) -> Any:
    return call.target.generation >= 3 or mode(call, "dge_mode") != "hwdge"


_HARDWARE_DGE = Requirement("NKI206", "dge_mode", _hardware_dge, "{target} has no hardware descriptor generation")


def _has_priorities(call: Call) -> Any:
    return call.get("priority") is None or call.target.generation >= 4


_PRIORITY = (
    Requirement("NKI206", "priority", _has_priorities, "DMA of {target} has no priorities"),
    Requirement(
        "NKI205",
        "priority",
        lambda call: True if call.get("priority") is None else one_of(call.priority, (0, 1, 2, 3)),
        "`priority` is {priority}; there are levels 0 to 3",
    ),
)


def _no_cast_by_hardware(call: Call) -> Any:
    if call.dialect == BETA1 or call.before("0.3") or mode(call, "dge_mode") != "hwdge":
        return True
    return same_dtype(call.src.dtype, call.dst.dtype)


DMA_COPY = (
    _HARDWARE_DGE,
    *_PRIORITY,
    Requirement(
        "NKI202",
        "dst",
        _no_cast_by_hardware,
        "`src` is {src.dtype} and `dst` is {dst.dtype}; hardware descriptor generation moves bytes and casts nothing",
    ),
    Requirement(
        "NKI205",
        "engine",
        lambda call: mode(call, "engine") in (None, "unknown") or mode(call, "dge_mode") == "hwdge",
        "`engine` has an effect only with `dge_mode.hwdge`",
    ),
    Requirement(
        "NKI205",
        "oob_mode",
        lambda call: call.get("dst_rmw_op") is None or mode(call, "oob_mode") in (None, "error"),
        "an accumulating copy cannot skip what is out of bounds",
    ),
)


def _documented_order(call: Call) -> bool:
    rank = tile(call, "src").rank
    if call.get("axes") is None or rank not in TRANSPOSES:
        return True
    return tuple(axes_of(axis, rank)[0] for axis in items(call, "axes")) == TRANSPOSES[rank]


def _by_hardware(call: Call) -> bool:
    return call.dialect != BETA1 and mode(call, "dge_mode") == "hwdge"


def _hardware_rows(call: Call) -> Any:
    if not _by_hardware(call) or call.src.rank < 2:
        return True
    if call.src.rank == 2:
        return one_of(call.src.shape[0], (1, 2, 4, 8, 16))
    return all_of((one_of(call.src.shape[0], (1, 2, 4, 8, 16)), call.src.shape[0] * call.src.shape[-2] % 16 == 0))


DMA_TRANSPOSE = (
    _HARDWARE_DGE,
    *_PRIORITY,
    Requirement("NKI213", "axes", _documented_order, "`axes` is {axes}; a transpose of this rank has one order alone"),
    Requirement(
        "NKI205",
        "dge_mode",
        lambda call: call.dialect == BETA1 or mode(call, "dge_mode") != "none",
        "a transpose cannot do without descriptor generation",
    ),
    Requirement(
        "NKI109",
        "src",
        _hardware_rows,
        "`src` has the shape {sizes}; by hardware descriptors its first size is 1, 2, 4, 8 or 16, and in more than two "
        "dimensions that times its last size but one is a multiple of 16",
        lambda call: {"sizes": list(call.src.shape)},
    ),
    Requirement(
        "NKI102",
        "src",
        lambda call: call.src.shape[-1] <= 128 if _by_hardware(call) else True,
        "`src` has {last} elements in its last dimension; by hardware descriptors it has at most 128",
        lambda call: {"last": call.src.shape[-1]},
    ),
    Requirement(
        "NKI202",
        "src",
        lambda call: has_dtype(call.src, _TWO_BYTES) if _by_hardware(call) else True,
        "`src` is {src.dtype}; hardware descriptors transpose 2-byte elements alone",
    ),
)


def _sources(call: Call) -> tuple[Any, ...]:
    sources = items(call, "srcs")
    for source in sources:
        is_tile(source)  # raises where it is unknown
    return tuple(source for source in sources if isinstance(source, Tile))


DMA_COMPUTE = (
    Requirement(
        "NKI109",
        "srcs",
        lambda call: len(items(call, "srcs")) <= 16,
        "`srcs` has {count} tensors; a DMA reduces at most 16",
        lambda call: {"count": len(items(call, "srcs"))},
    ),
    Requirement(
        "NKI204",
        "srcs",
        lambda call: all_of(
            True if same_size(source.size, call.dst.size) else source.size == call.dst.size for source in _sources(call)
        ),
        "`srcs` and `dst` differ in their numbers of elements",
    ),
    Requirement(
        "NKI205",
        "scales",
        lambda call: call.scales is None or _ones(items(call, "scales"), items(call, "srcs")),
        "`scales` is {scales}; there is one for each of `srcs`, and every scale is 1.0",
    ),
    Requirement(
        "NKI205", "unique_indices", lambda call: truth(call.unique_indices), "indices that repeat are not accumulated"
    ),
)


def _ones(scales: tuple[Any, ...], sources: tuple[Any, ...]) -> Any:
    return len(scales) == len(sources) and all_of(scale == 1.0 for scale in scales)


def _rank(name: str) -> Requirement:
    return Requirement(
        "NKI205",
        name,
        lambda call: one_of(getattr(call, name), (0, 1)),
        f"`{name}` is {{{name}}}; the cores of a logical core are 0 and 1",
    )


SENDRECV = (
    _rank("send_to_rank"),
    _rank("recv_from_rank"),
    Requirement(
        "NKI102",
        "src",
        lambda call: call.src.free <= 256 if mode(call, "dma_engine") == "gpsimd_dma" else True,
        "`src` has {src.free} elements per partition; the GpSimd Engine's DMA moves at most 256",
    ),
)


def _joins_both(call: Call) -> Any:
    """Whether a barrier is one of both cores; a number in parentheses is one core, as production code writes it."""
    if is_integer(call.cores):
        return False
    cores = items(call, "cores")
    return len(cores) == 2 and all_of(core == number for number, core in enumerate(cores))


_SHARED = "`data` is on chip; cores share nothing but HBM"
_BOTH = "`cores` is {cores}; a barrier joins the cores (0, 1)"
CORE_BARRIER = (
    Requirement("NKI201", "data", lambda call: in_memory(call.data, HBM), _SHARED, enforced=False),
    Requirement("NKI205", "cores", _joins_both, _BOTH, enforced=False),
)

MAX8 = (_rank_limit("src", 5, 3),)
