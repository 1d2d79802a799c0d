"""What operations on constants put into a tile: its dtype holds it (NKI212)."""

from __future__ import annotations

from typing import Any

from nkilint.symbolic.atoms import Int
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.operands.lossy_integer import LossyInteger
from nkilint_rules.words.dtypes import DType
from nkilint_rules.words.memory import ON_CHIP

from ..state.machine import Machine
from ..state.trace import AtWitness, Event
from ..values.intervals import Range
from ..values.tensors import View
from .ranges import integers_put


def state_held(machine: Machine, event: Event) -> None:
    """Both ends of what is put into a tile of integers stay within its dtype, where they are known to be among it. That
    a constant which fills one does so is the rule's to say."""
    if event.operation is None:
        return
    filled = LossyInteger.fills.get(event.operation.name)
    if filled is not None and not isinstance(event.arguments.get(filled), Sym):
        return
    for access in event.accesses:
        dtype = access.view.dtype
        if access.role != "write" or access.mask is not True or not isinstance(dtype, DType) or not dtype.is_integer:
            continue
        low, high = dtype.integers
        for end in _told(integers_put(machine, event)) if filled is None else (event.arguments[filled],):
            name, value = access.view.base.name or "a tensor", AtWitness(end)
            said = LossyInteger.kept(tensor=name, value=value, dtype=dtype, low=low, high=high)
            if filled is not None:
                said = LossyInteger.message(operand=filled, value=value, dtype=dtype, low=low, high=high)
            for inside in [c for c in (low <= end, end <= high) if c is not True] or [True]:
                follows = _follows_of_size(machine, access.view, dtype, inside)
                if follows or _follows_of_sizes_of_inputs(machine, inside):
                    machine.holds(LossyInteger)
                else:
                    machine.need(said, inside, event.site.at)


def _follows_of_size(machine: Machine, view: View, dtype: DType, goal: Any) -> bool:
    """Whether something holds of all tiles that there can be: a partition has only so many bytes."""
    if not isinstance(goal, Cond) or str(view.memory) not in ON_CHIP:
        return False
    fits = view.base.row * dtype.itemsize <= machine.target.sbuf_bytes
    return isinstance(fits, Cond) and machine.implied(goal, [*machine.fact_list(), fits]) is True


LONGEST = 2**31  # what indices of 32 bits reach: an axis of that length is far from any that a device holds


def _follows_of_sizes_of_inputs(machine: Machine, goal: Any) -> bool:
    """Whether something holds as long as no input is that long along one axis, which the report says then."""
    if not isinstance(goal, Cond):
        return False
    sizes = [v for v in variables(goal, through_bounds=True) if v.kind == "input" and v.low is not None]
    shorter = [Sym({(v,): 1}, 0) < LONGEST for v in sizes]
    if not sizes or machine.implied(goal, [*machine.fact_list(), *shorter]) is not True:
        return False
    machine.trace.assumptions.update(dict.fromkeys(f"{v} is less than {LONGEST}" for v in sizes))
    return True


def _told(put: Range | None) -> list[Int]:
    """What is known to be among the values, of which the others are no further off."""
    if put is None:
        return []
    return put.ends() if put.reached else [] if put.element is None else [put.element]
