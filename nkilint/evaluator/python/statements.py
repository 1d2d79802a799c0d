"""Statements. Each function runs one and says how control goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import walk
from nkilint.symbolic.conditions import Opaque
from nkilint.symbolic.evaluation import variables
from nkilint_rules.operands.missing_destination import MissingDestination
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.conditions import IsUnknown, Unknown
from nkilint_rules.words.dialects import BETA1

from ..state.machine import Fault, Machine, settled
from ..state.paths import Flow, branch
from ..state.trace import KEPT_LOOPS, Access, Assertion, Event, Rebinding
from ..values.tensors import InputTensor, View
from ..values.values import DictValue, Environment, ListValue
from . import assignment, definitions, loops
from .expressions import alternatives, evaluate, truth_of
from .vacuity import check_condition

RESULT = "<result>"  # the cell of a call's result, beside its variables


def run_block(machine: Machine, body: Sequence[ir.Stmt], env: Environment) -> Flow:
    for statement in body:
        flow = run(machine, statement, env)
        if flow is not Flow.NEXT:
            return flow
    return Flow.NEXT


def run(machine: Machine, statement: ir.Stmt, env: Environment) -> Flow:
    machine.step()
    machine.at = statement.at
    handler = _HANDLERS.get(type(statement))
    if handler is None:
        return Flow.NEXT
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
    for name in assigned_names(statement):
        machine.assign(env, name, Unknown(reason))
    return Flow.NEXT


def assigned_names(statement: ir.Stmt) -> set[str]:
    """Plain names a statement can assign."""
    found: set[str] = set()
    if isinstance(statement, ir.Assign):
        for target in statement.targets:
            found |= assignment.target_names(target)
    elif isinstance(statement, (ir.AugAssign, ir.AnnAssign)):
        found |= assignment.target_names(statement.target)
    elif isinstance(statement, (ir.For, ir.While)):
        found |= statement.assigned
    elif isinstance(statement, ir.If):
        for part in (*statement.then, *statement.otherwise):
            found |= assigned_names(part)
    elif isinstance(statement, (ir.With, ir.Try)):
        for part in statement.body:
            found |= assigned_names(part)
    return found


# --- simple statements ---


def _assign(machine: Machine, node: ir.Assign, env: Environment) -> Flow:
    named = all(isinstance(target, ir.Name) for target in node.targets)
    value = (alternatives if named else evaluate)(machine, node.value, env)
    for target in node.targets:
        _note_rebinding(machine, target, value, node, env)
        assignment.assign(machine, target, value, env, node.value)
    return Flow.NEXT


def _note_rebinding(machine: Machine, target: ir.Expr, value: Any, node: ir.Assign, env: Environment) -> None:
    if not isinstance(target, ir.Name) or not isinstance(value, View) or value.base.kind != "result":
        return
    before = settled(machine.lookup(env, target.id))
    if not isinstance(before, View):
        return
    if any(isinstance(part, ir.Name) and part.id == target.id for part in walk(node.value)):
        machine.trace.rebound[id(value.base)] = Rebinding(target.id, before, node.at)


def _annotated(machine: Machine, node: ir.AnnAssign, env: Environment) -> Flow:
    if node.value is None:
        return Flow.NEXT
    value = evaluate(machine, node.value, env)
    assignment.check_annotation(machine, node, value, env)
    assignment.assign(machine, node.target, value, env, node.value)
    return Flow.NEXT


def _augmented(machine: Machine, node: ir.AugAssign, env: Environment) -> Flow:
    assignment.augment(machine, node, env)
    return Flow.NEXT


def _expression(machine: Machine, node: ir.ExprStmt, env: Environment) -> Flow:
    events = len(machine.trace.events)
    value = evaluate(machine, node.value, env)
    if isinstance(value, View) and machine.in_kernel and isinstance(node.value, ir.Call):
        _check_unused(machine, node.value, value, events)
    return Flow.NEXT


def _check_unused(machine: Machine, node: ir.Call, value: View, events: int) -> None:
    """A call whose only effect is the tile it returns has to be used."""
    recorded = machine.trace.events[events:]
    made = [e for e in recorded if any(a.role == "write" and a.view is value for a in e.accesses)]
    if len(made) != 1 or made[0].operation is None or made[0].site.at != node.at:
        return
    operands = made[0].operation.operands_in(machine.dialect)
    writes = [n for n, o in operands.items() if o.role != "read" and made[0].arguments.get(n) is not None]
    if not writes and made[0].operation.kind in ("compute", "matmul"):
        machine.need(MissingDestination.unused(operation=made[0].operation.leaf), False, node.at)


def _return(machine: Machine, node: ir.Return, env: Environment) -> Flow:
    value = None if node.value is None else alternatives(machine, node.value, env)
    machine.set(env.vars, RESULT, value)
    if not machine.callers:
        machine.emit(return_event(machine, value, node.at))
    return Flow.RETURN


def _jump(machine: Machine, node: ir.Jump, env: Environment) -> Flow:
    return {"break": Flow.BREAK, "continue": Flow.CONTINUE, "pass": Flow.NEXT}[node.kind]


def _raise(machine: Machine, node: ir.Raise, env: Environment) -> Flow:
    return Flow.DEAD


def _delete(machine: Machine, node: ir.Delete, env: Environment) -> Flow:
    for target in node.targets:
        if isinstance(target, ir.Name):
            machine.forget(env.vars, target.id)
        else:
            assignment.delete(machine, target, env)
    return Flow.NEXT


def _scope(machine: Machine, node: ir.Scope, env: Environment) -> Flow:
    for name in node.names:
        target: Environment | None = env.module.env
        if node.kind == "nonlocal":
            target = env.parent
            while target is not None and name not in target.vars and target.parent is not None:
                target = target.parent
        if target is not None:
            env.redirected = {**(env.redirected or {}), name: target}
    return Flow.NEXT


def _assert(machine: Machine, node: ir.Assert, env: Environment) -> Flow:
    condition = truth_of(machine, alternatives(machine, node.test, env), node.test)
    check_condition(machine, condition, node.test, env, "assertion")
    return settle_assertion(machine, condition, node.test, env)


def settle_assertion(machine: Machine, condition: Any, test: ir.Expr, env: Environment) -> Flow:
    """An assertion holds from here on; one that cannot hold ends the path."""
    if isinstance(condition, Unknown):
        machine.trace.assumptions.setdefault(f"the assertion on line {test.at.row} holds", None)
        return Flow.NEXT
    if condition is False or machine.truth(condition) is False:
        values = tuple(_values_in(machine, test, env))
        machine.trace.assertions.append(Assertion(False, machine.site(test.at), test, _place(machine), values))
        return Flow.DEAD
    machine.trace.assertions.append(Assertion(condition, machine.site(test.at), test, _place(machine)))
    machine.assume(condition, "asserted")
    return Flow.NEXT


def _place(machine: Machine) -> str:
    return machine.functions[-1].name if machine.functions else ""


def _values_in(machine: Machine, test: ir.Expr, env: Environment) -> Iterator[tuple[ir.Span, Any]]:
    """The names and attributes of a test that stand for a number or a text, with their values."""
    stack: list[Any] = [test]
    while stack:
        node = stack.pop(0)
        if isinstance(node, (ir.Name, ir.Attr, ir.Index)):
            value = evaluate(machine, node, env)
            if isinstance(value, (int, str)):
                yield node.at, value
                continue
        if isinstance(node, ir.Expr):
            stack[:0] = [part for f in fields(node) for part in _parts(getattr(node, f.name))]


def _parts(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [part for item in value for part in _parts(item)]
    return [value] if isinstance(value, ir.Expr) else []


# --- branches ---


def _if(machine: Machine, node: ir.If, env: Environment) -> Flow:
    value = alternatives(machine, node.test, env)
    condition = truth_of(machine, value, node.test)
    if isinstance(condition, Unknown):
        condition = Opaque(f"line {node.test.at.row}: {condition.reason}", "runtime")
    check_condition(machine, condition, node.test, env, "guard")
    around = machine.branches
    if _varies(machine, condition, node.test):
        machine.branches = (*around, node.at)
    try:
        decided = machine.truth(condition)
        if decided is not None:
            return run_block(machine, node.then if decided else node.otherwise, env)
        return branch(
            machine,
            condition,
            lambda: run_block(machine, node.then, env),
            lambda: run_block(machine, node.otherwise, env),
        )
    finally:
        machine.branches = around


def _varies(machine: Machine, condition: Any, test: ir.Expr) -> bool:
    """Whether the iteration of a loop that the compiler keeps, or the program, decides."""
    if machine.dialect != BETA1 or not machine.in_kernel:
        return False
    kept = {loop.index.variable for loop in machine.loops if loop.kind in KEPT_LOOPS}
    if any(v in kept or v.kind == "program" for v in variables(condition)):
        return True
    here = machine.functions[-1:]
    names: set[str] = set()
    for at, kind, _ in machine.unrolled:
        function, targets = machine.memo["iterates", at]
        names |= targets if kind in KEPT_LOOPS and function == here else set()
    return bool(names) and any(isinstance(part, ir.Name) and part.id in names for part in walk(test))


def return_event(machine: Machine, value: Any, at: Span) -> Event:
    """The return of the kernel: all tensors in what it returns are read."""
    return Event("return", machine.site(at), None, tuple(_read_by_return(value)), {"value": value})


def _read_by_return(value: Any) -> list[Access]:
    if isinstance(value, InputTensor):
        value = value.cell.get("view")
    if isinstance(value, View):
        return [Access("read", value, True, "return")]
    if isinstance(value, ListValue):
        value = value.items if isinstance(value.cell["items"], tuple) else ()
    if isinstance(value, DictValue):
        value = tuple(value.items.values())
    return [a for item in value for a in _read_by_return(item)] if isinstance(value, tuple) else []


# --- compound statements ---


def _with(machine: Machine, node: ir.With, env: Environment) -> Flow:
    managers = []
    for expression, target in node.items:
        managers.append(evaluate(machine, expression, env))
        value = definitions.enter_context(machine, managers[-1])
        if target is not None:
            assignment.assign(machine, target, value, env, expression)
    flow = run_block(machine, node.body, env)
    for manager in reversed(managers):
        definitions.leave_context(machine, manager)
    return flow


def _try(machine: Machine, node: ir.Try, env: Environment) -> Flow:
    """The body as if nothing were raised; when it surely raises, the first handler."""
    flow = run_block(machine, node.body, env)
    if flow is Flow.DEAD and node.handlers:
        flow = run_block(machine, node.handlers[0][2], env)
    elif flow is Flow.NEXT:
        flow = run_block(machine, node.otherwise, env)
    final = run_block(machine, node.final, env)
    return flow if final is Flow.NEXT else final


def _function(machine: Machine, node: ir.FunctionDef, env: Environment) -> Flow:
    machine.assign(env, node.name, definitions.define_function(machine, node, env))
    return Flow.NEXT


def _class(machine: Machine, node: ir.ClassDef, env: Environment) -> Flow:
    machine.assign(env, node.name, definitions.define_class(machine, node, env))
    return Flow.NEXT


def _import(machine: Machine, node: ir.Import | ir.ImportFrom, env: Environment) -> Flow:
    definitions.run_import(machine, node, env)
    return Flow.NEXT


def _for(machine: Machine, node: ir.For, env: Environment) -> Flow:
    return loops.run_for(machine, node, env)


def _while(machine: Machine, node: ir.While, env: Environment) -> Flow:
    return loops.run_while(machine, node, env)


def _unsupported(machine: Machine, node: ir.UnsupportedStmt, env: Environment) -> Flow:
    raise IsUnknown(f"`{node.what}` is not modelled")


_HANDLERS: dict[type, Callable[[Machine, Any, Environment], Flow]] = {
    ir.Assign: _assign,
    ir.AnnAssign: _annotated,
    ir.AugAssign: _augmented,
    ir.ExprStmt: _expression,
    ir.Return: _return,
    ir.Jump: _jump,
    ir.Raise: _raise,
    ir.Delete: _delete,
    ir.Scope: _scope,
    ir.Assert: _assert,
    ir.If: _if,
    ir.With: _with,
    ir.Try: _try,
    ir.FunctionDef: _function,
    ir.ClassDef: _class,
    ir.Import: _import,
    ir.ImportFrom: _import,
    ir.For: _for,
    ir.While: _while,
    ir.UnsupportedStmt: _unsupported,
}
