"""Bodies of loops that the device runs: traced once, so that what Python changes in them stays as the trace left it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.base.names import bound_names, target_names
from nkilint.base.walk import parts, statements, walk
from nkilint_rules.language.tensor_control_flow import TensorControlFlow

from ..state.machine import Machine
from ..state.paths import Flow
from ..state.registers import leave_open, traced
from ..values.cells import MISSING
from ..values.objects import Environment
from .liveness import carried_names


def traced_once(machine: Machine, node: ir.For, kind: str, env: Environment, run: Callable[[], Flow]) -> Flow:
    """Run the body for one iteration, and state that it leaves to the next one what it found."""
    flow, changes = traced(machine, run)
    carried = carried_names(node)
    for cell, place, before, _ in changes:
        if cell is not env.vars or place not in node.assigned:
            leave_open(machine, place, node.at)
        elif place in carried and before is not MISSING:
            at = _changed_at(node, place)
            if _reads_first(node, place):
                machine.need(TensorControlFlow.kept(name=place, loop=kind), False, at)
            else:
                leave_open(machine, place, at)
    found: Flow = flow
    return found


def _reads_first(node: ir.For, name: str) -> bool:
    """Whether every iteration reads a name before it may bind it."""
    for statement in node.body:
        inner = [part for part in parts(statement) if not isinstance(part, ir.Stmt)]
        targets = [t for t, _ in statement.assigns] if isinstance(statement, ir.Assign) else []
        if any(isinstance(n, ir.Name) and n.id == name for n in walk([p for p in inner if p not in targets])):
            return True
        if name in bound_names(statement):
            return False
    return False


def _changed_at(node: ir.For, name: str) -> Any:
    """Where the body binds a name, or else uses it first."""
    for statement in statements(node.body):
        targets = statement.assigns if isinstance(statement, (ir.Assign, ir.AugAssign)) else ()
        if any(name in target_names(target) for target, _ in targets):
            return statement.at
    return next((n.at for n in walk(node.body) if isinstance(n, ir.Name) and n.id == name), node.at)
