"""Bodies of loops that the device runs: traced once, so that what Python changes in them stays as the trace left it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nkilint.base import ir
from nkilint.base.names import bound_names, target_names
from nkilint.base.walk import parts, statements, walk
from nkilint_rules.language.tensor_control_flow import TensorControlFlow

from ..state import joining
from ..state.machine import Machine
from ..state.paths import Flow, content_of
from ..values.cells import MISSING
from ..values.objects import Environment, Instance
from .liveness import carried_names


def traced_once(machine: Machine, node: ir.For, kind: str, env: Environment, run: Callable[[], Flow]) -> Flow:
    """Run the body for one iteration, and state that it leaves to the next one what it found."""
    carried = carried_names(node)
    names = sorted({part.id for part in walk(node.body) if isinstance(part, ir.Name)} - target_names(node.target))
    values = [machine.lookup(env, name) for name in names]
    contents = [_content(value) for value in values]
    flow = run()
    for name, value, content in zip(names, values, contents, strict=True):
        kept = name in carried and value is not MISSING and not joining.same(value, machine.lookup(env, name))
        if kept and _reads_first(node, name):
            machine.need(TensorControlFlow.kept(name=name, loop=kind), False, _changes(node, name))
        elif kept or (content is not None and not _is_as_before(content, _content(value))):
            reason = f"`{name}` is changed in a loop that is traced once"
            machine.unknown(TensorControlFlow, reason, _changes(node, name))
    return flow


def _content(value: Any) -> Any:
    """What a list, a dict or an object holds."""
    return dict(value.attrs) if isinstance(value, Instance) else content_of(value)


def _is_as_before(before: Any, after: Any) -> bool:
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(joining.same(value, after[key]) for key, value in before.items())
    return joining.same(before, after)


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


def _changes(node: ir.For, name: str) -> Any:
    """Where the body binds a name, or else uses it first."""
    for statement in statements(node.body):
        targets = statement.assigns if isinstance(statement, (ir.Assign, ir.AugAssign)) else ()
        if any(name in target_names(target) for target, _ in targets):
            return statement.at
    return next((n.at for n in walk(node.body) if isinstance(n, ir.Name) and n.id == name), node.at)
