"""What the definitions of `nki.isa` operations share: their operands, and the usual forms of results and effects."""

from __future__ import annotations

from typing import Any

from ..words.conditions import IsUnknown, Unknown, product
from ..words.dialects import BETA1
from ..words.dtypes import FLOAT32
from ..words.memory import HBM, SBUF
from ..words.names import Named
from ..words.promotion import dtype_argument
from ..words.tiles import Tile
from .effects import Effects
from .form import Call, Result, usual_effects
from .language_constants import memory_region

OFF_CHIP_OR_SBUF = frozenset({HBM, SBUF})
MASK = "mask=None, dtype=None, **kwargs"


TRANSPOSES = {2: (1, 0), 3: (2, 1, 0), 4: (3, 1, 2, 0)}
"""The order in which `dma_transpose` puts the axes, by rank."""


def page(name: str) -> str:
    """The documentation page of an operation."""
    return f"api/generated/nki.isa.{name}"


def tile(call: Call, name: str) -> Any:
    """The tensor given as `name`."""
    value = call.get(name)
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    if not isinstance(value, Tile):
        raise IsUnknown(f"`{name}` of `{call.operation.leaf}` is not a tensor")
    if not value.shape:
        raise IsUnknown(f"`{name}` of `{call.operation.leaf}` has no dimensions")
    return value


def shape(call: Call, name: str) -> tuple[Any, ...]:
    """The shape of the tensor given as `name`."""
    return tuple(tile(call, name).shape)


def result_memory(call: Call, default: str = SBUF) -> Any:
    """Memory of a returned tile: what Beta 1's `buffer=` says, else the default."""
    buffer = call.get("buffer")
    if buffer is None:
        return default
    region = memory_region(buffer)
    return Unknown("`buffer` is not a known memory") if region is None else region.memory


def result_dtype(call: Call, default: Any) -> Any:
    """Dtype of a returned tile: what `dtype=` says, else the default."""
    return dtype_argument(call.get("dtype"), default)


def like(call: Call, name: str, dtype: Any = None) -> Result:
    """A result shaped as the input `name`.

    Beta 1 also takes over its dtype (or `dtype`) unless `dtype=` says otherwise; the `dst` of 0.x may arrange the
    elements of a partition at will and has any dtype.
    """
    source = tile(call, name)
    if call.dialect == BETA1:
        kept = source.dtype if dtype is None else dtype
        return Result(tuple(source.shape), result_dtype(call, kept), result_memory(call))
    return Result(tuple(source.shape), None, exact=False)


def columns(call: Call, name: str, count: Any, dtype: Any = None) -> Result:
    """A result of `count` elements for each partition of the input `name`."""
    source = tile(call, name)
    if call.dialect == BETA1:
        kept = source.dtype if dtype is None else dtype
        return Result((source.shape[0], count), result_dtype(call, kept), result_memory(call))
    return Result((source.shape[0], count), dtype, exact=False)


def written_through_dst(call: Call, name: str, dtype: Any = None) -> Result | None:
    """For operations that write through `dst` in both dialects: Beta 1 returns nothing."""
    return None if call.dialect == BETA1 else Result(shape(call, name), dtype, exact=False)


def says(call: Call, name: str, word: str) -> bool:
    """Whether an argument is, or may be, the constant of that name."""
    value = call.get(name)
    return isinstance(value, Unknown) or leaf(value) == word


def reduced_aside(call: Call) -> Effects:
    """What a call does that reduces what it writes into a column besides: where the registers begin counts for the
    column alone, and if they are loaded from it."""
    loaded = says(call, "reduce_cmd", "load_reduce")
    return usual_effects(call).without("reduce_init", *(("dst",) if loaded else ()))


def leaf(value: Any) -> str | None:
    """The last component of a constant's name (`vector` of `isa.engine.vector`), a string itself, or None."""
    if isinstance(value, Unknown):
        raise IsUnknown(value.reason)
    if isinstance(value, Named):
        return value.leaf
    return value if isinstance(value, str) else None


def double_row(call: Call) -> bool:
    """Whether the matmul contracts over two rows of each partition: its operands have the shape [K, 2, columns]."""
    mode = call.get("perf_mode")
    name = "none" if mode is None else leaf(mode)
    if name == "none":
        return False
    if name is not None and name.startswith("double_row"):
        return True
    raise IsUnknown("`perf_mode` is none of the documented modes")


def matmul_columns(call: Call, name: str) -> Any:
    """Columns of one operand of a matmul: its free size, the two rows of double-row mode left out."""
    sizes = shape(call, name)
    return product(sizes[2:] if double_row(call) else sizes[1:])


def stationary_columns(call: Call) -> Any:
    """Columns of the stationary operand; at most `target.gemm_stationary_fmax`."""
    return matmul_columns(call, "stationary")


def moving_columns(call: Call) -> Any:
    """Columns of the moving operand; at most `moving_limit`."""
    return matmul_columns(call, "moving")


def moving_limit(call: Call) -> Any:
    """The most columns that the moving operand may have: as many as fit where the result goes."""
    result = tile(call, "dst").dtype if isinstance(call.get("dst"), Tile) else FLOAT32
    return call.target.moving_fmax(result.itemsize)
