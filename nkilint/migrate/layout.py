"""Statements that became too long for a line, an argument to a line."""

from __future__ import annotations

import ast

from nkilint.fixes.edits import piece

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
    lines = [text]

    def written(first: ast.expr | ast.keyword, last: ast.expr) -> str:
        start = len(text.encode()[: first.col_offset].decode())
        end = len(text.encode()[: last.end_col_offset].decode())
        return piece(lines, 1, start + 1, 1, end + 1)

    arguments = [(a.col_offset, written(a, a)) for a in call.args]
    arguments += [(k.col_offset, written(k, k.value)) for k in call.keywords]
    head = text.encode()[: call.func.end_col_offset].decode()
    tail = text.encode()[call.end_col_offset :].decode()
    inner = "".join(f"\n{indent}{deeper}{argument}," for _, argument in sorted(arguments))
    return f"{head}({inner}\n{indent}){tail}"
