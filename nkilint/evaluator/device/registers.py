"""Registers of 0.x, which hold what only the device knows: their allocation, and Python that asks what is in one."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.atoms import Var
from nkilint.symbolic.conditions import Cond
from nkilint.symbolic.evaluation import variables
from nkilint_rules.language.tensor_control_flow import TensorControlFlow
from nkilint_rules.operands.operand_form import OperandForm
from nkilint_rules.operations.form import Operation

from ..state import protocols
from ..state.machine import Machine
from ..state.trace import AtWitness
from ..values.containers import ON_DEVICE
from .api import own

REGISTER = "a register of the device"


@own("isa.register_alloc")
def _register_alloc(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    return machine.fresh_sym("register", "runtime", None, None, REGISTER)


def state_step(machine: Machine, kind: str, step: Any, at: Span) -> bool:
    """State that the step of a loop on the device is a positive number; whether it is a number at all."""
    register = any(_is_register(machine, variable) for variable in variables(step))
    said = OperandForm.step(step="a register" if register else AtWitness(step), loop=kind)
    machine.need(said, False if register else step >= 1, at)
    return not register


@protocols.truths.of(Cond)
def _truth(machine: Machine, value: Cond, node: ir.Expr) -> Cond:
    ask_register(machine, value, node.at)
    return value


def ask_register(machine: Machine, value: Any, at: Span) -> None:
    """State that what Python asks for is in no register, nor the index of a loop that the device runs."""
    if machine.in_kernel and any(_is_register(machine, variable) for variable in variables(value)):
        machine.need(TensorControlFlow.message(what="a register"), False, at)


def _is_register(machine: Machine, variable: Var) -> bool:
    if variable.kind == "runtime":
        return variable.source == REGISTER
    return variable.kind == "loop" and any(
        loop.kind in ON_DEVICE and loop.index.variable is variable for loop in machine.loops
    )
