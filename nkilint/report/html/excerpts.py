"""The lines of source that a page shows: those of kernels, and some around every place that it speaks of."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from nkilint.base.source import indentation

AROUND = 3  # lines before and after a place
WIDEST = 400  # characters of a line that are shown

Lines = Callable[[str], Sequence[str]]


class Excerpts:
    """Collects rows by file; files are known by their number, in the order in which they were first named."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self._numbers: dict[str, int] = {}
        self._rows: dict[str, set[int]] = {}
        self.function = cache(self._function)

    def number(self, file: str) -> int:
        """The number of a file."""
        self._rows.setdefault(file, set())
        return self._numbers.setdefault(file, len(self._numbers))

    def show(self, file: str, first: int, last: int, around: int = AROUND) -> None:
        """Have these rows shown."""
        self.number(file)
        self._rows[file].update(range(max(first - around, 1), min(last + around, len(self.lines(file))) + 1))

    def _function(self, file: str, row: int) -> tuple[int, int]:
        """The first and the last row of the function whose `def` stands on a row; the row itself without one."""
        lines = self.lines(file)
        try:
            tree = ast.parse("\n".join(lines))
        except (SyntaxError, ValueError, RecursionError):  # a document, or newer syntax than this interpreter's
            return _by_indentation(lines, row)
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno == row:
                return min([row, *(d.lineno for d in node.decorator_list)]), node.end_lineno or row
        return row, row

    def entries(self, named: Callable[[str], str]) -> list[dict[str, Any]]:
        """Each file with its pieces: the number of a first row, and the lines from there on."""
        return [{"name": named(file), "pieces": self._pieces(file)} for file in self._rows]

    def _pieces(self, file: str) -> list[list[Any]]:
        lines, pieces = self.lines(file), list[list[Any]]()
        before = -1
        for row in sorted(self._rows[file]):
            if row != before + 1:
                pieces.append([row, []])
            pieces[-1][1].append(lines[row - 1][:WIDEST])
            before = row
        return pieces


def _by_indentation(lines: Sequence[str], row: int) -> tuple[int, int]:
    """The rows of a function in a text that is not all Python."""
    if row > len(lines):
        return row, row
    first = last = row
    depth = len(indentation(lines[row - 1]))
    while first > 1 and lines[first - 2].lstrip().startswith("@"):
        first -= 1
    for number, line in enumerate(lines[row:], row + 1):
        if line.strip():
            if len(indentation(line)) <= depth and not line.lstrip().startswith(")"):
                break
            last = number
    return first, last
