"""Calls of every operation, small enough to be repeated for each element of each operand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import neuronxcc.nki.isa as nisa1
import neuronxcc.nki.language as nl1
import nki.isa as nisa
import nki.language as nl
import numpy as np

from nkilint_rules.operations import load_operations
from nkilint_rules.words.dialects import BETA1, NKI

F32, U8, U16, U32, I32, F8 = "float32", "uint8", "uint16", "uint32", "int32", "float8_e5m2"
Operand = tuple[tuple[int, ...], str, str]
"""The shape, the type and the memory of a tensor."""


@dataclass(frozen=True)
class Case:
    """A call: `sources` and `outputs` are its tensors by argument (or a list of them), `rest` its other arguments.
    `limits` says below what indices stay, `filled` what an operand holds in place of values that all differ."""

    name: str
    dialect: str
    sources: Mapping[str, Any]
    outputs: Mapping[str, Operand] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)
    target: str = "trn2"
    limits: Mapping[str, int] = field(default_factory=dict)
    note: str = ""
    filled: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.dialect}:{self.name}{':' if self.note else ''}{self.note}"


def tile(*shape: int, dtype: str = F32, memory: str = "sbuf") -> Operand:
    return shape, dtype, memory


T, COLUMN, ROW, OUT = tile(4, 6), tile(4, 1), tile(1, 6), tile(4, 6, memory="shared_hbm")
CHOICE = tile(4, 6, dtype=U8)
CUBE = tile(4, 3, 2)


@dataclass(frozen=True)
class Gathering:
    """An input in HBM of which rows are taken that a tile names; `outside` of them lie beyond it."""

    rows: int = 5
    outside: int = 0


def both(name: str, sources: Mapping[str, Any], dst: Any = T, filled: Any = None, **rest: Any) -> list[Case]:
    """The same call in both dialects: a result in Beta 1, `dst` in 0.x."""
    return [
        Case(name, BETA1, sources, {}, rest, filled=filled or {}),
        Case(name, NKI, sources, {"dst": dst}, rest, filled=filled or {}),
    ]


def beta1(name: str, sources: Mapping[str, Any], note: str = "", outputs: Any = None, **rest: Any) -> list[Case]:
    return [Case(name, BETA1, sources, outputs or {}, rest, note=note)]


def newer(
    name: str,
    sources: Mapping[str, Any],
    note: str = "",
    target: str = "trn2",
    outputs: Any = None,
    limits: Any = None,
    filled: Any = None,
    **rest: Any,
) -> list[Case]:
    outputs = {"dst": T} if outputs is None else outputs
    return [Case(name, NKI, sources, outputs, rest, target, limits or {}, note, filled or {})]


def elementwise() -> list[Case]:
    """The table of `nki.language`: numbers, or integers where bits count."""
    found = []
    for name, operation in load_operations().items():
        if operation.kind != "compute" or not name.startswith("language.") or set(operation.operands) - {"x", "y"}:
            continue
        leaf = name.rpartition(".")[2]
        bits = "bitwise" in leaf or "shift" in leaf or leaf == "invert"
        operand = tile(4, 6, dtype=U8 if bits else F32)
        extra = {"axis": 1} if leaf in REDUCING else {}
        for dialect in (BETA1, NKI):
            if operation.signature(dialect) is None or leaf in SPECIAL or dialect in operation.unsupported:
                continue
            target = operation.targets[0] if operation.targets else "trn2"
            found.append(Case(name, dialect, dict.fromkeys(operation.operands, operand), {}, extra, target))
    return found


def three_rows() -> Any:
    """A mask that leaves out the last of four partitions."""
    return nl1.arange(4)[:, None] < 3


REDUCING = frozenset({"sum", "max", "min", "prod", "all", "mean", "var", "softmax"})
SPECIAL = frozenset({"all_reduce", "loop_reduce", "matmul", "copy", "broadcast_to", "transpose"})

LANGUAGE = [
    *elementwise(),
    *beta1("language.copy", {"src": T}),
    *newer("language.copy", {"x": T}, outputs={}),
    *beta1("language.broadcast_to", {"src": COLUMN}, shape=(4, 6)),
    *newer("language.broadcast_to", {"x": COLUMN}, outputs={}, shape=(4, 6)),
    *beta1("language.all_reduce", {"x": T}, op=np.add, program_axes=[0]),
    *beta1("language.matmul", {"x": tile(4, 3), "y": tile(4, 6)}, transpose_x=True, note="transposed"),
    *beta1("language.matmul", {"x": tile(4, 6), "y": tile(6, 3)}),
    *newer("language.matmul", {"x": tile(4, 6), "y": tile(6, 3)}, outputs={}),
    *beta1("language.transpose", {"x": T}),
    *newer("language.transpose", {"x": T}, outputs={}),
    *[Case("language.sum", d, {"x": CUBE}, {}, {"axis": [1]}, note="middle") for d in (BETA1, NKI)],
    *[Case("language.max", d, {"x": CUBE}, {}, {"axis": [2], "keepdims": True}, note="kept") for d in (BETA1, NKI)],
    *[Case("language.softmax", d, {"x": CUBE}, {}, {"axis": 2}, note="last") for d in (BETA1, NKI)],
    *[Case("language.rms_norm", d, {"x": T, "w": ROW}, {}, {"axis": 1, "n": 6}) for d in (BETA1, NKI)],
    *[Case("language.where", d, {"condition": CHOICE, "x": T, "y": T}) for d in (BETA1, NKI)],
    *[Case("language.dropout", d, {"x": T, "rate": COLUMN}) for d in (BETA1, NKI)],
    *[Case("language.load", d, {"src": OUT}) for d in (BETA1, NKI)],
    *[Case("language.load_transpose2d", d, {"src": OUT}) for d in (BETA1, NKI)],
    *[Case("language.store", d, {"value": T}, {"dst": OUT}) for d in (BETA1, NKI)],
    *[Case("language.gather_flattened", d, {"data": T, "indices": tile(4, 3, dtype=U32)}, limits={"indices": 6})
      for d in (BETA1, NKI)],
    *[Case("language.random_seed", d, {"seed": tile(1, 1, dtype=I32)}) for d in (BETA1, NKI)],
    *beta1("language.atomic_rmw", {"value": T}, outputs={"dst": OUT}, op=np.add),
    *beta1("language.exp", {"x": T}, mask=three_rows, note="masked"),
    *beta1("language.store", {"value": T}, outputs={"dst": OUT}, mask=three_rows, note="masked"),
]  # fmt: skip

ADD, MULTIPLY = {"op": np.add}, {"op0": np.multiply, "op1": np.add}
REGISTERS = {"reduce_op": np.add, "reduce_cmd": lambda: nisa.reduce_cmd.reset_reduce}
SCALED = {"data": T, "bias": COLUMN, "scale": COLUMN}

VECTOR = [
    *both("isa.tensor_tensor", {"data1": T, "data2": T}, **ADD),
    *both("isa.tensor_scalar", {"data": T, "operand0": COLUMN, "operand1": COLUMN}, **MULTIPLY),
    *both("isa.scalar_tensor_tensor", {"data": T, "operand0": COLUMN, "operand1": T}, **MULTIPLY),
    *both("isa.reciprocal", {"data": T}),
    *both("isa.tensor_copy", {"src": T}),
    *both("isa.tensor_copy_dynamic_src", {"src": T}),
    *[Case("isa.tensor_copy_dynamic_dst", d, {"src": T}, {"dst": T}) for d in (BETA1, NKI)],
    *[Case("isa.tensor_copy_predicated", d, {"src": T, "predicate": CHOICE}, {"dst": T}, {"reverse_pred": r},
           note=str(r)) for d in (BETA1, NKI) for r in (False, True)],
    *beta1("isa.memset", {}, shape=(4, 6), value=1.0, dtype=np.float32),
    *newer("isa.memset", {}, value=1.0),
    *both("isa.activation", SCALED, op=np.exp),
    *newer("isa.activation", SCALED, note="reduced", outputs={"dst": T, "reduce_res": COLUMN}, op=nl.exp, **REGISTERS),
    *beta1("isa.activation_reduce", SCALED, outputs={"reduce_res": COLUMN}, op=np.exp, reduce_op=np.add),
    *newer("isa.activation_reduce", SCALED, outputs={"dst": T, "reduce_res": COLUMN}, op=nl.exp, reduce_op=nl.add),
    *newer("isa.activate2", {"data": T, "imm0": COLUMN, "imm1": COLUMN, "relu_param": COLUMN}, target="trn3",
           outputs={"dst": T, "reduce_res": COLUMN}, op=lambda: nl.prelu, op0=nl.multiply, op1=nl.subtract,
           **REGISTERS),
    *newer("isa.activate2", {"data": T, "imm0": COLUMN}, target="trn3", note="bypassed", op=nl.exp, op0=nl.multiply,
           op1=lambda: nl.bypass, imm1=0.0),
    *newer("isa.exponential", {"src": T, "max_value": COLUMN, "reduce_init": COLUMN}, target="trn3",
           outputs={"dst": T, "reduce_res": COLUMN}, reduce_cmd=lambda: nisa.reduce_cmd.load_reduce),
    *newer("isa.exponential", {"src": T, "max_value": COLUMN}, target="trn3", note="idle",
           outputs={"dst": T, "reduce_res": COLUMN}),
    *both("isa.dropout", {"data": T, "prob": COLUMN}),
    *both("isa.tensor_reduce", {"data": CUBE}, tile(4, 3), op=np.add, axis=2),
    *newer("isa.tensor_reduce", {"data": CUBE}, note="kept", outputs={"dst": tile(4, 1, 1)}, op=nl.add, axis=(1, 2),
           keepdims=True),
    *both("isa.tensor_partition_reduce", {"data": T}, ROW, **ADD),
    *beta1("isa.tensor_scalar_reduce", {"data": T, "operand0": COLUMN}, outputs={"reduce_res": COLUMN}, op0=np.multiply,
           reduce_op=np.add),
    *newer("isa.tensor_scalar_reduce", {"data": T, "operand0": COLUMN, "reduce_init": COLUMN},
           outputs={"dst": T, "reduce_res": COLUMN}, op0=nl.multiply, reduce_op=nl.add,
           reduce_cmd=lambda: nisa.reduce_cmd.load_reduce),
    *[Case("isa.tensor_scalar_cumulative", d, {"src": T, "imm0": COLUMN}, {"dst": T}, MULTIPLY) for d in (BETA1, NKI)],
    *newer("isa.tensor_scalar_cumulative", {"src": T, "imm0": COLUMN, "imm1": COLUMN}, note="loaded",
           reduce_cmd=lambda: nisa.reduce_cmd.load_reduce, **MULTIPLY),
    *both("isa.tensor_tensor_scan", {"data0": T, "data1": T, "initial": COLUMN}, **MULTIPLY),
    *both("isa.bn_stats", {"data": T}),
    *both("isa.bn_aggr", {"data": T}, tile(4, 2)),
    *both("isa.max8", {"src": tile(4, 9)}, tile(4, 8)),
]  # fmt: skip

BOUNDS = {"on_true_tile": T, "bound0": COLUMN, "bound1": COLUMN}
BETWEEN = {"comp_op0": np.greater_equal, "comp_op1": np.less, "on_false_value": -3.4028234663852886e38}
INNER = {"bound0": 1, "bound1": 5}
DIAGONAL = {"pattern": [[-1, 6]], "channel_multiplier": 1, "cmp_op": nl.greater_equal, "on_false_value": -1.0}
SELECTED = {"predicate": CHOICE, "on_true": T, "on_false": COLUMN}
NAMED = {"data": tile(4, 9), "vals": tile(4, 8)}

SELECTION = [
    *beta1("isa.iota", {}, expr=lambda: nl1.arange(6)[None, :], dtype=np.int32),
    *newer("isa.iota", {}, pattern=[[1, 6]]),
    *beta1("isa.affine_select", {"on_true_tile": T}, on_false_value=-1.0,
           pred=lambda: nl1.arange(4)[:, None] >= nl1.arange(6)[None, :]),
    *newer("isa.affine_select", {"on_true_tile": T}, **DIAGONAL),
    *both("isa.range_select", BOUNDS, filled=INNER, **BETWEEN),
    *newer("isa.range_select", BOUNDS, note="reduced", filled=INNER, outputs={"dst": T, "reduce_res": COLUMN},
           **BETWEEN),
    *[Case("isa.select_reduce", d, SELECTED, {"dst": T, "reduce_res": COLUMN},
           {"reduce_cmd": lambda: nisa.reduce_cmd.reset_reduce, "reverse_pred": r}, note=str(r))
      for d in (BETA1, NKI) for r in (False, True)],
    *[Case("isa.select_reduce", d, SELECTED, {"dst": T, "reduce_res": COLUMN}, note="idle") for d in (BETA1, NKI)],
    *newer("isa.range_select", BOUNDS, note="idle", filled=INNER, outputs={"dst": T, "reduce_res": COLUMN},
           reduce_cmd=lambda: nisa.reduce_cmd.idle, **BETWEEN),
    *beta1("isa.select_reduce", SELECTED, outputs={"dst": T}, mask=three_rows, note="masked"),
    *both("isa.sequence_bounds", {"segment_ids": tile(1, 6, dtype=I32)}, tile(1, 2, 6, dtype=I32)),
    *[Case("isa.local_gather", d, {"src_buffer": tile(32, 6), "index": tile(32, 1, dtype=U16)}, o,
           {"num_elem_per_idx": 2}, limits={"index": 5})
      for d, o in ((BETA1, {}), (NKI, {"dst": tile(32, 16, 2)}))],
    *newer("isa.nc_n_gather", {"data": T, "indices": tile(4, 3, dtype=U32)}, outputs={"dst": tile(4, 3)},
           limits={"indices": 6}),
    *both("isa.nc_find_index8", NAMED, tile(4, 8, dtype=U32)),
    *beta1("isa.nc_match_replace8", NAMED, outputs={"dst_idx": tile(4, 8, dtype=U32)}, imm=0.0),
    *beta1("isa.nc_match_replace8", NAMED, imm=0.0, mask=three_rows, note="masked"),
    *newer("isa.nc_match_replace8", NAMED, outputs={"dst": tile(4, 9), "dst_idx": tile(4, 8, dtype=U32)}, imm=0.0),
    *[Case("isa.nc_stream_shuffle", d, {"src": tile(64, 2)}, {"dst": tile(64, 2)}, {"shuffle_mask": m}, note=n)
      for d in (BETA1, NKI)
      for n, m in (("all", [5] * 4 + list(range(28))), ("some", [255, 3, 1, 255] * 8), ("none", [255] * 32))],
    *newer("isa.nonzero_with_count", {"src": tile(32, 5, dtype=I32)}, outputs={"dst": tile(32, 6, dtype=I32)}),
    *newer("isa.topk", {"src": tile(32, 2, dtype="bfloat16")}, n=32,
           outputs={"val_dst": tile(32, 8, dtype="bfloat16"), "idx_dst": tile(32, 8, dtype=U32)}),
    *newer("isa.topk", {"src": tile(16, 2, dtype="bfloat16")}, n=20, note="fewer",
           outputs={"val_dst": tile(16, 8, dtype="bfloat16"), "idx_dst": tile(16, 8, dtype=U32)}),
    *newer("isa.rng", {}, outputs={"dst": tile(4, 6, dtype=U32)}),
    *newer("isa.rand2", {"min": COLUMN, "max": COLUMN}, target="trn3"),
    *newer("isa.rand_get_state", {}, outputs={"dst": tile(4, 6, dtype=U32)}),
    *newer("isa.rand_set_state", {"src_seeds": tile(4, 6, dtype=U32)}, outputs={}),
    *newer("isa.set_rng_seed", {"src_seeds": tile(1, 1, dtype=U32)}, outputs={}),
]  # fmt: skip

FACTORS = {"stationary": tile(4, 3), "moving": tile(4, 6)}
SCALES = {"stationary_scale": tile(64, 4, dtype=U8), "moving_scale": tile(64, 5, dtype=U8)}
PACKED = {"stationary": tile(64, 4, dtype="float8_e5m2_x4"), "moving": tile(64, 5, dtype="float8_e5m2_x4"), **SCALES}

MOVEMENT = [
    *beta1("isa.nc_matmul", FACTORS),
    *[c for flag in (False, True) for c in newer("isa.nc_matmul", FACTORS, accumulate=flag, note=str(flag),
                                                      outputs={"dst": tile(3, 6, memory="psum")})],
    *newer("isa.nc_matmul", {"stationary": tile(4, 3), "moving": tile(4, 4)}, is_transpose=True, note="transposed",
           filled={"moving": np.eye(4)},
           outputs={"dst": tile(3, 4, memory="psum")}, accumulate=False),
    *newer("isa.nc_matmul", {"stationary": tile(4, 2, 3, dtype=F8), "moving": tile(4, 2, 5, dtype=F8)}, note="double",
           outputs={"dst": tile(3, 5, memory="psum")}, accumulate=False,
           perf_mode=lambda: nisa.matmul_perf_mode.double_row),
    *newer("isa.nc_matmul_mx", PACKED, target="trn3", filled={"stationary_scale": 127, "moving_scale": 127},
           outputs={"dst": tile(4, 5, memory="psum")}, accumulate=False),
    *both("isa.nc_transpose", {"data": T}, tile(6, 4)),
    *newer("isa.quantize_mx", {"src": tile(64, 8, dtype="bfloat16")}, target="trn3",
           outputs={"dst": tile(64, 2, dtype="float8_e5m2_x4"), "dst_scale": tile(64, 2, dtype=U8)}),
    *[Case("isa.dma_copy", d, {"src": T}, {"dst": OUT}) for d in (BETA1, NKI)],
    *beta1("isa.dma_copy", {"src": T}, outputs={"dst": OUT}, dst_rmw_op=np.add, note="added"),
    *newer("isa.dma_copy", {"src": Gathering()}, note="gathered"),
    *newer("isa.dma_copy", {"src": Gathering(outside=2)}, note="skipped", oob_mode=lambda: nisa.oob_mode.skip),
    *newer("isa.dma_compute", {"srcs": [T, T]}, reduce_op=nl.add),
    *newer("isa.dma_compute", {"srcs": [Gathering(outside=2), T]}, note="skipped", reduce_op=nl.add,
           oob_mode=lambda: nisa.oob_mode.skip),
    *both("isa.dma_transpose", {"src": T}, tile(6, 4)),
    *newer("isa.dma_transpose", {"src": CUBE}, outputs={"dst": tile(2, 3, 4)}, note="of a cube"),
    *newer("isa.dma_transpose", {"src": Gathering(outside=2)}, outputs={"dst": tile(6, 4)}, note="skipped", axes=(1, 0),
           oob_mode=lambda: nisa.oob_mode.skip),
    *newer("isa.register_store", {}, outputs={"dst": tile(1, 1, dtype=I32)}, src=lambda: nisa.register_alloc(5)),
    *newer("isa.register_load", {"src": tile(1, 1, dtype=I32)}, outputs={}, dst=lambda: nisa.register_alloc(5)),
    *newer("language.shared_identity_matrix", {}, n=4, outputs={"dst": tile(4, 4)}),
]  # fmt: skip

CASES = [*LANGUAGE, *VECTOR, *SELECTION, *MOVEMENT]

COLLECTIVE = "several devices take part, of which the simulator has one"
EXEMPT = {
    "isa.builtin_custom_op": "runs a library that is built for the device",
    "isa.attention_kernel": "is not simulated: its page does not say what it computes",
    "isa.attention_kernel_cache": "is not simulated: its page does not say what it computes",
    "isa.sendrecv": "takes two cores; what arrives comes from the other one",
    "language.loop_reduce": "writes to the tile on the left of its statement, in the loop around it",
    "tensor.astype": "is a method of the simulator's tensors",
    **{n: COLLECTIVE for n, o in load_operations().items() if o.kind == "collective" and n != "language.all_reduce"},
}
"""Operations that move data and have no case, and why."""

MODULES = {BETA1: {"isa": nisa1, "language": nl1}, NKI: {"isa": nisa, "language": nl}}
