"""Which function evaluates or runs each kind of node; the modules beside this one register theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.registering import entered
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state.havoc import havoc_names
from ..state.machine import Fault, Machine
from ..state.paths import Flow
from ..values.choices import as_one
from ..values.objects import Environment
from .names import assigned_names

Evaluation = Callable[[Machine, Any, Environment], Any]
Execution = Callable[[Machine, Any, Environment], Flow]

_EXPRESSIONS: dict[type, Evaluation] = {}
_STATEMENTS: dict[type, Execution] = {}
_PASSING_ON: set[type] = set()  # expressions whose value may be one of two


def evaluates(*kinds: type[ir.Expr], alternatives: bool = False) -> Callable[[Evaluation], Evaluation]:
    """Make the decorated function the one that gives the value of these nodes, which may be one of two."""
    _PASSING_ON.update(kinds if alternatives else ())
    return entered(_EXPRESSIONS, kinds)


def runs(*kinds: type[ir.Stmt]) -> Callable[[Execution], Execution]:
    """Make the decorated function the one that runs these statements and says how control goes on."""
    return entered(_STATEMENTS, kinds)


def evaluate(machine: Machine, node: ir.Expr, env: Environment) -> Any:
    """The value of `node`; what cannot be modelled is `Unknown`."""
    try:
        return as_one(_EXPRESSIONS[type(node)](machine, node, env))
    except IsUnknown as unknown:
        return Unknown(unknown.reason)


def alternatives(machine: Machine, node: ir.Expr, env: Environment) -> Any:
    """The value of `node`, which may be one of two."""
    if type(node) not in _PASSING_ON:
        return evaluate(machine, node, env)
    try:
        return _EXPRESSIONS[type(node)](machine, node, env)
    except IsUnknown as unknown:
        return Unknown(unknown.reason)


def run_block(machine: Machine, body: Sequence[ir.Stmt], env: Environment) -> Flow:
    """Run statements until one of them sends control elsewhere."""
    for statement in body:
        flow = run(machine, statement, env)
        if flow is not Flow.NEXT:
            return flow
    return Flow.NEXT


def run(machine: Machine, statement: ir.Stmt, env: Environment) -> Flow:
    """Run one statement; one that raises on every input ends the path."""
    machine.step()
    machine.at = statement.at
    handler = _STATEMENTS.get(type(statement))
    if handler is None:
        return _skip(machine, statement, env, f"`{type(statement).__name__}` is not modelled")
    place = machine.facts, machine.loops
    try:
        return handler(machine, statement, env)
    except IsUnknown as unknown:
        machine.facts, machine.loops = place
        return _skip(machine, statement, env, unknown.reason)
    except Fault:
        machine.loops = place[1]
        return Flow.DEAD


def _skip(machine: Machine, statement: ir.Stmt, env: Environment, reason: str) -> Flow:
    """A statement that cannot be followed: what it assigns is unknown, and so is what it would have needed."""
    machine.unknown(IncompleteAnalysis, reason, statement.at)
    havoc_names(machine, statement, env, reason)
    for name in sorted(assigned_names(statement)):
        machine.assign(env, name, Unknown(reason))
    return Flow.NEXT
