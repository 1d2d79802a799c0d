"""The form of all operators: functions that go over a kernel and yield changes of one place each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A replacement of the text between two places (rows from 1, columns in bytes from 0)."""

    row: int
    column: int
    end_row: int
    end_column: int
    text: str

    def applied(self, source: str) -> str:
        lines = source.encode().splitlines(keepends=True)
        before = lines[self.row - 1][: self.column]
        after = lines[self.end_row - 1][self.end_column :]
        removed = b"\n" * (self.end_row - self.row - self.text.count("\n"))  # rows below stay where they are
        new = [before + self.text.encode() + after.rstrip(b"\n") + removed + b"\n"]
        return b"".join([*lines[: self.row - 1], *new, *lines[self.end_row :]]).decode()


Operator = Callable[[ast.FunctionDef], Iterator[Change]]
OPERATORS: dict[str, Operator] = {}
LOOPS = frozenset({"affine_range", "sequential_range", "static_range", "range"})


def operator(name: str) -> Callable[[Operator], Operator]:
    def register(function: Operator) -> Operator:
        OPERATORS[name] = function
        return function

    return register


def at(node: ast.AST, text: str) -> Change:
    return Change(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset, text)  # type: ignore[attr-defined]


def body(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Everything in the function but what it asserts."""
    pending: list[ast.AST] = list(function.body)[::-1]
    while pending:
        node = pending.pop()
        if not isinstance(node, ast.Assert):
            yield node
            pending += list(ast.iter_child_nodes(node))[::-1]


def calls(function: ast.FunctionDef, *names: str) -> Iterator[ast.Call]:
    for node in body(function):
        if isinstance(node, ast.Call) and (not names or name_of(node) in names):
            yield node


def name_of(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((k for k in call.keywords if k.arg == name), None)


def before(statement: ast.stmt, text: str) -> Change:
    """Another statement on the same line, in front of one that is not compound."""
    return Change(statement.lineno, statement.col_offset, statement.lineno, statement.col_offset, f"{text}; ")


def is_simple(node: ast.AST) -> bool:
    """Whether it is a statement that may stand behind another one on its line."""
    return isinstance(node, (ast.Expr, ast.Assign, ast.AugAssign)) and not is_docstring(node)


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def names_in(node: ast.AST) -> list[ast.Name]:
    return [n for n in ast.walk(node) if isinstance(n, ast.Name)]


def shaped(function: ast.FunctionDef) -> Iterator[str]:
    """The parameters whose shape the kernel asks for."""
    asked = {ast.unparse(n.value) for n in ast.walk(function) if isinstance(n, ast.Attribute) and n.attr == "shape"}
    yield from (a.arg for a in function.args.args if a.arg in asked)


def without(call: ast.Call, keyword: ast.keyword) -> Change:
    """The call without one of its keyword arguments."""
    kept = [ast.unparse(a) for a in call.args]
    kept += [f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords if k is not keyword]
    return at(call, f"{ast.unparse(call.func)}({', '.join(kept)})")
