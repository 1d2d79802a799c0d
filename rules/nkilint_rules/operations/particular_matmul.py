"""What the Tensor Engine's operations require beyond the tables."""

from __future__ import annotations

from typing import Any

from ..words.conditions import all_of, any_of, negation
from ..words.dialects import BETA1, NKI
from ..words.dtypes import BFLOAT16, FLOAT8_E4M3, FLOAT8_E4M3FN, FLOAT8_E5M2, FLOAT32, TFLOAT32, dtype_in, same_dtype
from ..words.memory import PSUM, SBUF
from .form import Call
from .isa_results import double_row, leaf, matmul_columns
from .particular import Requirement, gathered, has_dtype, implies, in_memory, is_tile, mode, pair, truth

_FP8 = frozenset({FLOAT8_E4M3, FLOAT8_E5M2})
_FOUR_BYTES = frozenset({FLOAT32, TFLOAT32})


def _two_rows(name: str) -> Requirement:
    def holds(call: Call) -> Any:
        if not double_row(call):
            return True
        shape = getattr(call, name).shape
        return shape[1] == 2 if len(shape) > 2 else False

    def rows(call: Call) -> dict[str, Any]:
        return {"shape": list(getattr(call, name).shape)}

    message = f"`{name}` has the shape {{shape}}; in double-row mode it is [partitions, 2, columns]"
    return Requirement("NKI109", name, holds, message, rows)


def _double_row_dtype(name: str) -> Requirement:
    def holds(call: Call) -> Any:
        allowed = _FP8 | {FLOAT8_E4M3FN} if call.target.generation >= 4 else _FP8
        return has_dtype(getattr(call, name), allowed) if double_row(call) else True

    return Requirement("NKI202", name, holds, f"`{name}` is {{{name}.dtype}}; double-row mode takes float8 alone")


def _ocp_fp8(name: str) -> Requirement:
    def holds(call: Call) -> Any:
        ocp = has_dtype(getattr(call, name), frozenset({FLOAT8_E4M3FN}))
        return True if call.target.generation >= 4 else negation(ocp)

    return Requirement("NKI206", name, holds, f"`{name}` is float8_e4m3fn, which {{target}} cannot multiply")


def _both_or_neither_fp32(call: Call) -> Any:
    if call.dialect == BETA1:
        return True
    a, b = (dtype_in(operand.dtype, _FOUR_BYTES) for operand in (call.stationary, call.moving))
    return any_of((all_of((a, b)), all_of((negation(a), negation(b)))))


def _one_fp8_format(call: Call) -> Any:
    def mixed(one: Any, other: Any) -> Any:
        legacy, ocp = frozenset({FLOAT8_E4M3}), frozenset({FLOAT8_E4M3FN})
        return all_of((dtype_in(one.dtype, legacy), dtype_in(other.dtype, ocp)))

    return negation(any_of((mixed(call.stationary, call.moving), mixed(call.moving, call.stationary))))


def _sums_in_fp32(call: Call) -> Any:
    if call.dialect == BETA1 or not is_tile(call.get("dst")):
        return True
    allowed = frozenset({FLOAT32, BFLOAT16}) if call.target.generation >= 4 else frozenset({FLOAT32})
    return any_of((truth(call.is_transpose), dtype_in(call.dst.dtype, allowed)))


def _has_double_row(call: Call) -> Any:
    return call.target.generation >= 3 if double_row(call) else True


def _tiling_complete(call: Call) -> bool:
    return (pair(call, "tile_position") is None) == (pair(call, "tile_size") is None)


def _tile_multiples(name: str) -> Requirement:
    def holds(call: Call) -> Any:
        given = pair(call, name)
        return True if given is None else all_of(value % 32 == 0 for value in given)

    return Requirement("NKI109", name, holds, f"`{name}` is {{{name}}}, and its values are multiples of 32")


def _starts_on_a_tile(call: Call) -> Any:
    position, size = pair(call, "tile_position"), pair(call, "tile_size")
    if position is None or size is None or call.dialect == BETA1:
        return True
    return all_of(start % extent == 0 for start, extent in zip(position, size, strict=True))


def _fits_tile(axis: int) -> Any:
    def holds(call: Call) -> Any:
        size = pair(call, "tile_size")
        if size is None:
            return True
        extent = call.stationary.partitions if axis == 0 else matmul_columns(call, "stationary")
        return extent <= size[axis]

    return holds


def _columns(call: Call) -> dict[str, Any]:
    return {"columns": matmul_columns(call, "stationary")}


def _whole_columns(call: Call) -> Any:
    size = pair(call, "tile_size")
    return True if size is None or not double_row(call) else size[1] == 128


def _quarters(call: Call) -> Any:
    size = pair(call, "tile_size")
    if size is None or call.target.generation >= 3:
        return True
    together = all_of(extent == 32 for extent in size)
    return negation(together) if call.dialect == BETA1 else all_of(extent >= 64 for extent in size)


_TILING = Requirement(
    "NKI205", "tile_position", _tiling_complete, "`tile_position` and `tile_size` turn tiling on only together"
)
_IN_ITS_TILE = (
    Requirement(
        "NKI109",
        "tile_position",
        _starts_on_a_tile,
        "`tile_position` {tile_position} is no multiple of `tile_size` {tile_size}",
    ),
    Requirement(
        "NKI103",
        "stationary",
        _fits_tile(0),
        "stationary operand has {stationary.partitions} partitions; `tile_size` {tile_size} holds fewer",
    ),
)


def _at_origin(call: Call) -> Any:
    """Whether a product with an operand that offsets choose stands in no tile of the array but the first."""
    position = pair(call, "tile_position")
    chosen = any(gathered(call, name) for name in ("dst", "stationary", "moving"))
    return not chosen or position is None or all_of(number == 0 for number in position)


NC_MATMUL = (
    _two_rows("stationary"),
    _two_rows("moving"),
    _double_row_dtype("stationary"),
    _double_row_dtype("moving"),
    _ocp_fp8("stationary"),
    _ocp_fp8("moving"),
    Requirement("NKI206", "perf_mode", _has_double_row, "{target} has no double-row mode"),
    Requirement(
        "NKI205",
        "is_transpose",
        lambda call: negation(truth(call.is_transpose)) if double_row(call) else True,
        "a transpose cannot run in double-row mode",
    ),
    Requirement(
        "NKI202",
        "moving",
        _both_or_neither_fp32,
        "`stationary` is {stationary.dtype} and `moving` is {moving.dtype}; 32-bit floats go with 32-bit floats alone",
    ),
    Requirement("NKI202", "moving", _one_fp8_format, "float8_e4m3 and float8_e4m3fn meet in one matmul"),
    Requirement("NKI202", "dst", _sums_in_fp32, "`dst` is {dst.dtype}; {target} writes products as float32"),
    _TILING,
    _tile_multiples("tile_position"),
    _tile_multiples("tile_size"),
    *_IN_ITS_TILE,
    Requirement(
        "NKI103",
        "stationary",
        _fits_tile(1),
        "stationary operand has {columns} columns; `tile_size` {tile_size} holds fewer",
        _columns,
    ),
    Requirement(
        "NKI205", "tile_size", _whole_columns, "`tile_size` is {tile_size}; double-row mode has no column tiles"
    ),
    Requirement("NKI206", "tile_size", _quarters, "{target} has no tiles of {tile_size}"),
    Requirement(
        "NKI205",
        "moving",
        lambda call: negation(truth(call.is_transpose)) if gathered(call, "moving") else True,
        "`moving` is chosen by `indirect`, which a transpose does not take",
    ),
    Requirement(
        "NKI205",
        "tile_position",
        _at_origin,
        "`tile_position` is {tile_position}; with operands chosen by `indirect` it is (0, 0)",
    ),
)


def _same_free(scale: str, data: str) -> Requirement:
    def holds(call: Call) -> Any:
        return getattr(call, scale).free == getattr(call, data).free

    message = f"`{scale}` has {{{scale}.free}} elements per partition; `{data}` has {{{data}.free}}"
    return Requirement("NKI204", scale, holds, message)


def _row_tiling_only(call: Call) -> Any:
    position, size = pair(call, "tile_position"), pair(call, "tile_size")
    needs = [] if position is None else [position[1] == 0]
    return all_of(needs + ([] if size is None else [size[1] == 128]))


NC_MATMUL_MX = (
    _same_free("stationary_scale", "stationary"),
    _same_free("moving_scale", "moving"),
    _TILING,
    Requirement("NKI109", "tile_size", _row_tiling_only, "a scaled matmul tiles rows alone: column 0, column size 128"),
    *_IN_ITS_TILE,
)

QUANTIZE_MX = (_same_free("dst_scale", "dst"),)


def _on_vector_engine(call: Call) -> Any:
    """Whether a transpose runs on the Vector Engine: asked for, or left to the compiler with an operand that the
    Tensor Engine can't read or write."""
    engine = leaf(call.engine)
    if engine not in (None, "unknown"):
        return engine == "vector"
    into_sbuf = call.dst.memory == SBUF if call.dialect == NKI and is_tile(call.dst) else False
    return any_of((call.data.memory == PSUM, into_sbuf))


def _small(quantity: str) -> Any:
    def holds(call: Call) -> Any:
        return implies(_on_vector_engine(call), getattr(call.data, quantity) <= call.target.vector_transpose_max)

    return holds


def _tensor_engine_memory(name: str, memory: str) -> Any:
    def holds(call: Call) -> Any:
        return in_memory(call.get(name), memory) if mode(call, "engine") == "tensor" else True

    return holds


def _keeps_dtype(call: Call) -> Any:
    """Whether what is turned keeps its dtype; AWS's kernels turn to float32 on trn1 and inf2."""
    if call.dialect != NKI or call.target.generation < 3 or not is_tile(call.dst):
        return True
    return same_dtype(call.data.dtype, call.dst.dtype)


NC_TRANSPOSE = (
    Requirement(
        "NKI202",
        "dst",
        _keeps_dtype,
        "`dst` is {dst.dtype}; `nc_transpose` gives the dtype of `data`, {data.dtype}",
    ),
    Requirement(
        "NKI102",
        "data",
        _small("partitions"),
        "`data` has {data.partitions} partitions; the Vector Engine transposes at most {target.vector_transpose_max}",
        enforced=False,
    ),
    Requirement(
        "NKI102",
        "data",
        _small("free"),
        "`data` has {data.free} elements per partition; the Vector Engine transposes at most "
        "{target.vector_transpose_max}",
        enforced=False,
    ),
    Requirement(
        "NKI201",
        "data",
        _tensor_engine_memory("data", SBUF),
        "`data` is in {data.memory}; the Tensor Engine reads it from sbuf",
    ),
    Requirement(
        "NKI201",
        "dst",
        _tensor_engine_memory("dst", PSUM),
        "`dst` is in {dst.memory}; the Tensor Engine writes it to psum",
    ),
)
