"""Registers of 0.x and Python that asks what is in one, which only the device knows."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym
from nkilint_rules.language.tensor_control_flow import TensorControlFlow

from ..values.containers import ON_DEVICE
from . import protocols
from .machine import Machine

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
