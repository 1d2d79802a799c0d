"""`with` and `try`."""

from __future__ import annotations

from typing import Any

from nkilint.base import ir

from ..state import protocols
from ..state.machine import Machine
from ..state.paths import Flow
from ..values.objects import Environment, Instance
from .assignment import assign
from .interpreter import evaluate, run_block, runs


@runs(ir.With)
def _with(machine: Machine, node: ir.With, env: Environment) -> Flow:
    managers = []
    for expression, target in node.items:
        managers.append(evaluate(machine, expression, env))
        value = _enter(machine, managers[-1])
        if target is not None:
            assign(machine, target, value, env, expression)
    flow = run_block(machine, node.body, env)
    for manager in reversed(managers):
        _leave(machine, manager)
    return flow


@runs(ir.Try)
def _try(machine: Machine, node: ir.Try, env: Environment) -> Flow:
    """The body as if nothing were raised; when it surely raises, the first handler."""
    flow = run_block(machine, node.body, env)
    if flow is Flow.DEAD and node.handlers:
        flow = run_block(machine, node.handlers[0][2], env)
    elif flow is Flow.NEXT:
        flow = run_block(machine, node.otherwise, env)
    final = run_block(machine, node.final, env)
    return flow if final is Flow.NEXT else final


def _enter(machine: Machine, manager: Any) -> Any:
    if isinstance(manager, Instance) and manager.cls.lookup("__enter__") is not None:
        return protocols.call(machine, manager.cls.lookup("__enter__"), [manager], {})
    return manager


def _leave(machine: Machine, manager: Any) -> None:
    if isinstance(manager, Instance) and manager.cls.lookup("__exit__") is not None:
        protocols.call(machine, manager.cls.lookup("__exit__"), [manager, None, None, None], {})
