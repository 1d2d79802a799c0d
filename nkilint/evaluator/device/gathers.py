"""Operations that gather elements of each partition by indices in a tile: these are among its elements (NKI301)."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint_rules.indexing.out_of_bounds import OutOfBounds
from nkilint_rules.operations.form import Call
from nkilint_rules.words.conditions import Unknown, all_of

from ..state.machine import Machine
from ..state.trace import AtWitness, Reach
from ..values.tensors import Bound, View
from .held_indices import bounds_of
from .requirements import operand_span


def state_gathered(machine: Machine, call: Call, mask: Any, at: Span, node: ir.Call | None) -> None:
    """What is known of the indices stays within the elements that a partition of the data has."""
    if call.operation.name not in OutOfBounds.gathering:
        return
    data, indices = call.get("data"), call.get("indices")
    if not isinstance(data, View) or not isinstance(indices, View) or isinstance(data.free, Unknown):
        return
    if mask is not True:  # which of the indices are used is not followed
        machine.trust(at)
        return
    place = operand_span(node, "indices", call) or at
    for bound in bounds_of(machine, indices, at, lambda end: Bound(end, data.free, 1, place, place, at), True):
        said = OutOfBounds.gathered(
            indices=place,
            reach=Reach(bound.reach, masked=False),
            tensor=operand_span(node, "data", call) or "data",
            size=AtWitness(bound.size),
        )
        machine.need(said, all_of((bound.reach >= 0, bound.reach < bound.size)), place, call=at)
