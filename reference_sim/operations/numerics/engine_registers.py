"""The accumulator registers of the Scalar and Vector Engines, one for each partition, which outlive an instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.dtypes import Array, as_float
from reference_sim.report.errors import CannotSimulate

from .alu import IDENTITY, binary, name_of, reduce
from .reductions import kept_by_mask

if TYPE_CHECKING:
    from ..operands import Operands


def accumulate(operands: Operands, values: Array, engine: str, always: bool = False, op: Any = None) -> None:
    """Reduce values along the free axes into the engine's registers as `reduce_cmd` says, and read them out. Where
    nothing has begun them, they hold nothing, and neither does what they are read out to."""
    command, target = _command(operands, always), operands.get("reduce_res")
    if command == "idle" and (target is None or engine == "vector"):
        return
    name = name_of(op or operands.get("reduce_op") or "add")
    partitions = values.shape[0]
    state = operands.program.registers.get(engine)
    if command in ("reset", "reset_reduce"):
        state = np.full((partitions, 1), IDENTITY[name], np.float32)
    elif command == "load_reduce":
        initial = operands.column("reduce_init", 2)
        state = np.broadcast_to(np.asarray(initial, np.float32), (partitions, 1))
    elif state is None:
        return
    if state.shape[0] != partitions:
        reason = f"{state.shape[0]} partitions are continued with {partitions}"
        raise CannotSimulate("the accumulator registers", reason)
    if command in ("reduce", "reset_reduce", "load_reduce"):
        where = kept_by_mask(operands, values)
        found = reduce(name, as_float(values), tuple(range(1, values.ndim)), where).reshape(partitions, 1)
        state = binary(name, state, found).astype(np.float32)
    operands.program.registers[engine] = state
    if target is not None:
        operands.write("reduce_res", -state if operands.get("reduce_res_negate") else state)


def _command(operands: Operands, always: bool) -> str:
    """What the call says to the registers; `range_select` of Beta 1 reduces also where it is idle."""
    command = operands.leaf("reduce_cmd") or ("reset_reduce" if always else "idle")
    vague = operands.dialect == BETA1 and operands.entry.operation.leaf == "range_select"
    return "reset_reduce" if vague and command == "idle" and operands.get("reduce_res") is not None else command
