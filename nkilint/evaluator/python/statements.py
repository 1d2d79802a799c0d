"""Simple statements and branches. Each function runs one and says how control goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from nkilint.base import ir
from nkilint.base.ir import Span
from nkilint.base.walk import walk
from nkilint.symbolic.conditions import And, Cond, opaque_parts
from nkilint.symbolic.evaluation import variables
from nkilint_rules.misfits import only_gives
from nkilint_rules.operands.missing_destination import MissingDestination
from nkilint_rules.words.conditions import IsUnknown, Unknown, all_of, negation
from nkilint_rules.words.dialects import BETA1

from ..state.machine import Explained, Machine
from ..state.paths import Flow, branch, is_handled, leave_where, raises
from ..state.trace import KEPT_LOOPS, Access, Assertion, Event, Rebinding
from ..values.choices import Either, is_told, known_of, numbers_of, settled
from ..values.containers import DictValue, ListValue
from ..values.inputs import InputTensor
from ..values.objects import RESULT, Api, Environment, Instance, Native
from ..values.tensors import View
from .assignment import assign, augment, check_annotation, delete
from .functions import check_annotations
from .interpreter import alternatives, evaluate, run_block, runs, sizes_in, undecided
from .truths import condition_of
from .vacuity import check_condition

# --- simple statements ---


@runs(ir.Assign)
def _assign(machine: Machine, node: ir.Assign, env: Environment) -> Flow:
    named = all(isinstance(target, ir.Name) for target in node.targets)
    value = (alternatives if named else evaluate)(machine, node.value, env)
    for target in node.targets:
        _note_rebinding(machine, target, value, node, env)
        assign(machine, target, value, env, node.value)
    return Flow.NEXT


def _note_rebinding(machine: Machine, target: ir.Expr, value: Any, node: ir.Assign, env: Environment) -> None:
    if not isinstance(target, ir.Name) or not isinstance(value, View) or value.base.kind != "result":
        return
    before = settled(machine.lookup(env, target.id))
    if not isinstance(before, View):
        return
    if any(isinstance(part, ir.Name) and part.id == target.id for part in walk(node.value)):
        machine.trace.rebound[id(value.base)] = Rebinding(target.id, before, node.at)


@runs(ir.AnnAssign)
def _annotated(machine: Machine, node: ir.AnnAssign, env: Environment) -> Flow:
    if node.value is not None:
        value = evaluate(machine, node.value, env)
        check_annotation(machine, node, value, env)
        assign(machine, node.target, value, env, node.value)
    if env.function is None:  # of variables in functions nobody asks for it
        check_annotations(machine, [node.annotation], env)
    return Flow.NEXT


@runs(ir.AugAssign)
def _augmented(machine: Machine, node: ir.AugAssign, env: Environment) -> Flow:
    augment(machine, node, env)
    return Flow.NEXT


@runs(ir.ExprStmt)
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
    if only_gives(made[0].operation, machine.dialect, made[0].arguments):
        machine.need(MissingDestination.unused(operation=made[0].operation.leaf), False, node.at)


@runs(ir.Return)
def _return(machine: Machine, node: ir.Return, env: Environment) -> Flow:
    value = None if node.value is None else alternatives(machine, node.value, env)
    machine.set(env.vars, RESULT, value)
    if not machine.callers:
        machine.emit(return_event(machine, value, node.at))
    return Flow.RETURN


@runs(ir.Jump)
def _jump(machine: Machine, node: ir.Jump, env: Environment) -> Flow:
    return {"break": Flow.BREAK, "continue": Flow.CONTINUE, "pass": Flow.NEXT}[node.kind]


@runs(ir.Raise)
def _raise(machine: Machine, node: ir.Raise, env: Environment) -> Flow:
    if node.exception is None:
        return raises(machine, machine.caught[-1] if machine.caught else None)
    value = evaluate(machine, node.exception, env)
    return raises(machine, None if isinstance(value, Unknown) else value)


@runs(ir.Delete)
def _delete(machine: Machine, node: ir.Delete, env: Environment) -> Flow:
    for target in node.targets:
        if isinstance(target, ir.Name):
            evaluate(machine, target, env)  # which is to be bound
            machine.delete((env.redirected or {}).get(target.id, env).vars, target.id)
        else:
            delete(machine, target, env)
    return Flow.NEXT


@runs(ir.Scope)
def _scope(machine: Machine, node: ir.Scope, env: Environment) -> Flow:
    for name in node.names:
        target = env.parent.around(name) if node.kind == "nonlocal" and env.parent else env.module.env
        env.redirected = {**(env.redirected or {}), name: target}
    return Flow.NEXT


@runs(ir.Assert)
def _assert(machine: Machine, node: ir.Assert, env: Environment) -> Flow:
    around, machine.trusting = machine.trusting, True
    try:
        condition = condition_of(machine, node.test, env)
    finally:
        machine.trusting = around
    check_condition(machine, condition, node.test, env, "assertion")
    return settle_assertion(machine, condition, node.test, env)


def settle_assertion(machine: Machine, condition: Any, test: ir.Expr, env: Environment) -> Flow:
    """An assertion holds from here on; one that cannot hold ends the path."""
    if isinstance(condition, Unknown):
        machine.doubts += 1
        if is_handled(machine, "AssertionError"):
            leave_where(machine, Flow.RAISE, negation(undecided(machine, test, condition)), "AssertionError")
        else:
            machine.trace.assumptions.setdefault(f"the assertion on line {test.at.row} holds", None)
            about = (*sizes_in(machine, test, env), *numbers_of(condition))
            machine.assume(undecided(machine, test, condition, about), "asserted")
            if (known := known_of(condition)) is not True:
                return settle_assertion(machine, known, test, env)
        return Flow.NEXT
    if is_handled(machine, "AssertionError"):
        holds = machine.truth(condition)
        if holds is None:
            leave_where(machine, Flow.RAISE, negation(condition), "AssertionError")
        return raises(machine, "AssertionError") if holds is False else Flow.NEXT
    if _never_holds(machine, condition):
        values = tuple(_values_in(machine, test, env))
        machine.trace.assertions.append(Assertion(False, machine.site(test.at), test, _place(machine), values))
        return raises(machine, Explained("AssertionError"))
    machine.trace.assertions.append(Assertion(condition, machine.site(test.at), test, _place(machine)))
    machine.assume(condition, "asserted")
    return Flow.NEXT


def _never_holds(machine: Machine, condition: Any) -> bool:
    """Whether a condition, or a part of a conjunction where those before it hold, is certainly false."""
    if not isinstance(condition, And):
        return condition is False or machine.truth(condition) is False
    before = machine.facts
    try:
        for part in condition.parts:
            if machine.truth(part) is False:
                return True
            machine.assume(part, "asserted")
    finally:
        machine.facts = before
    return machine.truth(condition) is False


def _place(machine: Machine) -> str:
    return machine.functions[-1].name if machine.functions else ""


def _values_in(machine: Machine, test: ir.Expr, env: Environment) -> Iterator[tuple[ir.Span, Any]]:
    """The names, attributes and sizes of a test that stand for a number or a text, with their values."""
    stack: list[Any] = [test]
    while stack:
        node = stack.pop(0)
        if isinstance(node, (ir.Comprehension, ir.Lambda)):
            continue  # their names are their own
        if isinstance(node, (ir.Name, ir.Attr, ir.Index)) or _asks_for_size(machine, node, env):
            value = evaluate(machine, node, env)
            if isinstance(value, (int, str)):
                yield node.at, value
                continue
        if isinstance(node, ir.Expr):
            stack[:0] = [part for f in fields(node) for part in _parts(getattr(node, f.name))]


def _asks_for_size(machine: Machine, node: Any, env: Environment) -> bool:
    """Whether a call changes nothing: one for the length of something, or for the launch grid."""
    if not isinstance(node, ir.Call) or not isinstance(node.func, (ir.Name, ir.Attr)):
        return False
    function = evaluate(machine, node.func, env)
    return isinstance(function, (Api, Native)) and function.name in _SIZES


_SIZES = frozenset({"language.num_programs", "language.program_ndim", "len"})


def _parts(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [part for item in value for part in _parts(item)]
    return [value] if isinstance(value, ir.Expr) else []


# --- branches ---


@runs(ir.If)
def _if(machine: Machine, node: ir.If, env: Environment) -> Flow:
    condition = condition_of(machine, node.test, env)
    if isinstance(condition, Unknown):
        condition = undecided(machine, node.test, condition)
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
    """Whether it is certain that the iteration of a loop that the compiler keeps, or the program, decides."""
    if machine.dialect != BETA1 or not machine.in_kernel:
        return False
    if isinstance(condition, Cond) and any(part.kind == "unknown" for part in opaque_parts(condition)):
        return False
    kept = {loop.index.variable for loop in machine.loops if loop.kind in KEPT_LOOPS}
    if any(v in kept or v.kind == "program" for v in variables(condition)):
        return True
    here = machine.functions[-1:]
    names: set[str] = set()
    for at, kind, _ in machine.unrolled:
        function, targets = machine.memo["iterates", at] if kind in KEPT_LOOPS else (None, set())
        names |= targets if function == here else set()
    return bool(names) and any(isinstance(part, ir.Name) and part.id in names for part in walk(test))


def return_event(machine: Machine, value: Any, at: Span) -> Event:
    """The return of the kernel: all tensors in what it returns are read."""
    return Event("return", machine.site(at), None, tuple(_read_by_return(value)), {"value": value})


def _read_by_return(value: Any, above: tuple[Instance, ...] = ()) -> list[Access]:
    if isinstance(value, InputTensor):
        value = value.view
    if isinstance(value, View):
        return [Access("read", value, True, "return")]
    if isinstance(value, Either) and is_told(value.condition):
        sides = (value.then, value.condition), (value.otherwise, negation(value.condition))
        return [_where(when, access) for side, when in sides for access in _read_by_return(side, above)]
    if isinstance(value, ListValue):
        value = value.items if isinstance(value.cell["items"], tuple) else ()
    if isinstance(value, DictValue):
        value = tuple(value.items.values())
    if isinstance(value, Instance):
        if any(value is each for each in above):
            return []
        value, above = tuple(value.attrs.values()), (*above, value)
    return [a for item in value for a in _read_by_return(item, above)] if isinstance(value, tuple) else []


def _where(when: Any, access: Access) -> Access:
    return replace(access, view=access.view.with_(when=all_of((access.view.when, when))))


@runs(ir.UnsupportedStmt)
def _unsupported(machine: Machine, node: ir.UnsupportedStmt, env: Environment) -> Flow:
    raise IsUnknown(f"`{node.what}` is not modelled")
