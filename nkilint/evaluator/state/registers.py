"""Registers of 0.x and Python that asks what is in one, which only the device knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.language.tensor_control_flow import TensorControlFlow

from ..values.cells import Cell
from ..values.containers import ON_DEVICE
from ..values.inheritance import in_words
from . import joining, protocols
from .machine import Machine
from .sides import Change

REGISTER = "a register of the device"


@protocols.truths.of(Cond)
def _truth(machine: Machine, value: Cond, node: ir.Expr) -> Cond:
    ask_register(machine, value, node.at)
    return value


def ask_register(machine: Machine, value: Any, at: Span) -> None:
    """State that what Python asks for is in no register, nor the index of a loop that the device runs."""
    asked = variables(value) if machine.in_kernel and isinstance(value, (Sym, Cond)) else ()
    if any(is_register(machine, variable) for variable in asked):
        machine.need(TensorControlFlow.message(what="a register"), False, at)


def is_register(machine: Machine, variable: Var) -> bool:
    if variable.kind == "runtime":
        return variable.source == REGISTER
    return variable.kind == "loop" and any(
        loop.kind in ON_DEVICE and loop.index.variable is variable for loop in machine.loops
    )


def traced(machine: Machine, run: Callable[[], Any]) -> tuple[Any, list[Change]]:
    """What the one trace of a loop's body gives, and the places that it leaves other than it found them: the next
    iteration does not know."""
    born = Cell.made
    with machine.recorded() as mark:
        result = run()
        return result, [c for c in machine.changes(mark, born).values() if not joining.same(c[2], c[3])]


def leave_open(machine: Machine, place: Any, at: Span) -> None:
    """A place that an iteration changes in a loop that the device runs."""
    machine.unknown(TensorControlFlow, f"{in_words(place)} is changed in a loop that is traced once", at)
