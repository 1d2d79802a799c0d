"""Data movement by the DMA engines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..words.conditions import IsUnknown
from ..words.dialects import BETA1, NKI
from ..words.memory import ANYWHERE, SBUF
from ..words.shapes import as_shape, permuted
from ..words.tiles import Tile
from .effects import ALIGNED, Chosen, Effects, Exchanged, Permuted, Possible
from .form import Call, Limit, Result, operation, reads, usual_effects, writes
from .isa_results import OFF_CHIP_OR_SBUF, TRANSPOSES, page, result_dtype, result_memory, says, tile
from .particular_movement import DMA_COMPUTE, DMA_COPY, DMA_TRANSPOSE, SENDRECV
from .requires import Requires
from .signatures import Era

DGE = "dge_mode=isa.dge_mode.unknown"
OOB = "oob_mode=isa.oob_mode.error"


def _where_found(effects: Effects, call: Call, source: str) -> Effects:
    """Elements that would come from outside are skipped on request: there `dst` stays as it is."""
    given = call.get(source)
    items = given if isinstance(given, (list, tuple)) else (given,)
    if not says(call, "oob_mode", "skip") or not any(isinstance(item, Tile) and item.indirect for item in items):
        return effects
    written = effects.writes.get("dst")
    how = written.sources.get(source, ALIGNED) if written is not None else ALIGNED
    return effects.depending("dst", **{source: Chosen(of=how), "dst": Chosen(negated=True)})


def _copied(call: Call) -> Effects:
    if call.get("dst_rmw_op") is not None:
        return usual_effects(call).depending("dst", dst=ALIGNED)
    return _where_found(usual_effects(call), call, "src")


def _transposed(call: Call) -> Effects:
    """Elements that would come from outside are skipped on request, but where that is, is not said."""
    how = Permuted(transposed_axes(call))
    effects = usual_effects(call, how)
    if not says(call, "oob_mode", "skip") or not tile(call, "src").indirect:
        return effects
    return effects.depending("dst", src=Possible(how, how), dst=Possible(ALIGNED))


def _computed(call: Call) -> Effects:
    return _where_found(usual_effects(call), call, "srcs")


def _exchanged(call: Call) -> Effects:
    """What arrives is the tile of another core, at the same call."""
    return replace(usual_effects(call, Exchanged()), synchronises=True)


@operation(
    "isa.dma_copy",
    beta1=f"*, dst, src, mask=None, dst_rmw_op=None, {OOB}, {DGE}",
    nki=f"dst, src, priority=None, {OOB}, {DGE}, engine=isa.engine.unknown, name=None",
    kind="dma",
    engines="dma",
    since="2.21",
    page=page("dma_copy"),
    parameter_versions={
        "mask": "2.23",
        "dst_rmw_op": "2.23..0.3",
        "oob_mode": "2.23",
        "dge_mode": "2.23",
        "unique_indices": "..0.3",
        "engine": "0.3",
        "priority": "0.4",
    },
    src=reads(OFF_CHIP_OR_SBUF, earlier=("0.3", ANYWHERE)),
    dst=writes(OFF_CHIP_OR_SBUF),
    depends=_copied,
    by_rows=True,
    requires=Requires(on_engines={"unknown": 2, "sync": 3, "scalar": 3}, operators={"dst_rmw_op": "add"}),
    nki_requires=Requires(same_size=("src", "dst")),
    requirements=DMA_COPY,
    history=(
        Era(BETA1, "2.21", "2.22", "src, dst"),
        Era(BETA1, "2.22", "2.23", "*, dst, src"),
        Era(
            NKI,
            "0.1",
            "0.2",
            "dst, src, dst_rmw_op=None, oob_mode=isa.oob_mode.error, dge_mode=isa.dge_mode.unknown, name=None",
        ),
        Era(
            NKI,
            "0.2",
            "0.3",
            "dst, src, dst_rmw_op=None, oob_mode=isa.oob_mode.error, dge_mode=isa.dge_mode.unknown, "
            "unique_indices=True, name=None",
        ),
        Era(
            NKI,
            "0.3",
            "0.4",
            "dst, src, oob_mode=isa.oob_mode.error, dge_mode=isa.dge_mode.unknown, engine=isa.engine.unknown, "
            "name=None",
        ),
    ),
)
def dma_copy(call: Call) -> None:
    return None


@operation(
    "isa.dma_transpose",
    beta1="src, *, axes=None, mask=None, dtype=None, **kwargs",
    nki=f"dst, src, axes=None, priority=None, {DGE}, {OOB}, name=None",
    kind="dma",
    engines="dma",
    since="2.21",
    page=page("dma_transpose"),
    parameter_versions={"axes": "2.26", "dge_mode": "2.26", "priority": "0.4"},
    src=reads(OFF_CHIP_OR_SBUF),
    dst=writes(OFF_CHIP_OR_SBUF),
    limits=[
        Limit("NKI105", "src", "rank", ">=", 2, page("dma_transpose")),
        Limit("NKI105", "src", "rank", "<=", 4, page("dma_transpose")),
    ],
    depends=_transposed,
    nki_requires=Requires(same_dtype=(("src", "dst"),)),
    requirements=DMA_TRANSPOSE,
    history=(
        Era(BETA1, "2.21", "2.26", "src, *, mask=None, dtype=None, **kwargs"),
        Era(NKI, "0.1", "0.2", "dst, src, axes=None, dge_mode=isa.dge_mode.unknown, name=None"),
        Era(
            NKI,
            "0.2",
            "0.4",
            "dst, src, axes=None, dge_mode=isa.dge_mode.unknown, oob_mode=isa.oob_mode.error, name=None",
        ),
    ),
)
def dma_transpose(call: Call) -> Result:
    src = tile(call, "src")
    sizes = permuted(src.shape, transposed_axes(call))
    if call.dialect == BETA1:
        return Result(sizes, result_dtype(call, src.dtype), result_memory(call))
    return Result(sizes, src.dtype)


def transposed_axes(call: Call) -> tuple[Any, ...]:
    """The order of the axes that a `dma_transpose` gives."""
    rank = tile(call, "src").rank
    if call.axes is not None:
        return as_shape(call.axes)
    if rank not in TRANSPOSES:
        raise IsUnknown(f"a transpose of {rank} dimensions has no documented order")
    return TRANSPOSES[rank]


@operation(
    "isa.dma_compute",
    nki=f"dst, srcs, reduce_op, scales=None, unique_indices=True, {OOB}, name=None",
    kind="dma",
    engines="dma",
    page=page("dma_compute"),
    parameter_versions={"unique_indices": "0.3", "oob_mode": "0.4"},
    srcs=reads(OFF_CHIP_OR_SBUF, many=True),
    dst=writes(OFF_CHIP_OR_SBUF),
    depends=_computed,
    requires=Requires(operators={"reduce_op": "add"}),
    requirements=DMA_COMPUTE,
    history=(
        Era(NKI, "0.1", "0.3", "dst, srcs, scales, reduce_op, name=None"),
        Era(NKI, "0.3", "0.4", "dst, srcs, reduce_op, scales=None, unique_indices=True, name=None"),
    ),
)
def dma_compute(call: Call) -> None:
    return None


@operation(
    "isa.sendrecv",
    nki="src, dst, send_to_rank, recv_from_rank, pipe_id, dma_engine=isa.dma_engine.dma, name=None",
    kind="dma",
    engines="dma",
    targets=("trn2", "trn3"),
    page=page("sendrecv"),
    parameter_versions={"dma_engine": "0.3", "use_gpsimd_dma": "..0.3"},
    src=reads(SBUF),
    dst=writes(SBUF),
    depends=_exchanged,
    requires=Requires(same_dtype=(("src", "dst"),)),
    requirements=SENDRECV,
    history=(
        Era(NKI, "0.1", "0.3", "src, dst, send_to_rank, recv_from_rank, pipe_id, use_gpsimd_dma=False, name=None"),
    ),
)
def sendrecv(call: Call) -> Result:
    src = tile(call, "src")
    return Result(tuple(src.shape), src.dtype)
