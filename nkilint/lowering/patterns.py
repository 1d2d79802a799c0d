"""Patterns of `match`: libcst nodes to `ir` nodes. A pattern and all in it stand where the whole of it stands."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import libcst as cst

from nkilint.base import ir

from .cursor import Cursor


def pattern(c: Cursor, node: cst.MatchPattern) -> ir.Pattern:
    """The lowered form of a case's pattern; the names that it captures are bound."""
    start = c.skip()
    c.pass_over(node)
    return _Patterns(c, c.span(start)).lowered(node)


class _Patterns:
    """One pattern, and where it stands."""

    def __init__(self, c: Cursor, at: ir.Span) -> None:
        self.c, self.at = c, at

    def lowered(self, node: Any) -> ir.Pattern:
        handler = _HANDLERS.get(type(node))
        if handler is None:  # a pattern of a Python newer than this lowering
            return ir.ValuePattern(self.at, ir.UnsupportedExpr(self.at, type(node).__name__))
        return handler(self, node)

    def bound(self, name: cst.Name | None) -> str | None:
        if name is None:
            return None
        own = self.c.private(name.value)
        self.c.bound.add(own)
        return own

    def value(self, node: Any) -> ir.Expr:
        """A literal or a dotted name."""
        if isinstance(node, cst.Name) and node.value not in ("None", "True", "False"):
            return ir.Name(self.at, self.c.private(node.value))
        if isinstance(node, cst.Attribute):
            return ir.Attr(self.at, self.value(node.value), self.c.private(node.attr.value))
        try:
            return ir.Const(self.at, ast.literal_eval(cst.Module([]).code_for_node(node)))
        except (ValueError, SyntaxError):
            return ir.UnsupportedExpr(self.at, type(node).__name__)

    def constant(self, node: cst.MatchValue | cst.MatchSingleton) -> ir.Pattern:
        return ir.ValuePattern(self.at, self.value(node.value))

    def capture(self, node: cst.MatchAs) -> ir.Pattern:
        inner = None if node.pattern is None else self.lowered(node.pattern)
        return ir.CapturePattern(self.at, inner, self.bound(node.name))

    def sequence(self, node: cst.MatchList | cst.MatchTuple) -> ir.Pattern:
        items = (
            ir.StarPattern(self.at, self.bound(item.name))
            if isinstance(item, cst.MatchStar)
            else self.lowered(item.value)
            for item in node.patterns
        )
        return ir.SequencePattern(self.at, tuple(items))

    def mapping(self, node: cst.MatchMapping) -> ir.Pattern:
        items = tuple((self.value(item.key), self.lowered(item.pattern)) for item in node.elements)
        return ir.MappingPattern(self.at, items, self.bound(node.rest))

    def of_class(self, node: cst.MatchClass) -> ir.Pattern:
        items: list[tuple[str | None, ir.Pattern]] = [(None, self.lowered(item.value)) for item in node.patterns]
        items += [(item.key.value, self.lowered(item.pattern)) for item in node.kwds]
        return ir.ClassPattern(self.at, self.value(node.cls), tuple(items))

    def either(self, node: cst.MatchOr) -> ir.Pattern:
        return ir.OrPattern(self.at, tuple(self.lowered(item.pattern) for item in node.patterns))


_HANDLERS: dict[type[cst.CSTNode], Callable[[_Patterns, Any], ir.Pattern]] = {
    cst.MatchValue: _Patterns.constant,
    cst.MatchSingleton: _Patterns.constant,
    cst.MatchAs: _Patterns.capture,
    cst.MatchList: _Patterns.sequence,
    cst.MatchTuple: _Patterns.sequence,
    cst.MatchMapping: _Patterns.mapping,
    cst.MatchClass: _Patterns.of_class,
    cst.MatchOr: _Patterns.either,
}
