"""Operations of the Tensor Engine, and the quantisation that feeds it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..words.conditions import IsUnknown, product
from ..words.dialects import BETA1, NKI
from ..words.dtypes import (
    BFLOAT16,
    FLOAT4_E2M1FN_X4,
    FLOAT8_E4M3,
    FLOAT8_E4M3FN,
    FLOAT8_E4M3FN_X4,
    FLOAT8_E5M2,
    FLOAT8_E5M2_X4,
    FLOAT8_E8M0FNU,
    FLOAT16,
    FLOAT32,
    TFLOAT32,
    UINT8,
)
from ..words.memory import ON_CHIP, PSUM, SBUF
from ..words.shapes import same_size
from .effects import MOVING, RESULT, SOME, STATIONARY, TRANSPOSED, Blocks, Contracted, Effects, Partitions
from .form import Call, Limit, Result, accumulates, operation, reads, usual_effects, writes
from .implicit import identity_matrix
from .isa_results import double_row, leaf, page, result_dtype, result_memory, shape, tile
from .particular_matmul import NC_MATMUL, NC_MATMUL_MX, NC_TRANSPOSE, QUANTIZE_MX
from .requires import Requires
from .signatures import Era

MATMUL_INPUTS = (FLOAT8_E4M3, FLOAT8_E5M2, BFLOAT16, FLOAT16, TFLOAT32, FLOAT32)
PACKED_INPUTS = (FLOAT8_E5M2_X4, FLOAT8_E4M3FN_X4, FLOAT4_E2M1FN_X4)
SCALES = (FLOAT8_E8M0FNU, UINT8)


def _multiplied(call: Call) -> Effects:
    """Sums over the partitions. In transpose mode nothing is summed up; `accumulate=False` overwrites, and without a
    word of it the compiler has the first product overwrite and others added."""
    effects = usual_effects(call)
    target = "dst" if "dst" in effects.writes else RESULT
    if double_row(call):
        effects = effects.depending(target, stationary=Contracted(0, 2), moving=Contracted(1, 2))
    elif call.get("is_transpose") is True:
        effects = effects.depending(target, stationary=TRANSPOSED)
    flag = call.get("accumulate")
    if flag is False:
        return effects.without("dst", "dst")
    return effects if flag is None else effects.changed("dst", flag="accumulate")


def _with_scales(call: Call) -> Effects:
    found = {name: scale_partitions(call, f"{name}_scale", name) for name in ("stationary", "moving")}
    return replace(_multiplied(call), only={f"{name}_scale": p for name, p in found.items() if p is not None})


def scale_partitions(call: Call, scale: str, data: str) -> Partitions | None:
    """The partitions of a tile that hold scales: the first four of each quadrant, which have those of its 32; None for
    all where the tile has no others."""
    few, many = tile(call, scale).partitions, tile(call, data).partitions
    if (few * 8 == many) is True:
        return None
    if not same_size(few, many) and not (isinstance(few, int) and isinstance(many, int)):
        raise IsUnknown("a tile of scales has as many partitions as the data, or an eighth of it")
    return lambda partition: partition % 32 < 4


# Limits on columns depend on the mode, the target and the dtype of `dst`: they are in `requirements.MATMUL`.
@operation(
    "isa.nc_matmul",
    beta1="stationary, moving, *, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False, "
    "tile_position=(), tile_size=(), mask=None, **kwargs",
    nki="dst, stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False, "
    "accumulate=None, tile_position=(), tile_size=(), perf_mode=isa.matmul_perf_mode.none, name=None",
    kind="matmul",
    engines="tensor",
    page=page("nc_matmul"),
    parameter_versions={
        "is_transpose": "2.21",
        "tile_position": "2.22",
        "tile_size": "2.22",
        "accumulate": "0.3",
    },
    stationary=reads(SBUF, MATMUL_INPUTS, how=STATIONARY),
    moving=reads(SBUF, MATMUL_INPUTS, how=MOVING),
    dst=accumulates(PSUM),
    nki_operands={
        "stationary": reads(SBUF, (*MATMUL_INPUTS, FLOAT8_E4M3FN), how=STATIONARY),
        "moving": reads(SBUF, (*MATMUL_INPUTS, FLOAT8_E4M3FN), how=MOVING),
    },
    depends=_multiplied,
    requires=Requires(contraction=("stationary", "moving"), multiplies=True),
    requirements=NC_MATMUL,
    history=(
        Era(
            BETA1,
            "2.20",
            "2.21",
            "stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, mask=None, **kwargs",
        ),
        Era(
            BETA1,
            "2.21",
            "2.22",
            "stationary, moving, *, is_stationary_onezero=False, is_moving_onezero=False, is_transpose=False, "
            "mask=None, **kwargs",
        ),
        Era(
            NKI,
            "0.1",
            "0.3",
            "dst, stationary, moving, is_stationary_onezero=False, is_moving_onezero=False, "
            "is_transpose=False, tile_position=(), tile_size=(), perf_mode=isa.matmul_perf_mode.none, name=None",
        ),
    ),
)
def nc_matmul(call: Call) -> Result:
    first = 2 if double_row(call) else 1
    rows = product(shape(call, "stationary")[first:])
    return _product(call, (rows, *shape(call, "moving")[first:]))


@operation(
    "isa.nc_matmul_mx",
    nki="dst, stationary, moving, stationary_scale, moving_scale, tile_position=None, tile_size=None, "
    "accumulate=None, name=None",
    kind="matmul",
    engines="tensor",
    targets=("trn3",),
    page=page("nc_matmul_mx"),
    parameter_versions={"accumulate": "0.3"},
    stationary=reads(SBUF, PACKED_INPUTS, how=STATIONARY),
    moving=reads(SBUF, PACKED_INPUTS, how=MOVING),
    stationary_scale=reads(SBUF, SCALES, how=STATIONARY),
    moving_scale=reads(SBUF, SCALES, how=MOVING),
    dst=accumulates(PSUM, (FLOAT32, BFLOAT16)),
    limits=[
        Limit("NKI109", "stationary", "partitions", "multiple", 32, page("nc_matmul_mx")),
        Limit("NKI109", "moving", "partitions", "multiple", 32, page("nc_matmul_mx")),
        Limit("NKI109", "stationary", "free", "multiple", 2, page("nc_matmul_mx")),
    ],
    depends=_with_scales,
    requires=Requires(
        contraction=("stationary", "moving"), anywhere=("stationary_scale", "moving_scale"), multiplies=True
    ),
    requirements=NC_MATMUL_MX,
    history=(
        Era(
            NKI,
            "0.1",
            "0.3",
            "dst, stationary, moving, stationary_scale, moving_scale, tile_position=None, tile_size=None, name=None",
        ),
    ),
)
def nc_matmul_mx(call: Call) -> Result:
    rows = product(shape(call, "stationary")[1:])
    return _product(call, (rows, *shape(call, "moving")[1:]))


def _product(call: Call, sizes: tuple[Any, ...]) -> Result:
    if call.dialect == BETA1:
        return Result(sizes, FLOAT32, PSUM)
    return Result(sizes, None, PSUM, exact=False)


@operation(
    "isa.nc_transpose",
    beta1="data, *, mask=None, dtype=None, engine=isa.engine.unknown, **kwargs",
    nki="dst, data, engine=isa.engine.unknown, name=None",
    engines=("tensor", "vector"),
    implicit=identity_matrix,
    page=page("nc_transpose"),
    data=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    limits=[Limit("NKI102", "data", "free", "<=", 128, page("nc_transpose"))],
    depends=TRANSPOSED,
    requires=Requires(on_engines={"unknown": 2, "tensor": 2, "vector": 2}),
    requirements=NC_TRANSPOSE,
    history=(Era(BETA1, "2.20", "2.21", "data, mask=None, dtype=None, engine=None, **kwargs"),),
)
def nc_transpose(call: Call) -> Result:
    data = tile(call, "data")
    sizes = (data.free, data.shape[0])
    if call.dialect != BETA1:
        return Result(sizes, data.dtype, exact=False)
    # Where no engine is named, AWS's kernels hand the result to nc_matmul: the compiler brings it to SBUF.
    memory = PSUM if leaf(call.engine) == "tensor" else SBUF
    return Result(sizes, result_dtype(call, data.dtype), result_memory(call, memory))


def _quantized(call: Call) -> Effects:
    return usual_effects(call).changed("dst_scale", partitions=scale_partitions(call, "dst_scale", "src"))


@operation(
    "isa.quantize_mx",
    nki="dst, src, dst_scale, name=None",
    engines="vector",
    targets=("trn3",),
    page=page("quantize_mx"),
    src=reads(SBUF, (FLOAT16, BFLOAT16)),
    dst=writes(SBUF, (FLOAT8_E5M2_X4, FLOAT8_E4M3FN_X4), how=Blocks(8, 4)),
    dst_scale=writes(SBUF, SCALES, how=SOME),
    limits=[
        Limit("NKI109", "src", "partitions", "multiple", 32, page("quantize_mx")),
        Limit("NKI109", "src", "free", "multiple", 4, page("quantize_mx")),
    ],
    depends=_quantized,
    requires=Requires(anywhere=("dst_scale",)),
    requirements=QUANTIZE_MX,
)
def quantize_mx(call: Call) -> Result:
    src = tile(call, "src")
    return Result((src.shape[0], src.free // 4), None, exact=False)
