"""Statements by row, and what is added to a kernel's source so that a run can be followed: marks, steps, blocks."""

from __future__ import annotations

import ast
from collections.abc import Iterable

REACHED = "__reached__"
STEP = "__step__"
BLOCK = "__block__"
ROUNDS = "__rounds__"
_SEEING = frozenset({"locals", "vars", "dir", "eval", "exec"})  # what sees names that are added to a function


def followed(tree: ast.Module, rows: Iterable[tuple[int, int]]) -> None:
    """Have each iteration of a loop take a step, and each statement around one of `rows` report its number when it is
    come to. What `for` takes from `range` is a block of the kernel, where its dialect has such; other loops of a
    function tell of their iterations."""
    for number, row in rows:
        _mark(tree, number, row)
    for node in list(ast.walk(tree)):
        if isinstance(node, (ast.For, ast.While)):
            node.body.insert(0, _call(STEP, [], node.body[0]))
        if isinstance(node, ast.For) and _is_range(node.iter):
            wrapped = ast.Call(ast.Name(BLOCK, ast.Load()), [node.iter], [])
            node.iter = ast.fix_missing_locations(ast.copy_location(wrapped, node.iter))
    _Telling().visit(tree)


class _Telling(ast.NodeTransformer):
    """Puts loops of functions into blocks that tell of their iterations."""

    def __init__(self) -> None:
        self.in_function, self.count = False, 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        seen = any(isinstance(part, ast.Name) and part.id in _SEEING for part in ast.walk(node))
        return self._within(node, not seen)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._within(node, False)

    def _within(self, node: ast.AST, in_function: bool) -> ast.AST:
        outer, self.in_function = self.in_function, in_function
        self.generic_visit(node)
        self.in_function = outer
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        is_block = isinstance(node.iter, ast.Call) and getattr(node.iter.func, "id", "") == BLOCK
        return node if is_block else self._telling(node, node.target)

    def visit_While(self, node: ast.While) -> ast.AST:
        self.generic_visit(node)
        return self._telling(node, node.test)

    def _telling(self, loop: ast.For | ast.While, over: ast.expr) -> ast.stmt:
        if not self.in_function:
            return loop
        self.count += 1
        name = f"__rounds{self.count}__"
        bound = {part.id for part in _names(loop) if isinstance(part.ctx, ast.Store)}
        told = ", ".join(dict.fromkeys(part.id for part in _names(over) if part.id in bound))
        rounds = ast.Call(ast.Name(ROUNDS, ast.Load()), [ast.Constant(told or f"line {loop.lineno}")], [])
        for body, more in ((loop.body, True), (loop.orelse, False)):
            body[:0] = [_call(name, [ast.Constant(more)], first) for first in body[:1]]
        block = ast.With([ast.withitem(rounds, ast.Name(name, ast.Store()))], [loop])
        return ast.fix_missing_locations(ast.copy_location(block, loop))


def _names(node: ast.AST) -> list[ast.Name]:
    """The names in a piece of source, in their order."""
    found = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return sorted(found, key=lambda part: (part.lineno, part.col_offset))


def _is_range(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "range"


def _mark(tree: ast.Module, number: int, row: int) -> None:
    found = _innermost(tree, row)
    if found is not None and found[0] is not tree.body:
        body, place = found
        body.insert(place, _call(REACHED, [ast.Constant(number)], body[place]))


def _call(name: str, arguments: list[ast.expr], at: ast.stmt) -> ast.stmt:
    call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), arguments, []))
    return ast.fix_missing_locations(ast.copy_location(call, at))


def rows_of(tree: ast.Module, row: int) -> range:
    """The rows of the innermost statement around `row`; of a compound one those of its head."""
    found = _innermost(tree, row)
    return range(row, row + 1) if found is None else _rows(found[0][found[1]])


def _rows(statement: ast.stmt) -> range:
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body:
        return range(first, max(body[0].lineno, statement.lineno + 1))
    return range(first, (statement.end_lineno or statement.lineno) + 1)


def _innermost(tree: ast.Module, row: int) -> tuple[list[ast.stmt], int] | None:
    """The list of statements that the innermost one around `row` stands in, and its place there."""
    found = None
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        for body in _bodies(node):
            for number, statement in enumerate(body):
                first = _rows(statement).start
                if first <= row <= (statement.end_lineno or first):
                    found = (body, number)
                    pending = [statement]
    return found


def _bodies(node: ast.AST) -> Iterable[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        body = getattr(node, field, None)
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
            yield body
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body
