"""Elementwise operations and copies of the Vector, Scalar and GpSimd Engines."""

from __future__ import annotations

from ..words.conditions import IsUnknown
from ..words.dialects import BETA1
from ..words.dtypes import BOOL, UINT8, UINT16, UINT32
from ..words.memory import ON_CHIP
from ..words.operators import operator_name
from ..words.promotion import as_dtype, promote
from ..words.shapes import as_shape
from .effects import ALIGNED, RESULT, ROWS, Chosen, Effects
from .form import Call, Result, operation, reads, updates, usual_effects, writes
from .isa_results import MASK, like, page, result_memory, tile, written_through_dst
from .particular import not_gathered
from .particular_compute import MEMSET, TENSOR_COPY, TENSOR_SCALAR, TENSOR_TENSOR
from .requires import Column, Requires
from .signatures import Era

ENGINE = "engine=isa.engine.unknown"
COPY_ENGINES = ("vector", "scalar", "gpsimd")


def _combined(call: Call) -> Effects:
    effects = usual_effects(call)
    try:
        combines = (operator_name(call.op), "data1", "data2")
    except IsUnknown:
        return effects
    return effects.changed("dst" if "dst" in effects.writes else RESULT, combines=combines)


@operation(
    "isa.tensor_tensor",
    beta1=f"data1, data2, op, *, dtype=None, mask=None, {ENGINE}, **kwargs",
    nki=f"dst, data1, data2, op, {ENGINE}, name=None",
    engines=("vector", "gpsimd"),
    page=page("tensor_tensor"),
    parameter_versions={"engine": "2.22"},
    data1=reads(ON_CHIP),
    data2=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    depends=_combined,
    requires=Requires(
        same_partitions=("data1", "data2"),
        same_free=("data1", "data2"),
        not_both_psum=("data1", "data2"),
        on_engines={"unknown": 2, "vector": 2, "gpsimd": 2},
        operators={"op": "binary"},
    ),
    requirements=TENSOR_TENSOR,
    history=(
        Era(BETA1, "2.20", "2.21", "data1, data2, op, dtype=None, mask=None, **kwargs"),
        Era(BETA1, "2.21", "2.22", "data1, data2, op, *, dtype=None, mask=None, **kwargs"),
    ),
)
def tensor_tensor(call: Call) -> Result:
    return like(call, "data1", promote(tile(call, "data1").dtype, tile(call, "data2").dtype))


@operation(
    "isa.tensor_scalar",
    beta1="data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False, *, "
    f"dtype=None, mask=None, {ENGINE}, **kwargs",
    nki=f"dst, data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False, {ENGINE}, name=None",
    engines=("vector", "scalar", "gpsimd"),
    page=page("tensor_scalar"),
    parameter_versions={"engine": "2.21"},
    data=reads(ON_CHIP),
    operand0=reads(ON_CHIP, scalar=True, how=ROWS),
    operand1=reads(ON_CHIP, scalar=True, how=ROWS),
    dst=writes(ON_CHIP),
    depends=ALIGNED,
    requires=Requires(
        columns={"operand0": Column("data"), "operand1": Column("data")},
        on_engines={"unknown": 2, "vector": 2, "scalar": 2, "gpsimd": 2},
        operators={"op0": "alu", "op1": "alu"},
    ),
    requirements=TENSOR_SCALAR,
    history=(
        Era(
            BETA1,
            "2.20",
            "2.21",
            "data, op0, operand0, reverse0=False, op1=None, operand1=None, reverse1=False, dtype=None, "
            "mask=None, **kwargs",
        ),
    ),
)
def tensor_scalar(call: Call) -> Result:
    return like(call, "data")


@operation(
    "isa.scalar_tensor_tensor",
    beta1="*, data, op0, operand0, op1, operand1, reverse0=False, reverse1=False, dtype=None, mask=None, **kwargs",
    nki="dst, data, op0, operand0, op1, operand1, reverse0=False, reverse1=False, name=None",
    engines="vector",
    since="2.21",
    page=page("scalar_tensor_tensor"),
    data=reads(ON_CHIP),
    operand0=reads(ON_CHIP, scalar=True, how=ROWS),
    operand1=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    depends=ALIGNED,
    requires=Requires(
        same_partitions=("data", "operand1"),
        same_free=("data", "operand1"),
        columns={"operand0": Column("data")},
        not_both_psum=("data", "operand1"),
        operators={"op0": "alu", "op1": "alu"},
    ),
    nki_requires=Requires(operators={"op0": "arithmetic", "op1": "arithmetic"}),
)
def scalar_tensor_tensor(call: Call) -> Result:
    return like(call, "data")


@operation(
    "isa.reciprocal",
    beta1="data, *, dtype=None, mask=None, **kwargs",
    nki="dst, data, name=None",
    engines="vector",
    page=page("reciprocal"),
    parameter_versions={"engine": "2.21..2.22"},
    data=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    depends=ALIGNED,
    history=(
        Era(BETA1, "2.20", "2.21", "data, dtype=None, mask=None, **kwargs"),
        Era(BETA1, "2.21", "2.22", "data, *, dtype=None, mask=None, engine=isa.engine.unknown, **kwargs"),
    ),
)
def reciprocal(call: Call) -> Result:
    return like(call, "data")


@operation(
    "isa.tensor_copy",
    beta1=f"src, *, mask=None, dtype=None, {ENGINE}, **kwargs",
    nki=f"dst, src, {ENGINE}, name=None",
    engines=COPY_ENGINES,
    since="2.21",
    page=page("tensor_copy"),
    src=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    depends=ALIGNED,
    requires=Requires(on_engines={"unknown": 2, "vector": 2, "scalar": 2, "gpsimd": 2}),
    nki_requires=Requires(on_engines={"unknown": 2, "vector": 2, "scalar": 3, "gpsimd": 2}),
    requirements=TENSOR_COPY,
)
def tensor_copy(call: Call) -> Result:
    return like(call, "src")


@operation(
    "isa.tensor_copy_dynamic_src",
    beta1=f"src, *, mask=None, dtype=None, {ENGINE}, **kwargs",
    nki=f"dst, src, {ENGINE}, name=None",
    engines=COPY_ENGINES,
    since="2.21",
    until="0.4",
    deprecated="0.3",
    page=page("tensor_copy_dynamic_src"),
    parameter_versions={"engine": "2.23"},
    src=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    depends=ALIGNED,
    requires=Requires(on_engines={"unknown": 2, "vector": 2, "scalar": 2, "gpsimd": 2}),
    requirements=TENSOR_COPY,
    history=(Era(BETA1, "2.21", "2.23", "src, *, mask=None, dtype=None, **kwargs"),),
)
def tensor_copy_dynamic_src(call: Call) -> Result:
    return like(call, "src")


@operation(
    "isa.tensor_copy_dynamic_dst",
    beta1=f"*, dst, src, mask=None, dtype=None, {ENGINE}, **kwargs",
    nki=f"dst, src, {ENGINE}, name=None",
    engines=COPY_ENGINES,
    since="2.22",
    until="0.4",
    deprecated="0.3",
    page=page("tensor_copy_dynamic_dst"),
    parameter_versions={"engine": "2.23"},
    src=reads(ON_CHIP),
    dst=writes(ON_CHIP),
    depends=ALIGNED,
    requires=Requires(on_engines={"unknown": 2, "vector": 2, "scalar": 2, "gpsimd": 2}),
    beta1_requires=Requires(same_partitions=("dst", "src"), same_free=("dst", "src")),
    requirements=TENSOR_COPY,
    history=(Era(BETA1, "2.22", "2.23", "*, dst, src, mask=None, dtype=None, **kwargs"),),
)
def tensor_copy_dynamic_dst(call: Call) -> Result | None:
    return written_through_dst(call, "src")


def _chosen(call: Call) -> Effects:
    """Where the predicate does not hold, `dst` stays as it is."""
    turned = call.get("reverse_pred") is True
    source, kept = Chosen("predicate", turned), Chosen("predicate", not turned)
    return usual_effects(call).depending("dst", src=source, dst=kept)


@operation(
    "isa.tensor_copy_predicated",
    beta1=f"*, src, dst, predicate, reverse_pred=False, {MASK}",
    nki="dst, src, predicate, reverse_pred=False, name=None",
    engines="vector",
    since="2.22",
    page=page("tensor_copy_predicated"),
    parameter_versions={"reverse_pred": "2.23"},
    src=reads(ON_CHIP, scalar=True),
    predicate=reads(ON_CHIP, (UINT8, UINT16, UINT32, BOOL)),
    dst=updates(ON_CHIP),
    depends=_chosen,
    requires=Requires(
        same_partitions=("predicate", "src"),
        same_free=("predicate", "src"),
        same_dtype=(("src", "dst"),),
        not_both_psum=("src", "predicate"),
    ),
    requirements=not_gathered("src"),
    beta1_requires=Requires(same_partitions=("dst", "predicate", "src"), same_free=("dst", "predicate", "src")),
    history=(
        Era(BETA1, "2.22", "2.23", "*, src, dst, predicate, mask=None, dtype=None, **kwargs"),
        Era(BETA1, "2.23", "2.26", "*, src, dst, predicate, mask=None, dtype=None, reverse_pred=False, **kwargs"),
    ),
)
def tensor_copy_predicated(call: Call) -> Result | None:
    return written_through_dst(call, "predicate")


@operation(
    "isa.memset",
    beta1=f"shape, value, dtype, *, mask=None, {ENGINE}, **kwargs",
    nki=f"dst, value, {ENGINE}, name=None",
    engines=("vector", "gpsimd"),
    page=page("memset"),
    parameter_versions={"engine": "2.21"},
    dst=writes(ON_CHIP),
    requires=Requires(on_engines={"unknown": 2, "vector": 2, "gpsimd": 2}),
    requirements=MEMSET,
    history=(Era(BETA1, "2.20", "2.21", "shape, value, dtype, mask=None, **kwargs"),),
)
def memset(call: Call) -> Result | None:
    if call.dialect != BETA1:
        return None
    return Result(as_shape(call.shape), as_dtype(call.dtype), result_memory(call))
