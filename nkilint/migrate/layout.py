"""Statements that became too long for a line, an argument to a line."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence

from nkilint.base.source import indentation
from nkilint.fixes.edits import Edit

from .source import Source

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


def comments(text: str) -> list[str]:
    """The comments in a piece of code, as far as it can be read."""
    found = []
    lines = "\n".join(line.strip() for line in text.split("\n"))
    try:
        for token in tokenize.generate_tokens(io.StringIO(lines).readline):
            if token.type == tokenize.COMMENT:
                found.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def _lost_comments(before: str, after: Sequence[str]) -> list[str]:
    """The comments in a piece of code that new ones in its place do not have."""
    if "#" not in before:
        return []
    kept = Counter(c for text in after for c in comments(text))
    lost = []
    for comment in comments(before):
        if kept[comment]:
            kept[comment] -= 1
        else:
            lost.append(comment)
    return lost


def saved_comments(source: Source, node: ast.expr | ast.stmt, after: Sequence[str]) -> Iterator[Edit]:
    """The comments inside of a node that its new texts have not, above its statement."""
    lost = _lost_comments(source.text_of(node), after)
    statement = source.statement(node) if lost else None
    if statement is not None:
        row = source.place(statement)[0]
        indent = indentation(source.lines[row - 1])
        yield Edit(row, 1, row, 1, "".join(f"{indent}{comment}\n" for comment in lost))


def without_more_blanks(text: str, before: str) -> str:
    """The text without blank lines in blocks that have come together since what stood between them went: `before` has
    nowhere as many."""
    most = max([1, *(len(blanks) for blanks in _blanks(before.splitlines(keepends=True)).values())])
    lines = text.splitlines(keepends=True)
    gone = {row for blanks in _blanks(lines).values() for row in blanks[most:]}
    return "".join(line for row, line in enumerate(lines) if row not in gone)


def _blanks(lines: Sequence[str]) -> dict[int, list[int]]:
    """By each line of a block, the blank ones directly above it."""
    found, above = {}, []
    for row, line in enumerate(lines):
        if not line.strip():
            above.append(row)
        elif above:
            found.update({row: above} if line[0].isspace() else {})
            above = []
    return found
