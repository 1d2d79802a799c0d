"""Scans along the free axis, column by column over all partitions at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reference_sim.machine.dtypes import F32, Array

from .alu import IDENTITY, apply, name_of
from .registry import effect, values

if TYPE_CHECKING:
    from ..operands import Operands

_ACCUMULATE = {"add": np.add, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum}


@values("isa.tensor_tensor_scan")
def tensor_tensor_scan(operands: Operands) -> Array:
    """`result[i] = (data0[i] op0 result[i - 1]) op1 data1[i]`."""
    a, b = operands.f32("data0"), operands.f32("data1")
    shape = a.shape
    a, b = a.reshape(shape[0], -1), b.reshape(shape[0], -1)
    initial = operands.column("initial", 2)
    state = np.broadcast_to(np.asarray(initial, F32).reshape(-1, 1), (shape[0], 1))[:, 0].copy()
    first, second = name_of(operands.op0), name_of(operands.op1)
    left, right = np.ascontiguousarray(a.T), np.ascontiguousarray(b.T)
    result = np.empty_like(left)
    plain = first in _ACCUMULATE and second in _ACCUMULATE
    if plain:
        f, g = _ACCUMULATE[first], _ACCUMULATE[second]
        for i in range(left.shape[0]):
            row = result[i]
            f(left[i], state, out=row)
            g(row, right[i], out=row)
            state = row
    else:
        for i in range(left.shape[0]):
            step = apply(first, left[i], state, bool(operands.reverse0))
            state = apply(second, step, right[i], bool(operands.reverse1)).astype(F32)
            result[i] = state
    return np.ascontiguousarray(result.T).reshape(shape)


@effect("isa.tensor_scalar_cumulative")
def tensor_scalar_cumulative(operands: Operands) -> None:
    """Each element of `src op0 imm0` reduced by `op1` with all before it, and with the engine's register: nothing where
    that goes on from what nothing has begun."""
    x = operands.f32("src")
    flat = x.reshape(x.shape[0], -1)
    name = name_of(operands.op1)
    terms = apply(operands.op0, flat, operands.column("imm0", 2))
    command = operands.leaf("reduce_cmd") or "reset_reduce"
    state = operands.program.registers.get("vector")
    if command == "load_reduce":
        state = np.broadcast_to(np.asarray(operands.column("imm1", 2), F32), (x.shape[0], 1))
    elif command != "reduce":
        state = np.full((x.shape[0], 1), IDENTITY[name], F32)
    if state is None:
        return
    if name == "subtract":
        sums = np.empty_like(terms)
        running = state[:, 0]
        for i in range(terms.shape[1]):
            running = terms[:, i] - running
            sums[:, i] = running
    else:
        sums = _ACCUMULATE[name].accumulate(np.concatenate([state, terms], axis=1), axis=1)[:, 1:]
    operands.program.registers["vector"] = sums[:, -1:].astype(F32)
    operands.write("dst", sums.reshape(x.shape))
