"""Statements that became too long for a line, an argument to a line."""

from __future__ import annotations

import ast

WIDTH = 120


def wrapped(text: str, indent: str, deeper: str) -> str:
    """A statement that is a call, or an assignment of one, with its arguments on lines of their own where it is longer
    than a line; any other as it is."""
    if len(indent) + len(text) <= WIDTH or "\n" in text:
        return text
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        return text
    call = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if not isinstance(call, ast.Call) or not (call.args or call.keywords):
        return text
    data = text.encode()
    opened = data.index(b"(", call.func.end_col_offset or 0)
    arguments = sorted((a.col_offset, _written(data, a.col_offset, a.end_col_offset or 0, opened)) for a in call.args)
    arguments += [(k.col_offset, data[k.col_offset : k.end_col_offset].decode()) for k in call.keywords]
    head, tail = data[: call.func.end_col_offset].decode(), data[call.end_col_offset :].decode()
    inner = "".join(f"\n{indent}{deeper}{argument}," for _, argument in sorted(arguments))
    return f"{head}({inner}\n{indent}){tail}"


def _written(data: bytes, start: int, end: int, opened: int) -> str:
    """An argument with the parentheses around it; `opened` is where those of the call begin."""
    while start - 1 > opened and data[start - 1 : start] == b"(" and data[end : end + 1] == b")":
        start, end = start - 1, end + 1
    return data[start:end].decode()
