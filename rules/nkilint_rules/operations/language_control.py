"""Operations of `nki.language` that compute nothing: ranges, loops, indices, launch grids, queries and printing."""

from __future__ import annotations

from typing import Any

from ..words.conditions import Unknown
from ..words.dialects import BETA1
from ..words.memory import ANYWHERE, HBM, ON_CHIP, SBUF
from ..words.promotion import as_dtype
from ..words.shapes import expanded
from ..words.tiles import Tile
from .form import Call, Result, operation, reads
from .language_constants import memory_region
from .language_results import nothing, tile
from .particular import Requirement

RANGE = "start, stop=None, step=1"


def define(
    name: str,
    kind: str,
    *,
    beta1: str | None = None,
    nki: str | None = None,
    since: str = "",
    until: str = "",
    deprecated: str = "",
) -> None:
    """Define an operation that gives no tile."""
    operation(
        f"language.{name}",
        beta1=beta1,
        nki=nki,
        kind=kind,
        since=since,
        until=until,
        deprecated=deprecated,
        page=f"api/generated/nki.language.{name}",
    )(nothing)


# Iteration
define("affine_range", "iterate", beta1="*args, **kwargs", nki=RANGE, deprecated="0.3")
define("sequential_range", "iterate", beta1="*args, **kwargs", nki=RANGE, deprecated="0.3")
define("static_range", "iterate", beta1="*args", nki=RANGE, deprecated="0.6")
define("dynamic_range", "iterate", nki=RANGE, deprecated="0.6")
define("fori_loop", "iterate", nki="lower, upper, body_fun, step=1", since="0.6")
define("while_loop", "iterate", nki="init, body_fun", since="0.6")

# Indices and markers of dimensions
define("arange", "index", beta1="*args")
define("ds", "index", beta1="start, size", nki="start, size", since="2.21")
define("par_dim", "index", beta1="size")
define("gemm_grid", "index", beta1="")
define("gemm_stationary_grid", "index", beta1="")

# The launch grid
define("nc", "launch", beta1="size", since="2.21")
define("spmd_dim", "launch", beta1="*sizes", since="2.21")
define("program_id", "host", beta1="axis", nki="axis=0")
define("num_programs", "host", beta1="axes=None", nki="axes=0")
define("program_ndim", "host", beta1="", nki="")

# Order of instructions
define("no_reorder", "host", nki="")

# Types
define("NKIObject", "type", nki="**kwargs")
define("NkiTensor", "type", nki="shape, dtype, storage, buffer=language.sbuf, name=''", since="0.3")

# Host functions on arrays and dtypes
define("finfo", "host", beta1="dtype")
define("static_cast", "host", beta1="arr, dtype")


@operation(
    "language.constants.sizeinbytes",
    beta1="dtype",
    kind="host",
    page="nki-samples, src/nki_samples/reference/rmsnorm_quant/rmsnorm_quant_constants.py",
)
def sizeinbytes(call: Call) -> int:
    """Gives the bytes of one element."""
    return as_dtype(call.dtype).itemsize  # type: ignore[no-any-return]


def _query(name: str, memories: frozenset[str]) -> None:
    @operation(f"language.{name}", nki="buffer", kind="host", since="0.3", page=f"api/generated/nki.language.{name}")
    def result(call: Call) -> Any:
        region = memory_region(call.buffer)
        return Unknown("memory is not known") if region is None else region.memory in memories


_query("is_hbm", frozenset({HBM}))
_query("is_sbuf", frozenset({SBUF}))
_query("is_psum", ON_CHIP - {SBUF})
_query("is_on_chip", ON_CHIP)


operation(
    "language.device_print",
    beta1="prefix, x, *, mask=None, **kwargs",
    nki="print_prefix, tensor",
    kind="print",
    page="api/generated/nki.language.device_print",
    x=reads(ANYWHERE),
    tensor=reads({SBUF, HBM}),
    ordered=True,
)(nothing)


def _behind_the_last(call: Call) -> bool:
    """Whether Beta 1 adds dimensions to a tile behind those that it has."""
    data, axis = call.get("data"), call.get("axis")
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    if not isinstance(data, Tile) or data.memory == HBM or not all(isinstance(each, int) for each in axes):
        return True
    return all(data.rank <= each < data.rank + len(axes) or -len(axes) <= each < 0 for each in axes)


@operation(
    "language.expand_dims",
    beta1="data, axis",
    nki="x, axis",
    kind="method",
    since="0.3",
    page="api/generated/nki.language.expand_dims",
    data=reads(ANYWHERE),
    x=reads(ANYWHERE),
    requirements=(
        Requirement(
            "NKI213",
            "axis",
            _behind_the_last,
            "`axis` is {axis} of a tile of {data.rank} dimensions; `expand_dims` adds dimensions behind the last one",
        ),
    ),
)
def expand_dims(call: Call) -> Result:
    """A view."""
    source = tile(call.data if call.dialect == BETA1 else call.x)
    return Result(expanded(source.shape, call.axis), source.dtype, source.memory)
