"""Expressions: libcst nodes to `ir` nodes, each with its span."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import libcst as cst

from nkilint.base import ir
from nkilint.base.registering import entered
from nkilint.base.source import SourceError

from .cursor import Cursor

Handler = Callable[[Cursor, Any], ir.Expr]
HANDLERS: dict[type[cst.CSTNode], Handler] = {}


def lowers(*kinds: type[cst.CSTNode]) -> Callable[[Handler], Handler]:
    """Make the decorated function the one that lowers these nodes; parentheses around them are taken care of."""
    return entered(HANDLERS, kinds)


def expression(c: Cursor, node: Any) -> ir.Expr:
    """The lowered form of any expression; the cursor ends behind it and its parentheses."""
    kind, opening = type(node), node.lpar
    handler = HANDLERS.get(kind)
    if handler is None:
        return _unknown(c, node)
    if not opening:
        c.skip()
        return handler(c, node)
    if kind is cst.Tuple or kind is cst.GeneratorExp:
        opening = opening[1:]  # the innermost parentheses are part of these
    for _ in opening:
        c.take("(")
    c.skip()
    result = handler(c, node)
    for _ in opening:
        c.take(")")
    return result


def _unknown(c: Cursor, node: Any) -> ir.Expr:
    """An expression of a Python newer than this lowering."""
    start = c.skip()
    c.pass_over(node)
    at = c.span(start)
    return ir.UnsupportedExpr(at, type(node).__name__, names_in(node, at))


def names_in(node: cst.CSTNode, at: ir.Span) -> tuple[ir.Name, ...]:
    """The names in what nothing looks into any further."""
    stack, found = [node], set()
    while stack:
        here = stack.pop()
        if isinstance(here, cst.Name):
            found.add(here.value)
        stack.extend(here.children)
    return tuple(ir.Name(at, name) for name in sorted(found))


_CONSTANTS = {"None": None, "True": True, "False": False}

BINARY = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.MatrixMultiply: "@",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.And: "and",
    cst.Or: "or",
}
_UNARY = {cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~", cst.Not: "not"}
_COMPARE = {
    cst.Equal: ("==",),
    cst.LessThan: ("<",),
    cst.GreaterThan: (">",),
    cst.LessThanEqual: ("<=",),
    cst.GreaterThanEqual: (">=",),
    cst.In: ("in",),
    cst.NotIn: ("not", "in"),
    cst.Is: ("is",),
    cst.IsNot: ("is", "not"),
}


@lowers(cst.Name)
def _name(c: Cursor, node: cst.Name) -> ir.Expr:
    start, name = c.pos, node.value
    c.take(name)
    if name in _CONSTANTS:
        return ir.Const(c.span(start), _CONSTANTS[name])
    return ir.Name(c.span(start), c.private(name))


@lowers(cst.Integer, cst.Float, cst.Imaginary)
def _number(c: Cursor, node: cst.Integer | cst.Float | cst.Imaginary) -> ir.Expr:
    start, text = c.pos, node.value
    c.take(text)
    if text.isdecimal() and len(text) < 16 and (text[0] != "0" or text == "0"):
        return ir.Const(c.span(start), int(text))
    try:
        return ir.Const(c.span(start), node.evaluated_value)
    except SyntaxError:
        raise SourceError(
            c.path, *c.place(start), f"a number of {len(text)} digits, which Python does not read"
        ) from None


@lowers(cst.Ellipsis)
def _ellipsis(c: Cursor, node: cst.Ellipsis) -> ir.Expr:
    start = c.pos
    c.take("...")
    return ir.Const(c.span(start), ...)


@lowers(cst.Attribute)
def _attribute(c: Cursor, node: cst.Attribute) -> ir.Expr:
    start = c.pos
    value = expression(c, node.value)
    c.take(".")
    c.take(node.attr.value)
    return ir.Attr(c.span(start), value, c.private(node.attr.value))


@lowers(cst.Call)
def _call(c: Cursor, node: cst.Call) -> ir.Expr:
    start = c.pos
    func = expression(c, node.func)
    opening = c.skip()
    c.take("(")
    args = arguments(c, node.args)
    c.take(")")
    if len(args) == 1 and _is_bare(node.args[0]):  # a generator without parentheses of its own has those of the call
        args = ((None, replace(args[0][1], at=c.span(opening))),)
    return ir.Call(c.span(start), func, args)


def _is_bare(node: cst.Arg) -> bool:
    return isinstance(node.value, cst.GeneratorExp) and not node.value.lpar and not node.star and not node.keyword


def arguments(c: Cursor, nodes: tuple[cst.Arg, ...] | Any) -> tuple[tuple[str | None, ir.Expr], ...]:
    """The arguments of a call or a class, without the parentheses."""
    result: list[tuple[str | None, ir.Expr]] = []
    for node in nodes:
        name: str | None = None
        if node.star:
            name = node.star
            c.take(name)
        elif node.keyword is not None:
            name = node.keyword.value
            c.take(name)
            c.take("=")
        result.append((name, expression(c, node.value)))
        c.take_if(",")
    return tuple(result)


@lowers(cst.Subscript)
def _subscript(c: Cursor, node: cst.Subscript) -> ir.Expr:
    start = c.pos
    value = expression(c, node.value)
    c.take("[")
    first = c.skip()
    items: list[ir.Expr] = []
    comma = False
    for element in node.slice:
        items.append(_subscript_item(c, element.slice))
        comma = c.take_if(",")
    key = items[0] if len(items) == 1 and not comma else ir.Sequence(c.span(first), "tuple", tuple(items))
    c.take("]")
    return ir.Index(c.span(start), value, key)


def _subscript_item(c: Cursor, node: cst.BaseSlice) -> ir.Expr:
    start = c.skip()
    if isinstance(node, cst.Index):
        if node.star:
            c.take("*")
            value = expression(c, node.value)
            return ir.Starred(c.span(start), value)
        return expression(c, node.value)
    assert isinstance(node, cst.Slice)
    lower = None if node.lower is None else expression(c, node.lower)
    c.take(":")
    upper = None if node.upper is None else expression(c, node.upper)
    step = None
    if c.take_if(":") and node.step is not None:
        step = expression(c, node.step)
    return ir.SliceExpr(c.span(start), lower, upper, step)


_CHAINS = (cst.BinaryOperation, cst.BooleanOperation)


@lowers(*_CHAINS)
def _binary(c: Cursor, node: cst.BinaryOperation | cst.BooleanOperation) -> ir.Expr:
    """Chains lean to the left: their spine is walked in a loop, so that a sum of a thousand terms isn't deep."""
    spine = [(node, c.pos)]
    while isinstance(left := spine[-1][0].left, _CHAINS):
        for _ in left.lpar:
            c.take("(")
        spine.append((left, c.skip()))
    result = expression(c, left)
    while spine:
        current, start = spine.pop()
        op = BINARY[type(current.operator)]
        c.take(op)
        right = expression(c, current.right)
        kind = ir.Binary if isinstance(current, cst.BinaryOperation) else ir.BoolOp
        result = kind(c.span(start), op, result, right)
        if spine:
            for _ in current.rpar:
                c.take(")")
    return result


@lowers(cst.UnaryOperation)
def _unary(c: Cursor, node: cst.UnaryOperation) -> ir.Expr:
    start, op = c.pos, _UNARY[type(node.operator)]
    c.take(op)
    operand = expression(c, node.expression)
    return ir.Unary(c.span(start), op, operand)


@lowers(cst.Comparison)
def _comparison(c: Cursor, node: cst.Comparison) -> ir.Expr:
    start = c.pos
    left = expression(c, node.left)
    rest: list[tuple[str, ir.Expr]] = []
    for target in node.comparisons:
        operator = target.operator
        words = ("!=",) if isinstance(operator, cst.NotEqual) else _COMPARE[type(operator)]
        for word in words:
            c.take(word)
        rest.append((" ".join(words), expression(c, target.comparator)))
    return ir.Compare(c.span(start), left, tuple(rest))


@lowers(cst.IfExp)
def _conditional(c: Cursor, node: cst.IfExp) -> ir.Expr:
    start = c.pos
    then = expression(c, node.body)
    c.take("if")
    test = expression(c, node.test)
    c.take("else")
    otherwise = expression(c, node.orelse)
    return ir.Conditional(c.span(start), test, then, otherwise)


@lowers(cst.NamedExpr)
def _walrus(c: Cursor, node: cst.NamedExpr) -> ir.Expr:
    start = c.pos
    target = expression(c, node.target)
    c.take(":=")
    value = expression(c, node.value)
    if not isinstance(target, ir.Name):
        return ir.UnsupportedExpr(c.span(start), "walrus to something else than a name", (value,))
    c.bound.add(target.id)
    return ir.Walrus(c.span(start), target, value)


@lowers(cst.Await)
def _await(c: Cursor, node: cst.Await) -> ir.Expr:
    start = c.pos
    c.take("await")
    value = expression(c, node.expression)
    return ir.UnsupportedExpr(c.span(start), "await", (value,))


@lowers(cst.Yield)
def _yield(c: Cursor, node: cst.Yield) -> ir.Expr:
    start = c.pos
    c.yields = True
    c.take("yield")
    if isinstance(node.value, cst.From):
        c.take("from")
        each = expression(c, node.value.item)
        return ir.Yield(c.span(start), each, True)
    value = None if node.value is None else expression(c, node.value)
    return ir.Yield(c.span(start), value, False)
