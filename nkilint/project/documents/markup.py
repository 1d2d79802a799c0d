"""Finds the blocks of Python code in Markdown and reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nkilint.base.source import indentation
from nkilint_rules.words.records import dataclass

ELSEWHERE = "elsewhere"  # the module that names come from which a document uses and does not define
_FENCE = re.compile(r"( *)(`{3,}|~{3,})\s*(.*?)\s*$")
_PYTHON = re.compile(r"\{?\.?(?:code-block\}\s*)?(?:python3?|py)\b", re.IGNORECASE)
_DIRECTIVE = re.compile(r"( *)\.\. (?:code-block|code|sourcecode)::[ \t]*(\S*)\s*$")
_OPTION = re.compile(r"\s*:[\w-]+:")


@dataclass(frozen=True, slots=True)
class Block:
    """The rows of a block of code, both inclusive, and how far all of its lines are indented. The row before the first
    holds no code."""

    first: int
    last: int
    indent: int


def markdown(lines: Sequence[str]) -> Iterator[Block]:
    """The fenced blocks that say that they are Python."""
    row = 0
    while row < len(lines):
        opening = _FENCE.match(lines[row])
        row += 1
        if opening is None:
            continue
        first, fence = row + 1, opening[2]
        while row < len(lines) and not _closes(lines[row], fence):
            row += 1
        if _PYTHON.match(opening[3]):
            yield from _block(lines, first, row)
        row += 1


def _closes(line: str, fence: str) -> bool:
    text = line.strip()
    return len(text) >= len(fence) and set(text) == {fence[0]}


def restructured(lines: Sequence[str]) -> Iterator[Block]:
    """The code blocks that say that they are Python, or nothing. What they include from other files is not there."""
    row = 0
    while row < len(lines):
        directive = _DIRECTIVE.match(lines[row])
        row += 1
        if directive is None:
            continue
        while row < len(lines) and _OPTION.match(lines[row]):
            row += 1
        first = row + 1
        while row < len(lines) and (not lines[row].strip() or len(indentation(lines[row])) > len(directive[1])):
            row += 1
        if directive[2].lower() in ("", "python", "python3", "py"):
            yield from _block(lines, first, row)


def _block(lines: Sequence[str], first: int, last: int) -> Iterator[Block]:
    """The block in these rows without the blank ones around it; none where nothing is left."""
    rows = [row for row in range(first, last + 1) if lines[row - 1].strip()]
    if rows:
        yield Block(rows[0], rows[-1], min(len(indentation(lines[row - 1])) for row in rows))
