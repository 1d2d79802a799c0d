"""Indices that stand for grids of one element.

A helper may give 0 where `nl.arange` would give a grid of one element: `nl.arange(n) if n > 1 else 0`. The two select
the same element, and a slice of that length does for both, so the grid is what is looked at for every size. Where the
last size is 1, such a helper may leave out its axis as well; then a tile has a dimension of size 1 less.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from nkilint.base import ir
from nkilint.base.walk import walk


def as_grids(function: ir.FunctionDef) -> ir.FunctionDef:
    """A function that gives an index instead of a grid of one element, as if it gave the grid."""
    changed = _Grids()
    body = tuple(s for statement in function.body for s in changed.statement(statement))
    if not changed.count:
        return function
    return replace(function, body=tuple(s for statement in body for s in _without_ranks(statement)))


def leaves_out_axis(function: ir.FunctionDef) -> bool:
    """Whether a function that gives an index instead of a grid of one element leaves out an axis for it as well."""
    changed = _Grids()
    body = [s for statement in function.body for s in changed.statement(statement)]
    return bool(changed.count) and not all(_without_ranks(statement) for statement in body)


class _Grids:
    """Takes the side of a choice that makes a grid, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def statement(self, node: Any) -> tuple[Any, ...]:
        if isinstance(node, ir.If) and (sides := _sides(node.test, node.then, node.otherwise)) is not None:
            name, many, single = sides
            if name and _makes_grid(many, name) and _gives_zero(many, single):
                self.count += 1
                return tuple(many)
        return (self.inside(node),)

    def inside(self, node: Any) -> Any:
        """A node with the choices in it made."""
        if isinstance(node, ir.Conditional):
            sides = _sides(node.test, node.then, node.otherwise)
            if sides is not None and sides[0] and _makes_grid(sides[1], sides[0]) and _is_zero(sides[2]):
                self.count += 1
                return sides[1]
        if not is_dataclass(node) or isinstance(node, ir.Span):
            return node
        new: dict[str, Any] = {}
        for f in fields(node):
            value = getattr(node, f.name)
            if isinstance(value, tuple):
                new[f.name] = tuple(s for item in value for s in self._item(item))
            elif isinstance(value, ir.Node):
                new[f.name] = self.inside(value)
        changed = any(value is not getattr(node, name) for name, value in new.items())
        return replace(node, **new) if changed else node  # type: ignore[type-var]

    def _item(self, item: Any) -> tuple[Any, ...]:
        if isinstance(item, ir.Stmt):
            return self.statement(item)
        if isinstance(item, tuple):
            return (tuple(self.inside(part) for part in item),)
        return (self.inside(item),)


def _without_ranks(node: Any) -> tuple[Any, ...]:
    """A statement, unless it makes a number of axes smaller where a size is 1."""
    if not isinstance(node, ir.If):
        return (node,)
    sides = _sides(node.test, node.then, node.otherwise)
    if sides is None or sides[1] or not all(_lowers(s) for s in sides[2]):
        return (node,)
    return ()


def _lowers(node: ir.Stmt) -> bool:
    """Whether a statement only checks something, or takes 1 from a name."""
    if isinstance(node, ir.Assert):
        return True
    lowered = isinstance(node, ir.AugAssign) and isinstance(node.target, ir.Name) and node.op.rstrip("=") == "-"
    return lowered and isinstance(node.value, ir.Const) and node.value.value == 1  # type: ignore[attr-defined]


def _sides(test: ir.Expr, then: Any, otherwise: Any) -> tuple[str, Any, Any] | None:
    """Of a choice by whether something is 1: its name, if it has one, the side for more, and the side for 1."""
    if not isinstance(test, ir.Compare) or len(test.rest) != 1:
        return None
    ((operator, bound),) = test.rest
    number = bound.value if isinstance(bound, ir.Const) and type(bound.value) is int else None
    name = test.left.id if isinstance(test.left, ir.Name) else ""
    if (operator, number) in ((">", 1), ("!=", 1), (">=", 2)):
        return name, then, otherwise
    if (operator, number) in (("==", 1), ("<=", 1), ("<", 2)):
        return name, otherwise, then
    return None


def _makes_grid(side: Any, name: str) -> bool:
    """Whether an index grid of as many elements as a name says is made."""
    for node in walk(side):
        called = node.func if isinstance(node, ir.Call) else None
        leaf = called.name if isinstance(called, ir.Attr) else called.id if isinstance(called, ir.Name) else ""
        if isinstance(node, ir.Call) and leaf == "arange" and len(node.args) == 1:
            value = node.args[0][1]
            if isinstance(value, ir.Name) and value.id == name:
                return True
    return False


def _gives_zero(many: tuple[ir.Stmt, ...], single: tuple[ir.Stmt, ...]) -> bool:
    """Whether one side does nothing but put 0 where the other one puts a grid at its end."""
    if len(single) != 1 or not many:
        return False
    one, last = single[0], many[-1]
    if isinstance(one, ir.ExprStmt) and isinstance(last, ir.ExprStmt):
        calls = one.value, last.value
        if not all(isinstance(c, ir.Call) and isinstance(c.func, ir.Attr) and len(c.args) == 1 for c in calls):
            return False
        names = [_path(c.func) for c in calls]  # type: ignore[attr-defined]
        return names[0] == names[1] != "" and names[0].endswith(".append") and _is_zero(one.value.args[0][1])  # type: ignore[attr-defined]
    if isinstance(one, ir.Assign) and isinstance(last, ir.Assign):
        targets = [[t.id if isinstance(t, ir.Name) else "" for t in s.targets] for s in (one, last)]
        return targets[0] == targets[1] and all(targets[0]) and _is_zero(one.value)
    return False


def _path(node: ir.Expr) -> str:
    """Names with dots between them; empty for anything else."""
    if isinstance(node, ir.Name):
        return node.id
    inner = _path(node.value) if isinstance(node, ir.Attr) else ""
    return f"{inner}.{node.name}" if isinstance(node, ir.Attr) and inner else ""


def _is_zero(node: Any) -> bool:
    return isinstance(node, ir.Const) and type(node.value) is int and node.value == 0
