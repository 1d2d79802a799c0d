"""`while` loops that count: `while i < n: ...; i += step` is `for i in range(i, n, step)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nkilint.base import ir
from nkilint.base.names import own_names
from nkilint.base.walk import statements, walk
from nkilint.symbolic.atoms import bounds
from nkilint_rules.words.conditions import maximum, minimum
from nkilint_rules.words.records import dataclass

from ..device.inputs import is_traced, settled_number
from ..state.havoc import declared
from ..state.joining import same
from ..state.machine import Machine
from ..values.containers import RangeValue
from ..values.objects import Environment, Instance, Native
from .interpreter import evaluate


@dataclass(frozen=True, slots=True)
class Counted:
    """The same loop written with `for`; `name` counts, and is `after` behind it. The expressions in `kept` are to keep
    these values."""

    name: str
    loop: ir.For
    values: RangeValue
    after: Any
    kept: tuple[tuple[ir.Expr, Any], ...]


@dataclass(frozen=True, slots=True)
class _Form:
    """A loop that counts by `increment` as long as `name` is below `limit`, or above it where it counts down; one that
    is `ahead` does so before all else. With `clipped` the last step goes no further than to that, which has to be the
    limit. One that is `unequal` ends only where it is the limit, which it may not jump over."""

    loop: ir.For
    name: str
    limit: ir.Expr
    inclusive: bool
    unequal: bool
    increment: ir.Expr
    down: bool
    ahead: bool
    clipped: ir.Expr | None
    names: frozenset[str]


def counted(machine: Machine, node: ir.While, env: Environment) -> Counted | None:
    """The `for` loop that does the same, if the loop counts up to a limit that it leaves alone."""
    form = machine.memo.get(("counting", id(node)), False)
    if form is False:
        form = machine.memo["counting", id(node)] = _form(node)
    if form is None or form.names & declared(machine, env.module, "global", "nonlocal"):
        return None  # what the loop calls may bind them
    owners = [part.value for e in (form.limit, form.increment) for part in walk(e) if isinstance(part, ir.Attr)]
    if any(isinstance(evaluate(machine, owner, env), Instance) for owner in owners):
        return None  # what the loop calls may change it
    counter = ir.Name(node.at, form.name)
    start, limit, step = (
        settled_number(machine, evaluate(machine, part, env)) for part in (counter, form.limit, form.increment)
    )
    if not is_traced(start) or not is_traced(limit) or not is_traced(step) or bounds(step)[0] < 1:
        return None
    if form.clipped is not None and not _is_clipped(machine, form.clipped, limit, env):
        return None
    if form.unequal:
        towards = start >= limit if form.down else start <= limit
        if machine.truth(towards) is not True or (form.clipped is None and not same(step, 1)):
            return None
    sign = -1 if form.down else 1
    past = limit + sign if form.inclusive else limit
    values = RangeValue(start, past, sign * step, "static_range")
    after = values.start + values.trips * values.step
    if form.ahead:
        values = RangeValue(start + values.step, past + values.step, values.step, "static_range")
    if form.clipped is not None:
        after = minimum(start, limit) if form.down else maximum(start, limit)
    return Counted(form.name, form.loop, values, after, ((form.limit, limit), (form.increment, step)))


def _is_clipped(machine: Machine, clipped: ir.Expr, limit: Any, env: Environment) -> bool:
    """Whether steps end at the limit, and `min` is what Python means by it."""
    smallest = evaluate(machine, ir.Name(clipped.at, "min"), env)
    plain = isinstance(smallest, Native) and smallest.name == "min"
    return plain and same(settled_number(machine, evaluate(machine, clipped, env)), limit)


def _form(node: ir.While) -> _Form | None:
    """The parts of a loop that counts: what it says, whatever the values are."""
    counts = [(at, part) for at, part in enumerate(node.body) if _bound(node.test, part) is not None]
    bound = _bound(node.test, counts[0][1]) if len(counts) == 1 and not node.otherwise else None
    if bound is None:
        return None
    (at, last), (limit, operator, name) = counts[0], bound
    assert isinstance(last, ir.AugAssign)
    body = node.body[:at] + node.body[at + 1 :]
    inner = list(walk(list(body)))
    if any(isinstance(part, ir.Scope) or (isinstance(part, ir.Jump) and part.kind != "pass") for part in inner):
        return None
    behind = node.body[at + 1 :]
    ahead = not all(_only_computes(part, name) for part in behind)
    if any(name in own_names(part) for part in inner) or (ahead and at > 0):
        return None
    down, by = last.op == "-", last.value
    names = frozenset({name, by.id} if isinstance(by, ir.Name) else {name})
    if isinstance(by, ir.Name) and by.id in node.assigned:
        by = _bound_once(by.id, node.body[:at]) or by
    inclusive = operator.endswith("=") and operator != "!="
    by, clipped = _largest_of_steps(by, name, down) if not inclusive else (by, None)
    if ahead and (clipped is not None or any(_is_name(part, name) for part in walk(by))):
        return None
    for part in (*walk(limit), *walk(by), *(walk(clipped) if clipped is not None else ())):
        if not isinstance(part, (ir.Name, ir.Const, ir.Binary, ir.Attr, ir.Index)):
            return None
        if isinstance(part, ir.Name) and part.id in node.assigned:
            return None
    loop = ir.For(node.at, ir.Name(node.at, name), node.test, body or (ir.Jump(node.at, "pass"),), (), node.assigned)
    return _Form(loop, name, limit, inclusive, operator == "!=", by, down, ahead, clipped, names)


def _only_computes(part: ir.Stmt, name: str) -> bool:
    """Whether a statement behind the counting one does not see that it comes later."""
    if not isinstance(part, (ir.Assign, ir.AugAssign)):
        return isinstance(part, ir.Jump)
    return all(isinstance(e, (ir.Name, ir.Const, ir.Binary, ir.Stmt)) and not _is_name(e, name) for e in walk([part]))


def _is_name(part: Any, name: str) -> bool:
    return isinstance(part, ir.Name) and part.id == name


def _bound_once(name: str, body: Sequence[ir.Stmt]) -> ir.Expr | None:
    """What a name is bound to, if a single statement of these does so, for each iteration."""
    binding = [part for part in statements(body) if name in own_names(part)]
    found = binding[0] if len(binding) == 1 and any(binding[0] is each for each in body) else None
    plain = isinstance(found, ir.Assign) and len(found.targets) == 1 and isinstance(found.targets[0], ir.Name)
    return found.value if isinstance(found, ir.Assign) and plain else None


def _largest_of_steps(by: ir.Expr, name: str, down: bool) -> tuple[ir.Expr, ir.Expr | None]:
    """`size` and `end` of a step `min(size, end - name)`, or `min(size, name - end)` where the loop counts down; of
    others the step alone."""
    if not isinstance(by, ir.Call) or not _is_name(by.func, "min") or [marker for marker, _ in by.args] != [None, None]:
        return by, None
    (_, first), (_, second) = by.args
    for size, rest in ((first, second), (second, first)):
        if down and _is_name(rest, name):
            return size, ir.Const(rest.at, 0)
        if isinstance(rest, ir.Binary) and rest.op == "-":
            lower, end = (rest.left, rest.right) if down else (rest.right, rest.left)
            if _is_name(lower, name):
                return size, end
    return by, None


def _bound(test: ir.Expr, count: ir.Stmt) -> tuple[ir.Expr, str, str] | None:
    """What the name that a statement counts is compared with, how, and the name."""
    if not isinstance(count, ir.AugAssign) or not isinstance(count.target, ir.Name) or count.op not in ("+", "-"):
        return None
    name = count.target.id
    if _is_name(test, name):
        return ir.Const(test.at, 0), "!=", name
    if not isinstance(test, ir.Compare) or len(test.rest) != 1:
        return None
    ((operator, right),) = test.rest
    below = "<" if count.op == "+" else ">"
    for side, other, turned in ((test.left, right, operator), (right, test.left, _TURNED.get(operator, ""))):
        if found := _alone(name, side, other, turned):
            limit, compared = found
            return (limit, compared, name) if compared in (below, f"{below}=", "!=") else None
    return None


_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}


def _alone(name: str, side: ir.Expr, other: ir.Expr, operator: str) -> tuple[ir.Expr, str] | None:
    """What a name is compared with, and how, where `side` is a sum or a difference that has it in one place."""
    if _is_name(side, name):
        return other, operator
    if not isinstance(side, ir.Binary) or side.op not in ("+", "-"):
        return None
    held = [any(_is_name(part, name) for part in walk(part)) for part in (side.left, side.right)]
    if held == [True, False]:
        return _alone(name, side.left, ir.Binary(other.at, "-" if side.op == "+" else "+", other, side.right), operator)
    if held != [False, True]:
        return None
    if side.op == "+":
        return _alone(name, side.right, ir.Binary(other.at, "-", other, side.left), operator)
    return _alone(name, side.right, ir.Binary(other.at, "-", side.left, other), _TURNED.get(operator, ""))
