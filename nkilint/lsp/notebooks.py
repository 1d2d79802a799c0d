"""Notebooks as the editor has them: the cells as one text, and places in that text as places in cells, and back."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import attrs
from lsprotocol import types

from nkilint.project.documents.notebooks import Cell, joined
from nkilint_rules.words.records import dataclass

SYNC = types.NotebookDocumentSyncOptions(
    notebook_selector=[types.NotebookDocumentFilterWithNotebook("*", [types.NotebookCellLanguage("python")])],
    save=True,
)
END = 2**31 - 1  # of a line, for clients: what is behind it
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Sheet:
    """The code cells of a notebook as one text. `firsts` are the rows of it, from 0, at which `cells` begin."""

    uri: str
    cells: Sequence[str]
    firsts: Sequence[int]
    text: str

    @classmethod
    def of(cls, uri: str, sources: Mapping[str, str]) -> Sheet:
        """The sheet of cells by their addresses."""
        cells = [Cell(number, source, 0, 0) for number, source in enumerate(sources.values(), 1)]
        text, places = joined(cells)
        firsts = [row for row, (_, line) in enumerate(places) if line == 1]
        return cls(uri, list(sources), firsts, text)

    def first(self, cell: str) -> int:
        """The row at which a cell begins."""
        return self.firsts[self.cells.index(cell)]

    def cell(self, row: int) -> str:
        """The cell that a row belongs to."""
        return self.cells[max(bisect_right(self.firsts, row) - 1, 0)]

    # --- what is told of places in the text, told of those in cells ---

    def parts(self, items: Iterable[types.Diagnostic]) -> dict[str, list[types.Diagnostic]]:
        """Diagnostics by cell; each cell has its own, if only none."""
        found: dict[str, list[types.Diagnostic]] = {cell: [] for cell in self.cells}
        for item in items:
            related = [self._related(r) for r in item.related_information or ()]
            cell = self.cell(item.range.start.line)
            item = moved(attrs.evolve(item, related_information=None), -self.first(cell))
            found[cell].append(attrs.evolve(item, related_information=related or None))
        return found

    def _related(self, related: types.DiagnosticRelatedInformation) -> types.DiagnosticRelatedInformation:
        if related.location.uri != self.uri:
            return related
        cell = self.cell(related.location.range.start.line)
        place = moved(related.location.range, -self.first(cell))
        return types.DiagnosticRelatedInformation(types.Location(cell, place), related.message)

    def edit(self, edit: types.WorkspaceEdit) -> types.WorkspaceEdit:
        """Changes of the text as changes of the cells."""
        if edit.document_changes is None:
            edits = [e for each in (edit.changes or {}).values() for e in each]
            return types.WorkspaceEdit(changes=dict(self._edits(edits)))
        every = [e for each in edit.document_changes if isinstance(each, types.TextDocumentEdit) for e in each.edits]
        return types.WorkspaceEdit(
            document_changes=[
                types.TextDocumentEdit(types.OptionalVersionedTextDocumentIdentifier(cell), list(edits))
                for cell, edits in self._edits(every)
            ]
        )

    def _edits(self, edits: Iterable[Any]) -> Iterator[tuple[str, list[types.TextEdit]]]:
        by_cell: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            cell = self.cell(edit.range.start.line)
            by_cell.setdefault(cell, []).append(self._within(cell, edit))
        yield from by_cell.items()

    def _within(self, cell: str, edit: types.TextEdit) -> types.TextEdit:
        """A change that begins in a cell, which ends with that cell at the latest."""
        number = self.cells.index(cell)
        after = self.firsts[number + 1] if number + 1 < len(self.firsts) else self.text.count("\n")
        start, end, text = edit.range.start, edit.range.end, edit.new_text
        if end.line >= after:
            end, text = types.Position(after - 1, END), text.removesuffix("\n")
        return moved(types.TextEdit(types.Range(start, end), text), -self.firsts[number])


def moved(value: _T, rows: int) -> _T:
    """A value of the protocol with all positions in it moved down."""
    found: Any = value
    if isinstance(value, types.Position):
        found = types.Position(max(value.line + rows, 0), value.character)
    elif isinstance(value, (list, tuple)):
        found = type(value)(moved(item, rows) for item in value)
    elif attrs.has(type(value)):
        changes = {f.name: moved(getattr(value, f.name), rows) for f in attrs.fields(type(value))}  # type: ignore[arg-type]
        found = attrs.evolve(value, **changes)  # type: ignore[misc]
    return found  # type: ignore[no-any-return]
