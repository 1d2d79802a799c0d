"""Registers of 0.x, which hold what only the device knows: their allocation, and Python that asks what is in one."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.symbolic.evaluation import variables
from nkilint_rules.operands.operand_form import OperandForm
from nkilint_rules.operations.form import Operation

from ..state.machine import Machine
from ..state.registers import REGISTER, is_register
from ..state.trace import AtWitness
from .api import own


@own("isa.register_alloc")
def _register_alloc(
    machine: Machine, operation: Operation, bound: dict[str, Any], node: ir.Call | None, dialect: str
) -> Any:
    return machine.fresh_sym("register", "runtime", None, None, REGISTER)


def state_step(machine: Machine, kind: str, step: Any, at: Span) -> bool:
    """State that the step of a loop on the device is a positive number; whether it is a number at all."""
    register = any(is_register(machine, variable) for variable in variables(step))
    said = OperandForm.step(step="a register" if register else AtWitness(step), loop=kind)
    machine.need(said, False if register else step >= 1, at)
    return not register
