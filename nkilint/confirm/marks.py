"""Statements by row, and what is added to a kernel's source so that a run can be followed: marks, steps, blocks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

REACHED = "__reached__"
STEP = "__step__"
BLOCK = "__block__"
ROUNDS = "__rounds__"
_SEEING = frozenset({"locals", "vars", "dir", "eval", "exec"})  # what sees names that are added to a function
_SEES = re.compile(rf"\b({'|'.join(sorted(_SEEING))})\b")


def followed(tree: ast.Module, text: str | bytes, rows: Iterable[tuple[int, int]]) -> None:
    """Have each iteration of a loop take a step, and each statement around one of `rows` report its number when it is
    come to. What `for` takes from `range` is a block of the kernel, where its dialect has such; other loops of a
    function tell of their iterations."""
    for number, row in rows:
        _mark(tree, number, row)
    for node in list(statements(tree)):
        if isinstance(node, (ast.For, ast.While)):
            node.body.insert(0, _call(STEP, [], node.body[0]))
        if isinstance(node, ast.For) and _is_range(node.iter):
            wrapped = ast.Call(ast.Name(BLOCK, ast.Load()), [node.iter], [])
            node.iter = ast.fix_missing_locations(ast.copy_location(wrapped, node.iter))
    _Telling(_may_see(text)).within(tree, None)


def _may_see(text: str | bytes) -> bool:
    """Whether some function of a text may see names that are added to it; most texts say no at once."""
    shown = text if isinstance(text, str) else text.decode("latin-1")
    return not shown.isascii() or _SEES.search(shown) is not None


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements in a node."""
    pending = [*_bodies(node)]
    while pending:
        for statement in pending.pop():
            yield statement
            pending += _bodies(statement)


class _Telling:
    """Puts loops of functions into blocks that tell of their iterations."""

    def __init__(self, may_see: bool) -> None:
        self.may_see, self.count = may_see, 0
        self._seeing: dict[ast.FunctionDef, bool] = {}

    def within(self, node: ast.AST, function: ast.FunctionDef | None) -> None:
        """The statements in a node, which belong to a function or to none."""
        for body in _bodies(node):
            body[:] = [self._told(statement, function) for statement in body]

    def _told(self, statement: ast.stmt, function: ast.FunctionDef | None) -> ast.stmt:
        if isinstance(statement, ast.FunctionDef):
            self.within(statement, statement)
            return statement
        self.within(statement, None if isinstance(statement, ast.ClassDef) else function)
        if function is None or not isinstance(statement, (ast.For, ast.While)) or self._sees(function):
            return statement
        if isinstance(statement, ast.While):
            return self._telling(statement, statement.test)
        is_block = isinstance(statement.iter, ast.Call) and getattr(statement.iter.func, "id", "") == BLOCK
        return statement if is_block else self._telling(statement, statement.target)

    def _sees(self, function: ast.FunctionDef) -> bool:
        """Whether a function sees names that are added to it."""
        if not self.may_see:
            return False
        if function not in self._seeing:
            names = (part.id for part in ast.walk(function) if isinstance(part, ast.Name))
            self._seeing[function] = not _SEEING.isdisjoint(names)
        return self._seeing[function]

    def _telling(self, loop: ast.For | ast.While, over: ast.expr) -> ast.stmt:
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
