"""`try` and `with`: blocks that an exception may end anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk
from nkilint.symbolic.conditions import Opaque
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import Unknown

from ..state import protocols
from ..state.machine import Machine
from ..state.paths import Flow, branch, redo
from ..values.objects import Environment, External, FunctionValue, Instance
from .assignment import assign
from .interpreter import evaluate, run_block, runs

_CERTAIN = (ir.Import, ir.ImportFrom, ir.FunctionDef, ir.Scope, ir.Jump)
"""Statements that are taken to raise nothing: of imports, the first that is tried is followed."""
_SWALLOWING = frozenset({"contextlib.suppress", "contextlib.ExitStack", "pytest.raises", "pytest.warns"})


@runs(ir.Try)
def _try(machine: Machine, node: ir.Try, env: Environment) -> Flow:
    left = _left_early(machine)
    if node.handlers:
        flow = _attempt(
            machine,
            node,
            lambda: run_block(machine, node.body, env),
            lambda: run_block(machine, node.otherwise, env),
            lambda: _handlers(machine, node, node.handlers, env),
            all(_is_certain(statement) for statement in node.body),
        )
    else:
        flow = run_block(machine, node.body, env)
    if node.final and _left_early(machine) != left:
        machine.unknown(IncompleteAnalysis, "a path that leaves a block with `finally`", node.at)
    final = run_block(machine, node.final, env)
    return flow if final is Flow.NEXT else final


def _left_early(machine: Machine) -> int:
    return sum(len(frame.left) for frame in machine.frames)


def _is_certain(statement: ir.Stmt) -> bool:
    """Whether a statement raises nothing, whatever the names in it stand for."""
    if isinstance(statement, ir.Assign) and not all(isinstance(target, ir.Name) for target in statement.targets):
        return False
    if isinstance(statement, (ir.Assign, ir.ExprStmt)):
        return isinstance(statement.value, (ir.Const, ir.Name))
    return isinstance(statement, _CERTAIN) and not getattr(statement, "decorators", ())


def _attempt(
    machine: Machine,
    node: ir.Stmt,
    body: Callable[[], Flow],
    otherwise: Callable[[], Flow],
    handle: Callable[[], Flow],
    certain: bool = False,
) -> Flow:
    """A block whose exceptions are handled. It may stop anywhere, and what it changes is not known then; what it
    asserts is no fact behind it."""
    facts, loops = machine.facts, machine.loops
    with machine.recorded() as mark:
        machine.handled += 1
        flow = body()
        machine.handled -= 1
        if certain and flow is not Flow.DEAD:
            return otherwise() if flow is Flow.NEXT else flow
        changes = machine.changes(mark)
        machine.undo(mark)
        machine.facts, machine.loops = facts, loops

        def completed() -> Flow:
            redo(machine, changes)
            return otherwise() if flow is Flow.NEXT else flow

        def stopped() -> Flow:
            for cell, key, _, _ in changes.values():
                machine.set(cell, key, Unknown(f"the block on line {node.at.row} may stop anywhere"))
            return handle()

        if flow is Flow.DEAD:
            return stopped()
        return branch(machine, Opaque(f"line {node.at.row}: an exception in the block", "unknown"), stopped, completed)


def _handlers(machine: Machine, node: ir.Try, handlers: Sequence[Any], env: Environment) -> Flow:
    """Which handler runs is not known; where none does, the kernel ends."""
    (_, name, body), *others = handlers

    def first() -> Flow:
        if name is not None:
            machine.assign(env, name, Unknown("an exception"))
        flow = run_block(machine, body, env)
        if name is not None and flow is Flow.NEXT:
            machine.forget(env.vars, name)
        return flow

    if not others:
        return first()
    which = Opaque(f"line {node.at.row}: the handler of an exception, of {len(handlers)} that are left", "unknown")
    return branch(machine, which, first, lambda: _handlers(machine, node, others, env))


@runs(ir.With)
def _with(machine: Machine, node: ir.With, env: Environment) -> Flow:
    managers = []
    for expression, target in node.items:
        managers.append(evaluate(machine, expression, env))
        value = _enter(machine, managers[-1])
        if target is not None:
            assign(machine, target, value, env, expression)

    def body() -> Flow:
        return run_block(machine, node.body, env)

    if any(map(_may_swallow, managers)):
        flow = _attempt(machine, node, body, lambda: Flow.NEXT, lambda: Flow.NEXT)
    else:
        flow = body()
    if flow is not Flow.DEAD:
        for manager in reversed(managers):
            _leave(machine, manager)
    return flow


def _may_swallow(manager: Any) -> bool:
    """Whether the end of a `with` may take an exception for handled."""
    if isinstance(manager, Instance):
        leave = manager.cls.lookup("__exit__")
        if not isinstance(leave, FunctionValue):
            return leave is not None
        returned = (part.value for part in walk(leave.node.body) if isinstance(part, ir.Return))
        return any(value is not None and not (isinstance(value, ir.Const) and not value.value) for value in returned)
    if isinstance(manager, External):
        return manager.name in _SWALLOWING
    return isinstance(manager, Unknown)


def _enter(machine: Machine, manager: Any) -> Any:
    if isinstance(manager, Instance) and manager.cls.lookup("__enter__") is not None:
        return protocols.call(machine, manager.cls.lookup("__enter__"), [manager], {})
    return manager


def _leave(machine: Machine, manager: Any) -> None:
    if isinstance(manager, Instance) and manager.cls.lookup("__exit__") is not None:
        protocols.call(machine, manager.cls.lookup("__exit__"), [manager, None, None, None], {})
