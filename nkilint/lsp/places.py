"""Places of the analysis as places of the editor, and back: rows from 0, columns in the client's units."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.workspace import PositionCodec

from nkilint.base.ir import Span
from nkilint.report.excerpt import head


def editor_range(at: Span, lines: Sequence[str], codec: PositionCodec) -> types.Range:
    """`at` in a text of these lines; places behind its end are moved to the end."""
    return types.Range(
        start=_position(at.row, at.column, lines, codec), end=_position(at.end_row, at.end_column, lines, codec)
    )


def shown_range(at: Span, lines: Sequence[str], codec: PositionCodec) -> types.Range:
    """What is underlined where something is said of `at`: of a loop, the line that it begins with."""
    return editor_range(head(at, lines), lines, codec)


def _position(row: int, column: int, lines: Sequence[str], codec: PositionCodec) -> types.Position:
    if row > len(lines):
        last = lines[-1] if lines else ""
        return types.Position(max(len(lines) - 1, 0), codec.client_num_units(last))
    line = lines[row - 1]
    return types.Position(row - 1, codec.client_num_units(line[: max(column - 1, 0)]))


def source_place(position: types.Position, lines: Sequence[str], codec: PositionCodec) -> tuple[int, int]:
    """Row and column, from 1 and in code points, of a place in the editor."""
    if position.line >= len(lines):
        return len(lines) or 1, len(lines[-1]) + 1 if lines else 1
    line = lines[position.line]
    units = 0
    for index, character in enumerate(line):
        if units >= position.character:
            return position.line + 1, index + 1
        units += codec.client_num_units(character)
    return position.line + 1, len(line) + 1


def split_lines(text: str) -> list[str]:
    """The lines of a text as the analysis counts them, without their ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
