"""Pieces of source with carets under the part that is meant."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace

from nkilint.base.ir import Span
from nkilint.base.source import indentation

from .style import Style

TAB = 4
LONGEST = 6  # lines of a span that are shown whole
WIDEST = 400  # characters of a line that are shown
NARROWEST = 20  # and at least
_BODY = re.compile(r"(\s*(?:(?:async\s+)?(?:for|with)|while|if|elif|else|match|case|try)\b.*:)\s*(?:#.*)?$")


def excerpt(
    at: Span, lines: Sequence[str], gutter: int, style: Style, label: str = "", colour: str = "red"
) -> list[str]:
    """The lines of `at` with carets below and one line before, framed by empty gutter lines; nothing without text. Of a
    loop or another statement with a body it is the line that it begins with."""
    if not 1 <= at.row <= len(lines):
        return []
    at = head(at, lines)
    empty, widest = style.paint(f"{'':{gutter}} |", "bold", "blue"), _widest(gutter, style)
    shown = [empty]
    if at.row > 1 and lines[at.row - 2].strip():
        shown.append(_numbered(at.row - 1, _cut(lines[at.row - 2], 0, widest)[0], gutter, style))
    for row in _rows(at, len(lines)):
        if row is None:
            shown.append(style.paint(f"{'':{gutter}} …", "bold", "blue"))
            continue
        text, moved = _cut(lines[row - 1], at.column - 1 if row == at.row else 0, widest)
        shown.append(_numbered(row, text, gutter, style))
        last = row == min(at.end_row, len(lines))
        carets = _carets(at, row, text, moved)
        if carets.strip():
            pad = indentation(carets)
            mark = carets.strip() + (f" {label}" if label and last else "")
            shown.append(f"{empty} {pad}{style.paint(mark, 'bold', colour)}")
    shown.append(empty)
    return shown


def head(at: Span, lines: Sequence[str]) -> Span:
    """The first line of a span, where a body follows it."""
    code = _BODY.match(lines[at.row - 1]) if 1 <= at.row <= len(lines) else None
    return replace(at, end_row=at.row, end_column=code.end(1) + 1) if code and at.end_row > at.row else at


def _rows(at: Span, count: int) -> Iterator[int | None]:
    """The rows to show; `None` where some are left out."""
    end = min(at.end_row, count)
    if end - at.row < LONGEST:
        yield from range(at.row, end + 1)
    else:
        yield from range(at.row, at.row + LONGEST // 2)
        yield None
        yield from range(end - LONGEST // 2 + 1, end + 1)


def _widest(gutter: int, style: Style) -> int:
    """Characters of a line that are shown: no more than a terminal has room for, lest the carets stand elsewhere."""
    return max(min(WIDEST, style.width - gutter - 5), NARROWEST) if style.width else WIDEST


def _cut(line: str, column: int, widest: int) -> tuple[str, int]:
    """The part of an overlong line around a column, and how many characters it stands further to the left."""
    if len(line) <= widest:
        return line, 0
    start = max(min(column - widest // 2, len(line) - widest), 0)
    part = line[start : start + widest]
    return ("…" if start else "") + part + ("…" if start + widest < len(line) else ""), start - (start > 0)


def _numbered(row: int, line: str, gutter: int, style: Style) -> str:
    text = _expanded(line).rstrip()
    return style.paint(f"{row:{gutter}} |", "bold", "blue") + (f" {text}" if text else "")


def _carets(at: Span, row: int, line: str, moved: int) -> str:
    """Blanks and carets as wide as the text above them."""
    body = len(line.rstrip())
    start = at.column - 1 - moved if row == at.row else len(indentation(line))
    end = at.end_column - 1 - moved if row == at.end_row else body
    end = max(min(end, body), start + 1 if row == at.row else start)
    before, until = width(line[:start]), width(line[:end])
    return " " * before + "^" * max(until - before, 1 if row == at.row else 0)


def width(text: str) -> int:
    """Columns that a terminal gives to `text`."""
    total = 0
    for character in text:
        if character == "\t":
            total += TAB - total % TAB
        elif unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn", "Me"):
            continue
        else:
            total += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return total


def _expanded(line: str) -> str:
    """`line` with tabs as blanks and control characters made visible."""
    shown = ""
    for character in line:
        if character == "\t":
            shown += " " * (TAB - width(shown) % TAB)
        else:
            shown += character if character.isprintable() or unicodedata.category(character) == "Cf" else "�"
    return shown
