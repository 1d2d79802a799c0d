"""The left side of `b = nl.loop_reduce(...)`: the reduction goes on in the tile that the statement assigns to.

Python does not tell a function where its result goes, so the assignment after the call is read from the bytecode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reference_sim.report.errors import CannotSimulate
from reference_sim.report.sites import assigned_name, user_frame
from reference_sim.tensors.elements import read
from reference_sim.tensors.tensor import Tensor

from . import results

if TYPE_CHECKING:
    from .operands import Operands


def reduce_into(operands: Operands) -> Any:
    """Reduce `x` into the tile on the left; where that is a subscript, once the assignment names it."""
    frame = user_frame()
    if frame is None:
        raise CannotSimulate("loop_reduce", "the statement that calls it is not known")
    name = assigned_name((frame.f_code, frame.f_lasti))
    old = frame.f_locals.get(name, frame.f_globals.get(name))
    value = results.finish(operands, read(operands.x))
    assert isinstance(value, Tensor)
    value.storage.reduction = operands.op
    if not isinstance(old, Tensor):
        return value
    results.copy_into(old, value, operands.program)
    return old
