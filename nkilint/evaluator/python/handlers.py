"""Which `except` or `except*` takes an exception, and what it does with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.base import ir
from nkilint_rules.words.conditions import IsUnknown, Unknown

from ..state import protocols
from ..state.idle_facts import WHICH
from ..state.machine import Machine
from ..state.paths import Flow, branch, raises
from ..values.objects import ClassValue, Environment, External
from .exceptions import builtin_exception, meets
from .interpreter import evaluate, run_block

GROUP = External("builtins.ExceptionGroup")


def may_handle(machine: Machine, raised: Any, node: ir.Try, env: Environment) -> bool:
    """Whether a handler may take an exception; None is any."""
    if isinstance(node, ir.TryStar) and _may_be_group(raised):
        return True
    return any(meets(raised, _kind(machine, kind, env)) is not False for kind, _, _ in node.handlers)


def handle(machine: Machine, raised: Any, node: ir.Try, env: Environment) -> Flow:
    """Run the handler that takes an exception."""
    one_of = _group_of if isinstance(node, ir.TryStar) else _handler_of
    return one_of(machine, raised, node.handlers, env)


def _may_be_group(raised: Any) -> bool:
    return raised is None or meets(raised, GROUP) is not False


def _kind(machine: Machine, kind: ir.Expr | None, env: Environment) -> Any:
    found = External("builtins.BaseException") if kind is None else evaluate(machine, kind, env)
    if any(map(_is_no_class, found if isinstance(found, tuple) else (found,))):
        machine.doubt("`except` of what may be no class of exceptions")
    return found


def _is_no_class(kind: Any) -> bool:
    if isinstance(kind, External):
        return kind.name.startswith("builtins.") and builtin_exception(kind) is None
    if isinstance(kind, ClassValue):
        return not any(each.bases for each in kind.mro())
    return not isinstance(kind, Unknown)


def _handler_of(machine: Machine, raised: Any, handlers: Sequence[Any], env: Environment) -> Flow:
    """Run the handler of an exception, or each under a condition of its own where it is not known which it is."""
    if not handlers:
        return raises(machine, raised)
    (kind, name, body), *others = handlers
    met = meets(raised, _kind(machine, kind, env))
    if met is False:
        return _handler_of(machine, raised, others, env)

    def first() -> Flow:
        given = None if name is None else as_object(machine, raised)
        return _run(machine, raised, name, given, body, env)

    if met:
        return first()
    at = body[0].at if kind is None else kind.at
    which = machine.undecided(f"line {at.row}: {WHICH}")
    return branch(machine, which, first, lambda: _handler_of(machine, raised, others, env))


def _group_of(machine: Machine, raised: Any, handlers: Sequence[Any], env: Environment) -> Flow:
    """Run the `except*` that takes an exception which is no group: it is given a group of this one."""
    if _may_be_group(raised):
        raise IsUnknown("`except*` of an exception that may be a group")
    for kind, name, body in handlers:
        met = meets(raised, _kind(machine, kind, env))
        if met is None:
            raise IsUnknown("which `except*` takes an exception")
        if met:
            return _run(machine, GROUP, name, Unknown("a group of exceptions"), body, env)
    return raises(machine, raised)


def _run(
    machine: Machine, caught: Any, name: str | None, given: Any, body: Sequence[ir.Stmt], env: Environment
) -> Flow:
    """The block of a handler, with a name for what it is given, if it has one, as long as it runs."""
    if name is not None:
        machine.assign(env, name, given)
    machine.caught.append(caught)
    flow = run_block(machine, body, env)
    machine.caught.pop()
    if name is not None and flow is Flow.NEXT:
        machine.delete(env.vars, name)
    return flow


def as_object(machine: Machine, raised: Any) -> Any:
    if isinstance(raised, External):
        return protocols.call(machine, raised, [], {})
    return Unknown("an exception") if raised is None or isinstance(raised, str) else raised
