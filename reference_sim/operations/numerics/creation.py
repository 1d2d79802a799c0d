"""Operations that create tensors, in the memory and at the place that the call asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nkilint_rules.placement.placement_initial_value import PlacementInitialValue
from nkilint_rules.placing.direct import AUTOMATIC, STACK
from nkilint_rules.words.dialects import BETA1
from reference_sim.machine.buffers import MemoryRegion
from reference_sim.machine.dtypes import cast, element_type, stored_type
from reference_sim.machine.sizes import shape_of
from reference_sim.report.wording import require
from reference_sim.tensors import allocation

from .. import results
from .registry import effect

if TYPE_CHECKING:
    from reference_sim.tensors.tensor import Tensor

    from ..operands import Operands

_FILLS = {"ndarray": None, "empty_like": None, "zeros": 0, "zeros_like": 0, "ones": 1}


@effect("language.ndarray", "language.zeros", "language.ones", "language.full")
def create(operands: Operands) -> Tensor:
    leaf = operands.entry.operation.leaf
    fill = operands.fill_value if leaf == "full" else _FILLS[leaf]
    _without_initial_value(operands)
    return allocation.create(
        operands.program,
        operands.arguments["shape"],
        element_type(operands.dtype),
        operands.get("buffer"),
        name=operands.get("name") or "",
        fill=fill,
        address=operands.get("address"),
    )


def _without_initial_value(operands: Operands) -> None:
    """A directly allocated tensor of Beta 1 begins empty."""
    buffer, current = operands.get("buffer"), operands.program
    left = current.launch.allocation in (AUTOMATIC, STACK)
    if isinstance(buffer, allocation.Allocator) and not left and current.checks and current.dialect == BETA1:
        require(PlacementInitialValue().check_creation(operands.entry.operation))


@effect("language.zeros_like", "language.empty_like")
def create_like(operands: Operands) -> Tensor:
    source = operands.get("a") if "a" in operands.arguments else operands.x
    element = source.element if operands.dtype is None else element_type(operands.dtype)
    buffer = operands.get("buffer")
    if buffer is None:
        beta1 = operands.dialect != "nki"
        buffer = MemoryRegion.sbuf if beta1 else source.buffer
    _without_initial_value(operands)
    return allocation.create(
        operands.program, source.shape, element, buffer, operands.get("name") or "",
        _FILLS[operands.entry.operation.leaf], None, source.blocks,
    )  # fmt: skip


@effect("language.rand")
def rand(operands: Operands) -> Tensor:
    shape, element = shape_of(operands.arguments["shape"]), element_type(operands.dtype)
    _without_initial_value(operands)
    tensor = allocation.create(operands.program, operands.arguments["shape"], element, operands.get("buffer"))
    results.assign(tensor, operands.program.random.random(shape, np.float32), None, operands.program)
    return tensor


def _constant(operands: Operands, values: Any, element: Any, memory: MemoryRegion) -> Tensor:
    precise = operands.program.precise
    array = np.ascontiguousarray(cast(np.asarray(values), element, stored_type(element, precise), precise))
    return allocation.constant(operands.program, array.copy(), element, memory)


@effect("language.shared_constant")
def shared_constant(operands: Operands) -> Tensor:
    constant = operands.constant
    values = np.load(constant) if isinstance(constant, str) else np.asarray(constant)
    dtype = operands.get("dtype")
    return _constant(operands, values, element_type(values.dtype if dtype is None else dtype), MemoryRegion.shared_hbm)


@effect("language.shared_identity_matrix")
def shared_identity_matrix(operands: Operands) -> Tensor | None:
    identity = np.eye(int(operands.n), dtype=np.float32)
    target: Tensor | None = operands.get("dst")
    if target is not None:
        operands.write("dst", identity)
        return target
    memory = MemoryRegion.sbuf if operands.dialect == "nki" else MemoryRegion.shared_hbm
    return _constant(operands, identity, element_type(operands.dtype), memory)
