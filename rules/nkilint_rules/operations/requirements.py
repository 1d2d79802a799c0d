"""What `nki.isa` operations require of their arguments, beyond memories, dtypes and sizes in their definitions.

Tables are keyed by operation; a key with a dialect before it (`nki:isa.dma_copy`) holds in that dialect alone. Read
them through `of`. They speak of inputs, and of outputs that no result describes: what the `dst` of 0.x has to look
like is said by the operation's result. Operands that a call leaves out, and those that are no tensors, are skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..words.dtypes import BFLOAT16, DTYPES, FLOAT16, FLOAT32, TFLOAT32, DType
from ..words.tiles import Tile
from .form import Call
from .isa_results import tile
from .isa_tensor_engine import matmul_columns
from .particular import Requirement
from .particular_compute import PARTICULAR_COMPUTE
from .particular_matmul import PARTICULAR_MATMUL
from .particular_movement import PARTICULAR_MOVEMENT

T = TypeVar("T")


def of(table: Mapping[str, T], call: Call) -> T | None:
    """The entry of a table for the operation called, in its dialect."""
    name = call.operation.name
    return table.get(f"{call.dialect}:{name}", table.get(name))


# --- sizes that agree ----------------------------------------------------------------------------------------------

SAME_PARTITIONS: Mapping[str, tuple[str, ...]] = {
    "isa.tensor_tensor": ("data1", "data2"),
    "isa.tensor_tensor_scan": ("data0", "data1"),
    "isa.scalar_tensor_tensor": ("data", "operand1"),
    "isa.tensor_copy_predicated": ("predicate", "src"),
    "neuronxcc:isa.tensor_copy_predicated": ("dst", "predicate", "src"),
    "neuronxcc:isa.tensor_copy_dynamic_dst": ("dst", "src"),
    "isa.select_reduce": ("on_true", "predicate"),
    "neuronxcc:isa.select_reduce": ("on_true", "predicate", "dst"),
    "neuronxcc:isa.tensor_scalar_cumulative": ("src", "dst"),
    "isa.local_gather": ("src_buffer", "index"),
    "isa.nc_n_gather": ("data", "indices"),
    "isa.nc_find_index8": ("data", "vals"),
    "isa.nc_match_replace8": ("data", "vals", "dst_idx"),
    "isa.topk": ("src", "val_dst", "idx_dst"),
}
"""Operands with the same number of partitions."""

SAME_FREE: Mapping[str, tuple[str, ...]] = {
    "isa.tensor_tensor": ("data1", "data2"),
    "isa.tensor_tensor_scan": ("data0", "data1"),
    "isa.scalar_tensor_tensor": ("data", "operand1"),
    "isa.tensor_copy_predicated": ("predicate", "src"),
    "neuronxcc:isa.tensor_copy_predicated": ("dst", "predicate", "src"),
    "neuronxcc:isa.tensor_copy_dynamic_dst": ("dst", "src"),
    "isa.select_reduce": ("on_true", "predicate"),
    "neuronxcc:isa.select_reduce": ("on_true", "predicate", "dst"),
    "neuronxcc:isa.tensor_scalar_cumulative": ("src", "dst"),
    "isa.nc_stream_shuffle": ("src", "dst"),
    "isa.nc_match_replace8": ("vals", "dst_idx"),
    "isa.topk": ("val_dst", "idx_dst"),
}
"""Operands with the same number of elements for each partition."""

SAME_SIZE: Mapping[str, tuple[str, ...]] = {"nki:isa.dma_copy": ("src", "dst")}
"""Operands with the same number of elements in all."""

SAME_DTYPE: Mapping[str, tuple[tuple[str, str], ...]] = {
    "isa.nc_stream_shuffle": (("src", "dst"),),
    "isa.tensor_copy_predicated": (("src", "dst"),),
    "isa.activate2": (("imm0", "imm1"),),
}
"""Operands of the same dtype, the second at fault."""

CONTRACTION: Mapping[str, tuple[str, str]] = {
    "isa.nc_matmul": ("stationary", "moving"),
    "isa.nc_matmul_mx": ("stationary", "moving"),
}
"""Operands whose partitions are contracted with each other, and so are as many."""


# --- scalars and columns -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Column:
    """An operand that is a number (if `scalar`, from that NeuronCore generation on) or a tile with one element for
    each partition of the operand `of`. `dtypes` are those of the tile; None allows all."""

    of: str
    dtypes: frozenset[DType] | None = None
    scalar: bool = True
    scalar_generation: int = 2


_FP32 = frozenset({FLOAT32})
_SCALAR_OPERANDS = {"operand0": Column("data"), "operand1": Column("data")}
_REDUCE_RESULT = Column("data", scalar=False)
_BETA1_ACTIVATION = {
    "scale": Column("data", _FP32),
    "bias": Column("data", frozenset({FLOAT32, FLOAT16, BFLOAT16}), scalar=False),
    "reduce_res": _REDUCE_RESULT,
}
_NKI_ACTIVATION = {
    "scale": Column("data", _FP32),
    "bias": Column("data", frozenset(DTYPES.values()) - {TFLOAT32}, scalar_generation=3),
    "reduce_res": _REDUCE_RESULT,
}

COLUMNS: Mapping[str, Mapping[str, Column]] = {
    "neuronxcc:isa.activation": _BETA1_ACTIVATION,
    "neuronxcc:isa.activation_reduce": _BETA1_ACTIVATION,
    "nki:isa.activation": _NKI_ACTIVATION,
    "nki:isa.activation_reduce": _NKI_ACTIVATION,
    "isa.activate2": {
        "imm0": Column("data"),
        "imm1": Column("data"),
        "relu_param": Column("data"),
        "reduce_res": _REDUCE_RESULT,
    },
    "isa.exponential": {
        "max_value": Column("src", _FP32),
        "reduce_init": Column("src", _FP32),
        "reduce_res": Column("src", scalar=False),
    },
    "isa.tensor_scalar": _SCALAR_OPERANDS,
    "isa.scalar_tensor_tensor": {"operand0": Column("data")},
    "isa.tensor_scalar_reduce": {
        "operand0": Column("data"),
        "reduce_init": Column("data", _FP32),
        "reduce_res": _REDUCE_RESULT,
    },
    "isa.tensor_scalar_cumulative": {"imm0": Column("src", _FP32), "imm1": Column("src", _FP32)},
    "isa.tensor_tensor_scan": {"initial": Column("data0")},
    "isa.range_select": {
        "bound0": Column("on_true_tile", _FP32, scalar=False),
        "bound1": Column("on_true_tile", _FP32, scalar=False),
        "reduce_res": Column("on_true_tile", scalar=False),
    },
    "isa.select_reduce": {"on_false": Column("on_true"), "reduce_res": Column("on_true", scalar=False)},
    "isa.dropout": {"prob": Column("data")},
    "isa.rand2": {"min": Column("dst", _FP32), "max": Column("dst", _FP32)},
}
"""Operands that are a number or a column."""


# --- memories, engines, operators, axes ----------------------------------------------------------------------------

NOT_BOTH_PSUM: Mapping[str, tuple[str, str]] = {
    "isa.tensor_tensor": ("data1", "data2"),
    "isa.tensor_tensor_scan": ("data0", "data1"),
    "isa.scalar_tensor_tensor": ("data", "operand1"),
    "isa.tensor_copy_predicated": ("src", "predicate"),
    "isa.select_reduce": ("on_true", "predicate"),
}
"""Operands that cannot both be in PSUM, the second at fault."""

_ALL = {"unknown": 2}
_COPY = {**_ALL, "vector": 2, "scalar": 2, "gpsimd": 2}
ENGINES: Mapping[str, Mapping[str, int]] = {
    "isa.nc_transpose": {**_ALL, "tensor": 2, "vector": 2},
    "isa.tensor_tensor": {**_ALL, "vector": 2, "gpsimd": 2},
    "isa.tensor_scalar": {**_ALL, "vector": 2, "scalar": 2, "gpsimd": 2},
    "isa.tensor_copy": _COPY,
    "nki:isa.tensor_copy": {**_COPY, "scalar": 3},
    "isa.tensor_copy_dynamic_src": _COPY,
    "isa.tensor_copy_dynamic_dst": _COPY,
    "isa.memset": {**_ALL, "vector": 2, "gpsimd": 2},
    "isa.dma_copy": {**_ALL, "sync": 3, "scalar": 3},
    "isa.rng": {**_ALL, "vector": 2, "gpsimd": 3},
    "isa.rand_set_state": {**_ALL, "gpsimd": 3, "vector": 4},
    "isa.rand_get_state": {**_ALL, "gpsimd": 3, "vector": 4},
}
"""What `engine=` takes, with the first NeuronCore generation on which it does."""

NO_PARTITION_MOVE: Mapping[str, tuple[str, ...]] = {
    "isa.local_gather": ("src_buffer", "index"),
    "isa.nonzero_with_count": ("src", "dst"),
}
"""Operands that start at the same partition, because each GpSimd core serves 16 partitions of its own. Elsewhere the
engines move whole quadrants and halves between equal numbers of partitions, and DMA moves anything."""

_REDUCE_AND_MAX = {"reduce_op": "maximum"}
OPERATORS: Mapping[str, Mapping[str, str]] = {
    "isa.activation": {"op": "activation", "reduce_op": "add"},
    "isa.activation_reduce": {"op": "activation", "reduce_op": "reduce"},
    "isa.activate2": {
        "op": "activation",
        "op0": "tensor-scalar-stage",
        "op1": "tensor-scalar-stage",
        "reduce_op": "activate2-reduce",
    },
    "isa.tensor_tensor": {"op": "binary"},
    "isa.tensor_scalar": {"op0": "alu", "op1": "alu"},
    "isa.scalar_tensor_tensor": {"op0": "alu", "op1": "alu"},
    "nki:isa.scalar_tensor_tensor": {"op0": "arithmetic", "op1": "arithmetic"},
    "isa.tensor_scalar_reduce": {"op0": "arithmetic", "reduce_op": "accumulate-or-subtract"},
    "nki:isa.tensor_scalar_reduce": {"op0": "arithmetic", "reduce_op": "accumulate"},
    "isa.tensor_scalar_cumulative": {"op0": "arithmetic", "op1": "accumulate-or-subtract"},
    "isa.tensor_tensor_scan": {"op0": "arithmetic-binary", "op1": "arithmetic-binary"},
    "isa.tensor_reduce": {"op": "reduce"},
    "isa.tensor_partition_reduce": {"op": "partition-reduce"},
    "isa.affine_select": {"cmp_op": "comparison"},
    "isa.range_select": {"comp_op0": "range-comparison", "comp_op1": "range-comparison", **_REDUCE_AND_MAX},
    "isa.select_reduce": _REDUCE_AND_MAX,
    "isa.dma_copy": {"dst_rmw_op": "add"},
    "isa.dma_compute": {"reduce_op": "add"},
}
"""The set in `words.operators` that an operator argument comes from; None as an argument means no operator."""

AXES: Mapping[str, str] = {"isa.tensor_reduce": "last-free"}
"""Arguments that name axes: "last-free" ones are the last axes of `data` without a gap, the partition axis left out."""


# --- matmul --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Matmul:
    """The operands of a matrix multiplication."""

    stationary: str = "stationary"
    moving: str = "moving"


MATMUL: Mapping[str, Matmul] = {"isa.nc_matmul": Matmul(), "isa.nc_matmul_mx": Matmul()}


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


# --- first partitions, and what belongs to single operations ------------------------------------


START_EXEMPT: Mapping[str, tuple[str, ...]] = {
    "isa.quantize_mx": ("dst_scale",),
    "isa.nc_matmul_mx": ("stationary_scale", "moving_scale"),
}
"""Operands free of the rule on first partitions: scales stand 4 partitions in each quadrant, at 0, 4, 8 or 12 of it."""

REQUIREMENTS: Mapping[str, tuple[Requirement, ...]] = {
    **PARTICULAR_MATMUL,
    **PARTICULAR_COMPUTE,
    **PARTICULAR_MOVEMENT,
}
"""What belongs to single operations, each with its code and message."""
