"""What Python's operations do to handles of instructions."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.operations import lookup

from ..state import protocols
from ..state.machine import Machine, explained
from ..values.instructions import Instruction
from ..values.objects import BoundMethod
from . import operations


@protocols.truths.of(Instruction)
def _truth(machine: Machine, value: Instruction, node: ir.Expr) -> bool:
    return True


@protocols.attributes.of(Instruction)
def _attribute(machine: Machine, value: Instruction, name: str, node: ir.Attr) -> Any:
    return BoundMethod(value, name)


@protocols.methods.of(Instruction)
def _method(machine: Machine, value: Instruction, name: str, args: Any, kwargs: Any, node: ir.Call | None) -> Any:
    at = node.at if node is not None else machine.at
    if lookup(machine.dialect, f"instruction.{name}") is None:
        machine.need(UnknownApi.message(name=f"instruction.{name}"), False, at)
        return explained(f"method `{name}` of an instruction")
    return operations.call_operation(machine, machine.dialect, f"instruction.{name}", [value, *args], kwargs, at, node)
