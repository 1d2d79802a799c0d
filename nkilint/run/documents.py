"""Runs over documents: their Python is checked as files that are not on disk, and told of as it stands there.

A snippet of Markdown or reStructuredText goes by `FILE#ROW.py` and has its rows and columns; a notebook goes by
`FILE#0.py`, and a place in it is told as `FILE:cell NUMBER` with the row in that cell.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nkilint.base.findings import Diagnostic, KernelReport, Proof, Report, Step, UnknownObligation, failure
from nkilint.base.ir import Span
from nkilint.base.options import Options
from nkilint.base.source import (
    Overlay,
    SourceError,
    decode,
    document_of,
    encode,
    files_below,
    mentions_nki,
    read_bytes,
)
from nkilint.fixes.edits import newline
from nkilint.project.documents.markup import ELSEWHERE, Block, markdown, restructured
from nkilint.project.documents.notebooks import Cell, cells, joined, written
from nkilint_rules.language.api_outside_kernel import ApiOutsideKernel
from nkilint_rules.language.undefined_name import UndefinedName
from nkilint_rules.placement.dead_allocation import DeadAllocation
from nkilint_rules.tool import syntax_error
from nkilint_rules.tool.incomplete_analysis import IncompleteAnalysis
from nkilint_rules.words.records import dataclass

if TYPE_CHECKING:
    from nkilint.fixes.mending import Mended
    from nkilint.project.documents.snippets import Snippet

BLOCKS: Mapping[str, Callable[[Sequence[str]], Iterator[Block]]] = {".md": markdown, ".rst": restructured}
NOTEBOOK = ".ipynb"
ENDINGS = (*BLOCKS, NOTEBOOK)
_OF_FUNCTIONS = frozenset({UndefinedName.code, DeadAllocation.code})
"""Rules that fragments break which are no function."""


@dataclass(frozen=True, slots=True)
class _Document:
    """A document with the snippets in it by the names that they go by, or with its cells."""

    path: str
    data: bytes
    snippets: Mapping[str, Snippet] = field(default_factory=dict)
    cells: Sequence[Cell] = ()
    places: Sequence[tuple[int, int]] = ()


class Documents:
    """The documents among `paths`. `paths` are those to check in their place, `overlay` what these hold, and `shown`
    what the cells of notebooks hold, for excerpts."""

    def __init__(self, paths: Iterable[Path], overlay: Mapping[str, bytes], options: Options) -> None:
        self._known: dict[str, _Document] = {}
        self._failures: list[Diagnostic] = []
        self.paths: list[Path] = []
        self.overlay: dict[str, bytes] = {}
        self.shown: dict[str, bytes] = {}
        contents = Overlay(overlay)
        for path in paths:
            named = path.suffix in ENDINGS and not contents.is_folder(str(path))
            self.paths += [] if named else [path]
            found = [str(path)] if named else files_below(str(path), contents, ENDINGS)
            for file in found:
                if not options.excludes(file):
                    self._read(file, contents)

    def _read(self, path: str, contents: Overlay) -> None:
        try:
            data = read_bytes(path, contents)
            document = self._divided(path, data, decode(data, path)) if mentions_nki(data) else None
        except SourceError as error:
            self._fail(path, error.message)
        except ValueError as error:
            self._fail(path, f"the file is no notebook: {error}")
        else:
            if document is not None:
                self._known[path] = document

    def _fail(self, path: str, problem: str, row: int = 1, column: int = 1) -> None:
        at = Span(path, row, column, row, column + 1)
        self._failures.append(failure(syntax_error.SyntaxError.message(problem=problem), at))

    def _divided(self, path: str, data: bytes, text: str) -> _Document | None:
        suffix = os.path.splitext(path)[1]
        if suffix == NOTEBOOK:
            found = cells(text)
            source, places = joined(found)
            if not mentions_nki(source.encode()):
                return None
            self._add(f"{path}#0.py", source)
            self.shown.update({_cell(path, c.number): c.source.encode() for c in found})
            return _Document(path, data, {}, found, places)
        from nkilint.project.documents.snippets import broken, snippets  # takes long, and few runs come upon a document

        lines = re.split(r"\r\n|\r|\n", text)
        blocks = list(BLOCKS[suffix](lines))
        for error in broken(lines, blocks):
            self._fail(path, error.msg, error.lineno or 1, error.offset or 1)
        named = {f"{path}#{s.first}.py": s for s in snippets(lines, blocks)}
        for name, snippet in named.items():
            self._add(name, snippet.text)
        return _Document(path, data, named) if named else None

    def _add(self, name: str, text: str) -> None:
        self.paths.append(Path(name))
        self.overlay[name] = text.encode()

    @property
    def read(self) -> list[str]:
        """The documents that hold something to check, by their absolute paths."""
        return [os.path.abspath(path) for path in self._known]

    # --- what is told ---

    def home(self, report: Report, *, part: bool = False) -> Report:
        """A report on `paths` as one on the documents. A fragment is not blamed for what it does not show.

        A part of one holds what is wrong with documents themselves up to the last file that it is about.
        """
        if not self._known and not self._failures:
            return report
        found = [d for d in report.diagnostics if self._is_own(d)]
        told = {d.order: _plainly(d) for d in (self._moved(d) for d in found)}
        kernels = [self._moved(k) for k in report.kernels if self._shows(k)]
        failures = tuple(map(self._moved, report.failures))
        last = max((*(d.at.file for d in (*told.values(), *failures)), *(k.file for k in kernels)), default="")
        return replace(
            report,
            diagnostics=tuple(sorted(told.values(), key=lambda d: d.order)),
            kernels=tuple(kernels),
            failures=(*failures, *(f for f in self._failures if not part or f.at.file <= last)),
            suppressed=tuple(map(self._moved, report.suppressed)),
            files=report.files - len(self.overlay) + len(self._known),
        )

    def _document(self, name: str) -> _Document | None:
        return self._known.get(document_of(name)) if document_of(name) != name else None

    def _is_own(self, finding: Diagnostic) -> bool:
        """Whether a finding is about a snippet itself, and does not rest on what the document leaves out."""
        document = self._document(finding.at.file)
        if document is None:
            return True
        snippet = document.snippets.get(finding.at.file)
        if snippet is None:
            return True
        row = finding.at.row
        if finding.code == ApiOutsideKernel.code:
            return False
        if finding.code in _OF_FUNCTIONS and not snippet.in_function(row):
            return False
        return snippet.shows(row) and (snippet.whole or finding.code != IncompleteAnalysis.code)

    def _shows(self, kernel: KernelReport) -> bool:
        document = self._document(kernel.file)
        snippet = document.snippets.get(kernel.file) if document is not None else None
        if snippet is None:
            return True
        return snippet.shows(kernel.at.row) and (snippet.whole or kernel.verdict != "incomplete")

    def _moved(self, value: Any) -> Any:
        """A value with the places in it as they are in the documents."""
        if isinstance(value, Span):
            return self._place(value)
        if isinstance(value, KernelReport):
            value = replace(value, file=self._place(value.at).file)
        if isinstance(value, (UnknownObligation, Proof, Step)) and self._document(value.file):
            at = self._place(Span(value.file, value.row, 1, value.row, 1))
            return replace(value, file=at.file, row=at.row if value.row else 0)
        if isinstance(value, Diagnostic) and value.fix and self._document(value.at.file):
            edits = [self._edit(value.at.file, edit) for edit in value.fix["edits"]]
            value = replace(value, fix={**value.fix, "edits": edits})
        if is_dataclass(value) and not isinstance(value, type):
            return replace(value, **{f.name: self._moved(getattr(value, f.name)) for f in fields(value)})
        if isinstance(value, tuple):
            return tuple(map(self._moved, value))
        return value

    def _place(self, at: Span) -> Span:
        document = self._document(at.file)
        if document is None:
            return at
        if not document.cells or at.row > len(document.places):
            return replace(at, file=document.path)
        number, row = document.places[at.row - 1]
        end = document.places[min(at.end_row, len(document.places)) - 1][1]
        return Span(_cell(document.path, number), row, at.column, end, at.end_column)

    def _edit(self, file: str, edit: Mapping[str, Any]) -> dict[str, Any]:
        begin, end = edit["location"], edit["end_location"]
        at = self._place(Span(file, begin["row"], begin["column"], end["row"], end["column"]))
        return {
            **edit,
            "location": {"row": at.row, "column": at.column},
            "end_location": {"row": at.end_row, "column": at.end_column},
        }

    # --- what is repaired ---

    def folded(self, mended: Mended) -> Mended:
        """Repairs of what was checked as repairs of the documents that it stands in."""
        files, originals, counts = dict(mended.files), dict(mended.originals), dict(mended.counts)
        for document in self._known.values():
            parts = {name: files.pop(name) for name in [n for n in files if self._document(n) is document]}
            number = sum(counts.pop(n) for n in [n for n in counts if self._document(n) is document])
            for name in [n for n in originals if self._document(n) is document]:
                del originals[name]
            if parts:
                files[document.path] = self._rewritten(document, parts)
                originals[document.path], counts[document.path] = document.data, number
        return replace(mended, report=self.home(mended.report), files=files, originals=originals, counts=counts)

    def _rewritten(self, document: _Document, parts: Mapping[str, bytes]) -> bytes:
        text = decode(document.data, document.path)
        if document.cells:
            (new,) = parts.values()
            return encode(self._with_cells(document, text, new.decode().split("\n")), document.data)
        lines, end = text.splitlines(keepends=True), newline(text)
        changes: list[tuple[int, int, list[str]]] = []
        for name, new in parts.items():
            snippet = document.snippets[name]
            for first, last, added in _changes(snippet.text.split("\n"), new.decode().split("\n")):
                if snippet.first - 1 <= first and last <= snippet.last:
                    changes.append((first, last, [line + end for line in added]))
        for first, last, added in sorted(changes, reverse=True):
            lines[first:last] = added
        return encode("".join(lines), document.data)

    def _with_cells(self, document: _Document, text: str, new: Sequence[str]) -> str:
        (old,) = (self.overlay[name] for name in self.overlay if self._document(name) is document)
        sources = {cell.number: cell.source.split("\n") for cell in document.cells}
        for first, last, added in sorted(_changes(old.decode().split("\n"), new), reverse=True):
            number, line = document.places[min(first, len(document.places) - 1)]
            sources[number][line - 1 : line - 1 + last - first] = added
        for cell in reversed(document.cells):
            source = "\n".join(sources[cell.number])
            text = written(text, cell, source) if source != cell.source else text
        return text


def _plainly(finding: Diagnostic) -> Diagnostic:
    """A finding that does not speak of what stands in for names that a document does not define."""
    if f"`{ELSEWHERE}`" not in finding.confirmation_reason:
        return finding
    return replace(finding, confirmation_reason="the document does not define all that it uses")


def _cell(path: str, number: int) -> str:
    return f"{path}:cell {number}"


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, list[str]]]:
    """What of the old lines is replaced by which of the new."""
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield a, b, list(new[c:d])
