"""String literals: plain, joined and formatted."""

from __future__ import annotations

import ast
import warnings
from typing import Any

import libcst as cst

from nkilint.base import ir
from nkilint.base.source import SourceError

from .cursor import Cursor
from .expressions import expression, lowers


def _evaluated(c: Cursor, start: int, token: str) -> Any:
    """The value of a string token."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes
            return ast.literal_eval(token)
    except (SyntaxError, ValueError):
        row, column = c.place(start)
        raise SourceError(c.path, row, column, "a string literal holds a malformed escape") from None


def _is_plain(token: str) -> bool:
    """Whether a token has neither a prefix, nor three quotes, nor an escape."""
    return token[0] == token[-1] and "\\" not in token and token[1:2] != token[0]


@lowers(cst.SimpleString)
def _simple(c: Cursor, node: cst.SimpleString) -> ir.Expr:
    start = c.pos
    c.take(node.value)
    c.strings.append((start, c.pos))
    value = node.value[1:-1] if _is_plain(node.value) else _evaluated(c, start, node.value)
    return ir.Const(c.span(start), value)


@lowers(cst.FormattedString)
def _formatted(c: Cursor, node: cst.FormattedString) -> ir.Expr:
    start = c.pos
    c.take(node.start)
    parts = _parts(c, node.parts, "" if "r" in node.prefix else node.end)
    c.pos = _passed(c, node.end)
    return ir.Format(c.span(start), parts)


def _passed(c: Cursor, token: str) -> int:
    """The offset behind `token`, which begins right here: inside a string white space counts."""
    if not c.text.startswith(token, c.pos):
        c.take(token)
    return c.pos + len(token)


def _parts(c: Cursor, nodes: Any, quotes: str) -> tuple[ir.Expr, ...]:
    """Pieces of a formatted string; without `quotes` it is a raw one."""
    parts: list[ir.Expr] = []
    for node in nodes:
        start = c.pos
        if isinstance(node, cst.FormattedStringText):
            c.pos = _passed(c, node.value)
            c.strings.append((start, c.pos))
            parts.append(ir.Const(c.span(start), _text(c, start, node.value, quotes)))
        else:
            parts.extend(_replacement(c, node, quotes))
    return tuple(parts)


def _text(c: Cursor, start: int, value: str, quotes: str) -> str:
    value = value.replace("{{", "{").replace("}}", "}").replace("\r\n", "\n").replace("\r", "\n")
    if not quotes or "\\" not in value:
        return value
    return str(_evaluated(c, start, quotes + value + quotes))


def _replacement(c: Cursor, node: cst.FormattedStringExpression, quotes: str) -> list[ir.Expr]:
    """`{value}`; for `{value=}` the text in front of it comes first."""
    c.pos = _passed(c, "{")
    parts: list[ir.Expr] = []
    start = c.pos
    value = expression(c, node.expression)
    if node.equal is not None:
        c.take("=")
        if c.text[c.pos] in " \t":
            c.skip()
        parts.append(ir.Const(c.span(start), c.text[start : c.pos]))
    spec: tuple[ir.Expr, ...] = ()
    if node.conversion is not None:
        c.take("!")
        c.take(node.conversion)
    if node.format_spec is not None:
        c.take(":")
        spec = _parts(c, node.format_spec, quotes)
    c.take("}")
    conversion = node.conversion or ("r" if node.equal is not None and not spec else "")
    if spec or conversion:
        return [*parts, ir.Formatted(c.span(start), value, conversion, spec)]
    return [*parts, value]


@lowers(cst.ConcatenatedString)
def _joined(c: Cursor, node: cst.ConcatenatedString) -> ir.Expr:
    start = c.pos
    pieces: list[ir.Expr] = []
    current: Any = node
    while isinstance(current, cst.ConcatenatedString):
        pieces.append(expression(c, current.left))
        current = current.right
    pieces.append(expression(c, current))
    at = c.span(start)
    if all(isinstance(p, ir.Const) for p in pieces):
        values = [p.value for p in pieces if isinstance(p, ir.Const)]
        return ir.Const(at, (b"" if isinstance(values[0], bytes) else "").join(values))
    parts: list[ir.Expr] = []
    for piece in pieces:
        parts.extend(piece.parts if isinstance(piece, ir.Format) else (piece,))
    return ir.Format(at, tuple(parts))
