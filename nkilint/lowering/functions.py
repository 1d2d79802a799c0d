"""What functions and lambdas have in common: parameters, and a scope of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import libcst as cst

from nkilint.base import ir

from .cursor import Cursor
from .expressions import expression


class Body(NamedTuple):
    body: tuple[ir.Stmt, ...]
    locals: frozenset[str]
    is_generator: bool


def function(c: Cursor, params: tuple[ir.Param, ...], lower_body: Callable[[], tuple[ir.Stmt, ...]]) -> Body:
    """The body of a function, lowered in a new scope."""
    outside = c.bound, c.scoped, c.yields
    c.bound, c.scoped, c.yields = {p.name for p in params}, set(), False
    body = lower_body()
    result = Body(body, frozenset(c.bound - c.scoped), c.yields)
    c.bound, c.scoped, c.yields = outside
    return result


def parameters(c: Cursor, node: cst.Parameters) -> tuple[ir.Param, ...]:
    """Parameters in the order they are written, without the parentheses."""
    result = [_parameter(c, p, "positional-only") for p in node.posonly_params]
    if node.posonly_params:
        c.take("/")
        c.take_if(",")
    result += [_parameter(c, p, "positional") for p in node.params]
    if isinstance(node.star_arg, cst.Param):
        result.append(_parameter(c, node.star_arg, "*"))
    elif isinstance(node.star_arg, cst.ParamStar):
        c.take("*")
        c.take_if(",")
    result += [_parameter(c, p, "keyword") for p in node.kwonly_params]
    if node.star_kwarg is not None:
        result.append(_parameter(c, node.star_kwarg, "**"))
    return tuple(result)


def _parameter(c: Cursor, node: cst.Param, kind: str) -> ir.Param:
    if kind in ("*", "**"):
        c.take(kind)
    start = c.skip()
    c.take(node.name.value)
    annotation = default = None
    if node.annotation is not None:
        c.take(":")
        if c.take_if("*"):  # `*args: *Ts`
            pass
        annotation = expression(c, node.annotation.annotation)
    at = c.span(start)
    if node.default is not None:
        c.take("=")
        default = expression(c, node.default)
    c.take_if(",")
    return ir.Param(c.private(node.name.value), kind, default, annotation, at)
