"""Repairs as edits of a text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nkilint_rules.words.records import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """`text` in place of a piece of a file; rows and columns from 1, columns in code points, the end exclusive."""

    row: int
    column: int
    end_row: int
    end_column: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A repair of one finding. One that is not `safe` may change what the kernel computes, or rests on what the
    analysis is `assuming`."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True
    assuming: tuple[str, ...] = ()

    def entry(self) -> Mapping[str, Any]:
        """The repair for the JSON document."""
        return {
            "title": self.title,
            "safe": self.safe,
            "edits": [
                {
                    "location": {"row": e.row, "column": e.column},
                    "end_location": {"row": e.end_row, "column": e.end_column},
                    "content": e.text,
                }
                for e in self.edits
            ],
        }


def applied(edits: Iterable[Edit], text: str) -> str:
    """`text` with edits that don't overlap; the ends of its lines stay as they are."""
    starts = _starts(text)
    result = text
    for edit in sorted(edits, reverse=True):
        start = starts[edit.row - 1] + edit.column - 1
        end = starts[edit.end_row - 1] + edit.end_column - 1
        added = edit.text.replace("\n", newline(text))
        result = result[:start] + added + result[end:]
    return result


def _starts(text: str) -> list[int]:
    """Where each line begins."""
    starts = [0]
    for index, character in enumerate(text):
        if character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n"):
            starts.append(index + 1)
    return starts


def newline(text: str) -> str:
    """How lines end in `text`."""
    at = text.find("\n")
    if at < 0:
        return "\r" if "\r" in text else "\n"
    return "\r\n" if text[at - 1 : at] == "\r" else "\n"


def piece(lines: Sequence[str], row: int, column: int, end_row: int, end_column: int) -> str:
    """The text between two places."""
    if row == end_row:
        return lines[row - 1][column - 1 : end_column - 1]
    return "\n".join([lines[row - 1][column - 1 :], *lines[row : end_row - 1], lines[end_row - 1][: end_column - 1]])
