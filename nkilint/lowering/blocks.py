"""Compound statements and the blocks they hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import libcst as cst

from nkilint.base import ir

from .cursor import Cursor
from .expressions import arguments, expression, names_in
from .functions import function, parameters
from .patterns import pattern
from .statements import HANDLERS, bind, lowers


def statements(c: Cursor, nodes: Sequence[Any]) -> tuple[ir.Stmt, ...]:
    """Lines and compound statements one after the other; `c.stop` is then the end of the last."""
    result: list[ir.Stmt] = []
    for node in nodes:
        if isinstance(node, cst.SimpleStatementLine):
            for line in _meant(c, node):
                _line(c, line.body, result)
        else:
            c.skip()
            handler = HANDLERS.get(type(node))
            result.append(_unknown(c, node) if handler is None else handler(c, node))
    return tuple(result)


def _meant(c: Cursor, line: cst.SimpleStatementLine) -> Iterable[Any]:
    """The line, or those that its name stands for."""
    first = line.body[0] if c.known else None
    if isinstance(first, cst.Expr) and isinstance(first.value, cst.Name):
        return c.known.get(first.value.value, (line,))
    return (line,)


def _line(c: Cursor, nodes: Sequence[cst.BaseSmallStatement], result: list[ir.Stmt]) -> None:
    for node in nodes:
        c.skip()
        handler = HANDLERS.get(type(node))
        result.append(_unknown(c, node) if handler is None else handler(c, node))
        c.stop = c.pos
        if node.semicolon is not cst.MaybeSentinel.DEFAULT:
            c.take(";")


def _unknown(c: Cursor, node: Any) -> ir.Stmt:
    """A statement of a Python newer than this lowering: it may bind any name in it to what all of them give."""
    start, what = c.pos, type(node).__name__
    c.pass_over(node)
    c.stop = c.pos
    at = c.span(start)
    names = names_in(node, at)
    c.bound.update(name.id for name in names)
    return ir.UnsupportedStmt(at, what, (ir.Assign(at, names, ir.UnsupportedExpr(at, what, names)),))


def block(c: Cursor, node: cst.BaseSuite) -> tuple[ir.Stmt, ...]:
    """The colon and what stands under it."""
    c.take(":")
    if not isinstance(node, cst.IndentedBlock):
        result: list[ir.Stmt] = []
        _line(c, node.body, result)  # type: ignore[arg-type]
        return tuple(result)
    c.indents.append(c.default_indent if node.indent is None else node.indent)
    body = statements(c, node.body)
    c.indents.pop()
    return body


def _else(c: Cursor, node: cst.Else | None) -> tuple[ir.Stmt, ...]:
    if node is None:
        return ()
    c.take("else")
    return block(c, node.body)


def _async(c: Cursor, node: Any) -> bool:
    if node.asynchronous is None:
        return False
    c.take("async")
    return True


@lowers(cst.If)
def _if(c: Cursor, node: cst.If) -> ir.Stmt:
    start = c.pos
    c.pos += 4 if c.text.startswith("elif", start) else 2
    test = expression(c, node.test)
    then = block(c, node.body)
    otherwise: tuple[ir.Stmt, ...]
    if isinstance(node.orelse, cst.If):
        c.skip()
        otherwise = (_if(c, node.orelse),)
    else:
        otherwise = _else(c, node.orelse)
    return ir.If(c.between(start, c.stop), test, then, otherwise)


@contextmanager
def _assigning(c: Cursor) -> Iterator[set[str]]:
    """The names that a loop binds besides those around it."""
    outside, c.bound = c.bound, set()
    assigned = c.bound
    yield assigned
    outside |= assigned
    c.bound = outside


@lowers(cst.For)
def _for(c: Cursor, node: cst.For) -> ir.Stmt:
    start = c.pos
    asynchronous = _async(c, node)
    c.take("for")
    with _assigning(c) as assigned:
        target = expression(c, node.target)
        bind(c, target)
        c.take("in")
        iterable = expression(c, node.iter)
        body = block(c, node.body)
    otherwise = _else(c, node.orelse)
    at = c.between(start, c.stop)
    loop = ir.For(at, target, iterable, body, otherwise, frozenset(assigned))
    return ir.UnsupportedStmt(at, "async for", (loop,)) if asynchronous else loop


@lowers(cst.While)
def _while(c: Cursor, node: cst.While) -> ir.Stmt:
    start = c.pos
    c.take("while")
    with _assigning(c) as assigned:
        test = expression(c, node.test)
        body = block(c, node.body)
    otherwise = _else(c, node.orelse)
    return ir.While(c.between(start, c.stop), test, body, otherwise, frozenset(assigned))


@lowers(cst.With)
def _with(c: Cursor, node: cst.With) -> ir.Stmt:
    start = c.pos
    asynchronous = _async(c, node)
    c.take("with")
    parenthesised = isinstance(node.lpar, cst.LeftParen)
    if parenthesised:
        c.take("(")
    items: list[tuple[ir.Expr, ir.Expr | None]] = []
    for item in node.items:
        value, target = expression(c, item.item), None
        if item.asname is not None:
            c.take("as")
            target = expression(c, item.asname.name)
            bind(c, target)
        items.append((value, target))
        c.take_if(",")
    if parenthesised:
        c.take(")")
    body = block(c, node.body)
    at = c.between(start, c.stop)
    block_ = ir.With(at, tuple(items), body)
    return ir.UnsupportedStmt(at, "async with", (block_,)) if asynchronous else block_


@lowers(cst.Try, cst.TryStar)
def _try(c: Cursor, node: cst.Try | cst.TryStar) -> ir.Stmt:
    start = c.pos
    c.take("try")
    body = block(c, node.body)
    handlers = tuple(_handler(c, handler) for handler in node.handlers)
    otherwise = _else(c, node.orelse)
    final: tuple[ir.Stmt, ...] = ()
    if node.finalbody is not None:
        c.take("finally")
        final = block(c, node.finalbody.body)
    at = c.between(start, c.stop)
    kind = ir.TryStar if isinstance(node, cst.TryStar) else ir.Try
    return kind(at, body, handlers, otherwise, final)


def _handler(
    c: Cursor, node: cst.ExceptHandler | cst.ExceptStarHandler
) -> tuple[ir.Expr | None, str | None, tuple[ir.Stmt, ...]]:
    c.take("except")
    if isinstance(node, cst.ExceptStarHandler):
        c.take("*")
    kind = None if node.type is None else expression(c, node.type)
    name = None
    if node.name is not None:
        c.take("as")
        name = node.name.name.value  # type: ignore[union-attr]
        c.take(name)
        name = c.private(name)
        c.bound.add(name)
    return kind, name, block(c, node.body)


def _decorators(c: Cursor, nodes: Sequence[cst.Decorator]) -> tuple[ir.Expr, ...]:
    result: list[ir.Expr] = []
    for node in nodes:
        c.take("@")
        result.append(expression(c, node.decorator))
    return tuple(result)


def _declared(c: Cursor, node: cst.FunctionDef | cst.ClassDef) -> ir.Span:
    """The span of the name, which is bound; type parameters behind it are passed."""
    start, name = c.skip(), node.name.value
    c.take(name)
    c.bound.add(c.private(name))
    at = c.span(start)
    if node.type_parameters is not None:
        c.pass_over(node.type_parameters)
    return at


@lowers(cst.FunctionDef)
def _function(c: Cursor, node: cst.FunctionDef) -> ir.Stmt:
    start = c.pos
    decorators = _decorators(c, node.decorators)
    asynchronous = _async(c, node)
    c.take("def")
    at = _declared(c, node)
    c.take("(")
    params = parameters(c, node.params)
    c.take(")")
    returns = None
    if node.returns is not None:
        c.take("->")
        returns = expression(c, node.returns.annotation)
    scope = function(c, params, lambda: block(c, node.body))
    whole = c.between(start, c.stop)
    body = scope.body
    defined = ir.FunctionDef(
        at,
        c.private(node.name.value),
        params,
        body,
        decorators,
        returns,
        scope.locals,
        _docstring(body),
        scope.is_generator,
        whole,
    )
    return ir.UnsupportedStmt(whole, "async function", (defined,)) if asynchronous else defined


def _docstring(body: tuple[ir.Stmt, ...]) -> str | None:
    first = body[0] if body else None
    if isinstance(first, ir.ExprStmt) and isinstance(first.value, ir.Const) and isinstance(first.value.value, str):
        return first.value.value
    return None


@lowers(cst.ClassDef)
def _class(c: Cursor, node: cst.ClassDef) -> ir.Stmt:
    decorators = _decorators(c, node.decorators)
    c.take("class")
    at = _declared(c, node)
    given: tuple[tuple[str | None, ir.Expr], ...] = ()
    if c.take_if("("):
        given = arguments(c, [*node.bases, *node.keywords])
        c.take(")")
    outside = c.bound, c.scoped, c.owner
    c.bound, c.scoped, c.owner = set(), set(), node.name.value
    body = block(c, node.body)
    c.bound, c.scoped, c.owner = outside
    bases = tuple(value for name, value in given if name is None)
    keywords = tuple((name, value) for name, value in given if name is not None)
    return ir.ClassDef(at, c.private(node.name.value), bases, keywords, body, decorators)


@lowers(cst.Match)
def _match(c: Cursor, node: cst.Match) -> ir.Stmt:
    start = c.pos
    c.take("match")
    subject = expression(c, node.subject)
    c.take(":")
    c.indents.append(c.default_indent if node.indent is None else node.indent)
    cases: list[tuple[ir.Pattern, ir.Expr | None, tuple[ir.Stmt, ...]]] = []
    for case in node.cases:
        c.take("case")
        here = pattern(c, case.pattern)
        guard = None
        if case.guard is not None:
            c.take("if")
            guard = expression(c, case.guard)
        cases.append((here, guard, block(c, case.body)))
    c.indents.pop()
    return ir.Match(c.between(start, c.stop), subject, tuple(cases))
