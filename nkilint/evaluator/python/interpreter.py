"""Which function evaluates or runs each kind of node; the modules beside this one register theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.faults import MISTAKES
from nkilint.base.names import bound_names
from nkilint.base.registering import entered
from nkilint.base.walk import statements, walk
from nkilint.symbolic.conditions import Opaque
from nkilint.symbolic.integers import Sym, key_of
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state.left_out import leave_out
from ..state.machine import Explained, Fault, Machine
from ..state.paths import Flow, if_unraised, leave_where, raises
from ..state.protocols import escape, escape_names, handed_on
from ..values.cells import MISSING
from ..values.choices import Either, Partly, among, as_one
from ..values.objects import (
    RESULT,
    Api,
    ClassValue,
    Environment,
    External,
    FunctionValue,
    Instance,
    ModuleValue,
    Native,
)
from ..values.tensors import View

_DEFINED = (FunctionValue, ClassValue, ModuleValue, External, Api, Native)
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
    return as_one(_value(machine, node, env))


def _value(machine: Machine, node: ir.Expr, env: Environment) -> Any:
    before, doubts = machine.unknowns, machine.doubts
    try:
        value = _EXPRESSIONS[type(node)](machine, node, env)
    except IsUnknown as unknown:
        names = sorted({part.id for part in walk(node) if isinstance(part, ir.Name)})
        found = [machine.lookup(env, name) for name in names]
        changed = [value for value in handed_on(machine, node, env) if isinstance(value, Instance)]
        escape(machine, changed, unknown.reason, told=True)
        value = among(unknown.reason, *(v for v in found if not isinstance(v, _DEFINED)))
    if isinstance(value, Unknown) and not isinstance(value, Either):
        passed_on = node is machine.harmless or _passes_on(machine, node, env)
        if not passed_on and not (machine.doubts == doubts and _raises_nothing(node)):
            machine.doubt(value.reason)
        if machine.unknowns == before and isinstance(node, _RUNNING):
            used = sorted({part.id for part in walk(node) if isinstance(part, ir.Name)})
            meant = [machine.lookup(env, name) for name in used]
            leave_out(machine, meant, value.reason, node.at, isinstance(node, ir.Call))
        machine.unknowns += 1
        if_unraised(machine, doubts)
        if isinstance(node, ir.Compare) and all(op in _TRUTHS or _is_plain(right) for op, right in node.rest):
            return undecided(machine, node, value)
        if isinstance(node, ir.Compare) and type(value) is Unknown:
            return Partly(value.reason, True, sizes_in(machine, node, env))
    elif machine.doubts != doubts:
        if_unraised(machine, doubts)
    return value


def undecided(machine: Machine, test: ir.Node, truth: Unknown, of: tuple[Sym, ...] = ()) -> Opaque:
    """A condition that holds or not, in place of one that is not known, `of` some numbers."""
    return machine.undecided(f"line {test.at.row}: {truth.reason}", of=of)


def sizes_in(machine: Machine, node: ir.Expr, env: Environment) -> tuple[Sym, ...]:
    """The numbers that the names in an expression stand for, and the sizes of the tensors."""
    found: dict[Any, Sym] = {}
    for part in walk((node,)):
        value = machine.lookup(env, part.id) if isinstance(part, ir.Name) else None
        sizes = value.shape if isinstance(value, View) else value if isinstance(value, tuple) else (value,)
        for each in sizes:
            if isinstance(each, Sym):
                found.setdefault(key_of(each), each)
    return tuple(found.values())


def _passes_on(machine: Machine, node: ir.Expr, env: Environment) -> bool:
    """Whether it gives what was there before, as a name does and what shows the evaluator's knowledge."""
    if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Name) or node.func.id != "reveal":
        return isinstance(node, ir.Name)
    return machine.lookup(env, "reveal") is MISSING


def _raises_nothing(node: ir.Expr) -> bool:
    """Whether what it does with its parts raises nothing, whatever they are."""
    if isinstance(node, ir.Compare):
        return all(op in _EQUALITY for op, _ in node.rest)
    return isinstance(node, (ir.BoolOp, ir.Conditional)) or (isinstance(node, ir.Unary) and node.op == "not")


_EQUALITY = frozenset({"==", "!=", "is", "is not"})
"""Comparisons that no value of Python's own raises at."""
_TRUTHS = frozenset({"in", "not in", "is", "is not"})
"""Comparisons that give a truth, whatever they compare."""


def _is_plain(node: ir.Expr) -> bool:
    """Whether to be equal to it is a truth, whatever is compared with it: None or a text."""
    return isinstance(node, ir.Const) and (node.value is None or isinstance(node.value, str))


_RUNNING = (ir.Call, ir.Binary, ir.Unary, ir.Compare, ir.Index, ir.Format, ir.Formatted, ir.Sequence, ir.Comprehension)
"""What may have Python call functions of the project."""


def alternatives(machine: Machine, node: ir.Expr, env: Environment) -> Any:
    """The value of `node`, which may be one of two."""
    return _value(machine, node, env) if type(node) in _PASSING_ON else evaluate(machine, node, env)


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
    place, doubts = (machine.facts, machine.loops), machine.doubts
    try:
        flow = handler(machine, statement, env)
    except IsUnknown as unknown:
        machine.facts, machine.loops = place
        flow = _skip(machine, statement, env, unknown.reason)
    except MISTAKES as mistake:
        machine.facts, machine.loops = place
        flow = _skip(machine, statement, env, machine.trace.failed(mistake))
    except Fault as fault:
        machine.loops = place[1]
        return raises(machine, fault.raised)
    if flow is Flow.NEXT:
        if_unraised(machine, doubts)
    return flow


def _skip(machine: Machine, statement: ir.Stmt, env: Environment, reason: str) -> Flow:
    """A statement that cannot be followed: what it assigns is unknown, and so is what it would have needed."""
    machine.doubts += 1
    machine.unknown(IncompleteAnalysis, reason, statement.at)
    raised = isinstance(reason, Explained)  # so it changed nothing
    reached = [] if raised else escape_names(machine, statement, env, reason, told=True)
    for name in sorted(bound_names(statement)):
        machine.assign(env, name, among(reason, *reached))
    for flow in _ways_out(statement):
        if flow is Flow.RETURN:
            machine.set(env.vars, RESULT, among(reason, *reached))
        leave_where(machine, flow, machine.undecided(f"line {statement.at.row}: {reason}"))
    return Flow.NEXT


def _ways_out(statement: ir.Stmt) -> list[Flow]:
    """Where a statement may send control."""
    inside = list(statements([statement]))
    loops = [part for part in inside if isinstance(part, (ir.For, ir.While))]
    within = {id(part) for loop in loops for part in statements(loop.body)}
    jumps = {part.kind for part in inside if isinstance(part, ir.Jump) and id(part) not in within}
    ways = [flow for flow in (Flow.BREAK, Flow.CONTINUE) if flow.value in jumps]
    return [*ways, *([Flow.RETURN] if any(isinstance(part, ir.Return) for part in inside) else [])]
