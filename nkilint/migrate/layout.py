"""Statements that became too long for a line, or go on at other places: an argument to a line."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence

from nkilint.base.source import indentation
from nkilint.fixes.edits import Edit

from .source import Source

WIDTH = 120


def wrapped(text: str, indent: str, deeper: str) -> str:
    """A statement of one expression, or an assignment of one, laid out anew where it is longer than a line, or where
    its lines do not go on where they should; any other as it is."""
    lines = text.split("\n")
    fits = len(indent) + len(lines[0]) <= WIDTH and all(len(line) <= WIDTH for line in lines[1:])
    if (fits and (len(lines) == 1 or _goes_on_well(lines, len(indent)))) or (len(lines) > 1 and comments(text)):
        return text
    flat = text if len(lines) == 1 else _on_one_line(text)
    try:
        (statement,) = ast.parse(flat).body
    except (SyntaxError, ValueError):
        return text
    value = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
    if value is None or (len(lines) > 1 and ast.dump(statement) != ast.dump(ast.parse(text).body[0])):
        return text
    hanging = len(lines) > 1 and lines[0].endswith(("(", "[", "{"))  # a part to a line, as its author has it
    if len(lines) > 1 and not hanging and len(indent) + len(flat) <= WIDTH:
        return flat
    data = flat.encode()
    head, tail = data[: value.col_offset].decode(), data[value.end_col_offset :].decode()
    own = data[value.col_offset : value.end_col_offset].decode()
    new = head + spread(own, indent, deeper, WIDTH if hanging else len(head) + len(tail)) + tail
    return new if ast.dump(ast.parse(new)) == ast.dump(ast.parse(flat)) else text


def _goes_on_well(lines: Sequence[str], margin: int) -> bool:
    """Whether what a bracket on the first line holds goes on where it begins there; where nothing of it stands there,
    whether the last line closes it."""
    opened = _open_bracket(lines[0])
    if opened is None:
        return True
    if lines[0][opened + 1 :].strip():
        return len(lines[1]) - len(lines[1].lstrip()) == margin + opened + 1
    return not lines[-1].strip().strip(")]}")


def _open_bracket(line: str) -> int | None:
    """Where the innermost bracket begins that a line leaves open."""
    opened: list[int] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(line).readline):
            if token.string in ("(", "[", "{"):
                opened.append(token.start[1])
            elif token.string in (")", "]", "}"):
                opened.pop()
    except (tokenize.TokenError, IndexError):
        pass
    return opened[-1] if opened else None


def _on_one_line(text: str) -> str:
    text = re.sub(r"\\?\s*\n\s*", " ", text)
    return re.sub(r",? (?=[)\]}])", "", re.sub(r"(?<=[(\[{]) ", "", text))


def spread(text: str, indent: str, deeper: str, besides: int) -> str:
    """An expression whose parts stand on lines of their own where it does not fit on one with `besides` more."""
    if len(indent) + len(text) + besides <= WIDTH:
        return text
    name = re.match(r"\w+=(?!=)|", text).group()  # type: ignore[union-attr]
    parts = _parts(text.removeprefix(name))
    if parts is None:
        return text
    opening, held, closing, comma = parts
    inner = indent + deeper
    lines = "".join(f"\n{inner}{spread(part, inner, deeper, len(comma))}{comma}" for part in held)
    return f"{name}{opening}{lines}\n{indent}{closing}"


def _parts(text: str) -> tuple[str, list[str], str, str] | None:
    """What an expression begins with, the parts in its last brackets, what closes these, and what stands between."""
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    data = text.encode()
    if (node.col_offset, node.end_col_offset) != (0, len(data)):
        return None
    if isinstance(node, ast.ListComp) and len(node.generators) == 1:
        begin = data.rindex(b"for", 0, node.generators[0].target.col_offset)
        return "[", [data[1:begin].decode().strip(), data[begin:-1].decode().strip()], "]", ""
    if isinstance(node, ast.Call) and (node.args or node.keywords):
        opened = data.index(b"(", node.func.end_col_offset or 0)
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple):
        opened = data.index(b"[", node.value.end_col_offset or 0)
    elif isinstance(node, (ast.List, ast.Tuple)) and node.elts:
        opened = 0
    else:
        return None
    return data[: opened + 1].decode(), _between_commas(data[opened + 1 : -1].decode()), text[-1], ","


def _between_commas(text: str) -> list[str]:
    """The parts of what stands in brackets."""
    found, begin, depth = [], 0, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
            if token.string == "," and not depth:
                found.append(text[begin : token.start[1]].strip())
                begin = token.end[1]
    except tokenize.TokenError:
        pass
    return [part for part in [*found, text[begin:].strip()] if part]


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
