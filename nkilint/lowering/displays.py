"""Displays, comprehensions and lambdas: the expressions that hold lists of others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import libcst as cst

from nkilint.base import ir

from .cursor import Cursor
from .expressions import expression, lowers
from .functions import function, parameters


def _items(c: Cursor, elements: Iterable[Any]) -> tuple[ir.Expr, ...]:
    result: list[ir.Expr] = []
    for element in elements:
        part = c.known.get(element.value.value) if c.known and isinstance(element.value, cst.Name) else None
        if part is not None:
            result += _items(c, part)
        elif isinstance(element, cst.StarredElement):
            result.append(_starred(c, element))
        else:
            result.append(expression(c, element.value))
        c.take_if(",")
    return tuple(result)


@lowers(cst.StarredElement)
def _starred(c: Cursor, node: cst.StarredElement) -> ir.Expr:
    for _ in node.lpar:
        c.take("(")
    start = c.skip()
    c.take("*")
    value = expression(c, node.value)
    result = ir.Starred(c.span(start), value)
    for _ in node.rpar:
        c.take(")")
    return result


@lowers(cst.Tuple)
def _tuple(c: Cursor, node: cst.Tuple) -> ir.Expr:
    start = c.pos
    if node.lpar:
        c.take("(")
    items = _items(c, node.elements)
    if node.lpar:
        c.take(")")
    return ir.Sequence(c.span(start), "tuple", items)


@lowers(cst.List, cst.Set)
def _list_or_set(c: Cursor, node: cst.List | cst.Set) -> ir.Expr:
    kind, opening, closing = ("list", "[", "]") if isinstance(node, cst.List) else ("set", "{", "}")
    start = c.pos
    c.take(opening)
    items = _items(c, node.elements)
    c.take(closing)
    return ir.Sequence(c.span(start), kind, items)


@lowers(cst.Dict)
def _dict(c: Cursor, node: cst.Dict) -> ir.Expr:
    start = c.pos
    c.take("{")
    items: list[tuple[ir.Expr | None, ir.Expr]] = []
    for element in node.elements:
        key = None
        if isinstance(element, cst.DictElement):
            key = expression(c, element.key)
            c.take(":")
        else:
            c.take("**")
        items.append((key, expression(c, element.value)))
        c.take_if(",")
    c.take("}")
    return ir.DictExpr(c.span(start), tuple(items))


_COMPREHENSIONS: dict[type[cst.CSTNode], tuple[str, str, str]] = {
    cst.ListComp: ("list", "[", "]"),
    cst.SetComp: ("set", "{", "}"),
    cst.DictComp: ("dict", "{", "}"),
    cst.GeneratorExp: ("generator", "(", ")"),
}
if hasattr(cst, "StarredDictComp"):  # `{**d for ...}`, of Python 3.15
    _COMPREHENSIONS[cst.StarredDictComp] = ("dict", "{", "}")


@lowers(*_COMPREHENSIONS)
def _comprehension(c: Cursor, node: Any) -> ir.Expr:
    start = c.pos
    kind, opening, closing = _COMPREHENSIONS[type(node)]
    bare = kind == "generator" and not node.lpar  # the only argument of a call, without parentheses of its own
    if not bare:
        c.take(opening)
    key = None
    if kind == "dict":
        if isinstance(node, cst.DictComp):
            key = expression(c, node.key)
            c.take(":")
        else:
            c.take("**")
        element = expression(c, node.value)
    else:
        element = expression(c, node.elt)
    clauses, asynchronous = _clauses(c, node.for_in)
    if not bare:
        c.take(closing)
    made = ir.Comprehension(c.span(start), kind, key, element, clauses)
    return ir.UnsupportedExpr(made.at, "async comprehension", (made,)) if asynchronous else made


def _clauses(
    c: Cursor, node: cst.CompFor | None
) -> tuple[tuple[tuple[ir.Expr, ir.Expr, tuple[ir.Expr, ...]], ...], bool]:
    clauses: list[tuple[ir.Expr, ir.Expr, tuple[ir.Expr, ...]]] = []
    asynchronous = False
    while node is not None:
        if node.asynchronous is not None:
            asynchronous = True
            c.take("async")
        c.take("for")
        target = expression(c, node.target)
        c.take("in")
        iterable = expression(c, node.iter)
        conditions: list[ir.Expr] = []
        for condition in node.ifs:
            c.take("if")
            conditions.append(expression(c, condition.test))
        clauses.append((target, iterable, tuple(conditions)))
        node = node.inner_for_in
    return tuple(clauses), asynchronous


@lowers(cst.Lambda)
def _lambda(c: Cursor, node: cst.Lambda) -> ir.Expr:
    start = c.pos
    c.take("lambda")
    params = parameters(c, node.params)
    c.take(":")

    def body() -> tuple[ir.Stmt, ...]:
        value = expression(c, node.body)
        return (ir.Return(value.at, value),)

    scope = function(c, params, body)
    at = c.span(start)
    made = ir.FunctionDef(at, "<lambda>", params, scope.body, (), None, scope.locals, None, scope.is_generator, at)
    return ir.Lambda(at, made)
