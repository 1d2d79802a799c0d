"""`while` loops that count: `while i < n: ...; i += step` is `for i in range(i, n, step)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nkilint.base import ir
from nkilint.base.names import own_names
from nkilint.base.walk import walk
from nkilint.symbolic.atoms import bounds
from nkilint.symbolic.evaluation import variables
from nkilint.symbolic.integers import Sym

from ..state.machine import Machine
from ..values.containers import RangeValue
from ..values.objects import Environment, Instance
from .interpreter import evaluate


@dataclass(frozen=True, slots=True)
class Counted:
    """The same loop written with `for`; `name` counts, and is one step past the range after it. The expressions in
    `kept` are to keep these values."""

    name: str
    loop: ir.For
    values: RangeValue
    kept: tuple[tuple[ir.Expr, Any], ...]

    @property
    def after(self) -> Any:
        return self.values.start + self.values.trips * self.values.step


def counted(machine: Machine, node: ir.While, env: Environment) -> Counted | None:
    """The `for` loop that does the same, if the loop counts up to a limit that it leaves alone."""
    form = machine.memo.get(("counting", id(node)), False)
    if form is False:
        form = machine.memo["counting", id(node)] = _form(node)
    if form is None:
        return None
    loop, name, bound, inclusive, increment = form
    owners = [part.value for e in (bound, increment) for part in walk(e) if isinstance(part, ir.Attr)]
    if any(isinstance(evaluate(machine, owner, env), Instance) for owner in owners):
        return None  # what the loop calls may change it
    start, limit = evaluate(machine, ir.Name(node.at, name), env), evaluate(machine, bound, env)
    step = evaluate(machine, increment, env)
    if not _is_integer(start) or not _is_integer(limit) or not _is_integer(step) or bounds(step)[0] < 1:
        return None
    values = RangeValue(start, limit + 1 if inclusive else limit, step, "static_range")
    return Counted(name, loop, values, ((bound, limit), (increment, step)))


def _is_integer(value: Any) -> bool:
    """Whether it is a number that is known when the kernel is traced."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, Sym) and all(a.kind != "runtime" for a in _variables(value)))


def _variables(value: Sym) -> Any:
    return variables(value)


def _form(node: ir.While) -> tuple[ir.For, str, ir.Expr, bool, ir.Expr] | None:
    """The parts of a loop that counts: what it says, whatever the values are."""
    last = node.body[-1] if node.body else None
    if not isinstance(last, ir.AugAssign) or last.op != "+" or not isinstance(last.target, ir.Name) or node.otherwise:
        return None
    bound = _bound(node.test, last.target.id)
    if bound is None:
        return None
    limit, inclusive = bound
    body = node.body[:-1]
    inner = list(walk(list(body)))
    if any(isinstance(part, ir.Scope) or (isinstance(part, ir.Jump) and part.kind != "pass") for part in inner):
        return None
    name = last.target
    if any(name.id in own_names(part) for part in inner):
        return None
    for part in (*walk(limit), *walk(last.value)):
        if not isinstance(part, (ir.Name, ir.Const, ir.Binary, ir.Attr, ir.Index)):
            return None
        if isinstance(part, ir.Name) and part.id in node.assigned:
            return None
    loop = ir.For(node.at, name, node.test, body or (ir.Jump(node.at, "pass"),), (), node.assigned)
    return loop, name.id, limit, inclusive, last.value


def _bound(test: ir.Expr, name: str) -> tuple[ir.Expr, bool] | None:
    """What `name` is compared with, and whether it may be as large as that."""
    if not isinstance(test, ir.Compare) or len(test.rest) != 1:
        return None
    ((operator, right),) = test.rest
    left = test.left
    if isinstance(left, ir.Name) and left.id == name and operator in ("<", "<="):
        return right, operator == "<="
    if isinstance(right, ir.Name) and right.id == name and operator in (">", ">="):
        return left, operator == ">="
    return None
