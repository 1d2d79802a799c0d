"""The code cells of a notebook as one Python text, and changes of that text written back.

The file stays as it is but for the sources of the cells that change.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from nkilint.base.source import indentation
from nkilint_rules.words.records import dataclass

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"\s*")
_MAGIC = re.compile(r"\s*[%!?]|.*\?$")


@dataclass(frozen=True, slots=True)
class Cell:
    """A code cell: its number among all cells, from 1, its source, and where that stands in the text of the file."""

    number: int
    source: str
    start: int
    end: int


def cells(text: str) -> list[Cell]:
    """The code cells of Python notebooks; `ValueError` if the file is no notebook."""
    try:
        whole = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if not isinstance(whole, dict) or not isinstance(whole.get("cells"), list) or not _is_python(whole):
        return []
    spans = list(_spans(text))
    found = []
    for number, (cell, span) in enumerate(zip(whole["cells"], spans, strict=True), 1):
        if cell.get("cell_type") == "code" and span is not None:
            source = cell["source"]
            found.append(Cell(number, source if isinstance(source, str) else "".join(source), *span))
    return found


def _is_python(notebook: dict[str, Any]) -> bool:
    metadata = notebook.get("metadata") or {}
    named = (metadata.get("kernelspec") or {}).get("language") or (metadata.get("language_info") or {}).get("name")
    return named in (None, "python")


def lines_of(cell: Cell) -> list[str]:
    """The lines of a cell as Python: commands to the notebook itself are left out, and cells that are not Python."""
    lines = cell.source.replace("\r\n", "\n").split("\n")
    python = [_without_command(line) for line in lines]
    try:
        ast.parse("\n".join(python))
    except (SyntaxError, ValueError, RecursionError):
        return [""] * len(lines)
    return [""] * len(lines) if lines[0].startswith("%%") else python


def _without_command(line: str) -> str:
    if not _MAGIC.match(line):
        return line
    return indentation(line) + "pass"


def written(text: str, cell: Cell, source: str) -> str:
    """The text of the file with another source in a cell, in the way in which the old one was written."""
    old = text[cell.start : cell.end]
    ascii_only = old.isascii() and not cell.source.isascii()
    if not old.startswith("["):
        return text[: cell.start] + json.dumps(source, ensure_ascii=ascii_only) + text[cell.end :]
    lead = _SPACE.match(old, 1)
    between = lead[0] if lead else ""
    tail = old[:-1]
    closing = tail[len(tail.rstrip()) :]
    items = [json.dumps(line, ensure_ascii=ascii_only) for line in source.splitlines(keepends=True)]
    return text[: cell.start] + "[" + between + ("," + (between or " ")).join(items) + closing + "]" + text[cell.end :]


# --- where things stand in the text of a file ---


def _spans(text: str) -> Iterator[tuple[int, int] | None]:
    """For each cell, where its source begins and ends."""
    at = next(start for key, start in _members(text, _skip(text, 0)) if key == "cells")
    for start in _items(text, at):
        yield next(((s, _end(text, s)) for key, s in _members(text, start) if key == "source"), None)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The keys of the object at a place, with where their values begin."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        yield key, at
        at = _after(text, at)


def _items(text: str, at: int) -> Iterator[int]:
    """Where the items of the array at a place begin."""
    at = _skip(text, at + 1)
    while text[at] != "]":
        yield at
        at = _after(text, at)


def _after(text: str, at: int) -> int:
    """The place after a value and the comma behind it."""
    at = _skip(text, _end(text, at))
    return _skip(text, at + 1) if text[at] == "," else at


def _end(text: str, at: int) -> int:
    end: int = _DECODER.raw_decode(text, at)[1]
    return end


def joined(parts: Sequence[Cell]) -> tuple[str, list[tuple[int, int]]]:
    """The Python of all cells together, and for each row the number of its cell and the line there."""
    rows: list[str] = []
    places: list[tuple[int, int]] = []
    for cell in parts:
        lines = lines_of(cell)
        rows += lines
        places += [(cell.number, line) for line in range(1, len(lines) + 1)]
    return "\n".join(rows) + "\n", places
