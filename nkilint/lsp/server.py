"""The language server: takes what the editor says, hands it to the analysis, and gives back what that finds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.uris import to_fs_path

from nkilint import __version__
from nkilint.base.config import ConfigError
from nkilint.base.findings import Diagnostic
from nkilint.base.store import digest
from nkilint_rules.tool.invalid_specification import InvalidSpecification

from .analysis import Analysis
from .documents import Document, merged
from .findings import diagnostic, uri_of
from .leaving import leaving
from .notebooks import SYNC, Sheet
from .places import split_lines
from .rulepages import RulePages
from .settings import Settings

UNTITLED = "untitled:"  # where addresses of documents begin that were not saved yet
WATCHED = ("**/*.py", "**/pyproject.toml", "**/nkilint.toml")


class Protocol(LanguageServerProtocol):
    """Answers requests too whose parameters make no sense."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException:
            if "id" in data and isinstance(data.get("method"), str):
                error = types.ResponseError(types.ErrorCodes.InvalidParams, f"invalid parameters of {data['method']}")
                self._send_response(data["id"], error=error)
            raise


class NkiLanguageServer(LanguageServer):
    """The server with its state. `pulls` says that the client asks for diagnostics instead of being sent them."""

    def __init__(self) -> None:
        super().__init__("nkilint", __version__, protocol_cls=Protocol, notebook_document_sync=SYNC)
        self.leave = leaving(self.close)
        self.settings = Settings()
        self.pages = RulePages()
        self.analysis = Analysis(self.settings, self.overlay, self.changed, self.say, self.misconfigured)
        self.pulls = False
        self._sent: set[str] = set()
        self._misconfigured: dict[Path, str] = {}

    # --- documents ---

    def overlay(self) -> dict[str, str]:
        """The texts of the open files by path."""
        return {d.path: self.source(d.uri) for d in self.analysis.documents.values()}

    def source(self, uri: str) -> str:
        """The text of a document, or of all cells of a notebook."""
        sheet = self.sheet(uri)
        return self.workspace.get_text_document(uri).source if sheet is None else sheet.text

    def sheet(self, uri: str) -> Sheet | None:
        """The notebook at an address, or the one that the cell at it is in; None for what is neither."""
        notebook = self.workspace.get_notebook_document(notebook_uri=uri)
        notebook = notebook or self.workspace.get_notebook_document(cell_uri=uri)
        if notebook is None:
            return None
        cells = [cell.document for cell in notebook.cells if cell.kind is types.NotebookCellKind.Code]
        return Sheet.of(notebook.uri, {cell: self.workspace.get_text_document(cell).source for cell in cells})

    def lines(self, path: str) -> Sequence[str]:
        """The text of a file, as it is in the editor if it is open there."""
        try:
            source = self.source(self.address(path))
        except (OSError, UnicodeDecodeError):
            return ()
        return split_lines(source)

    def path(self, uri: str) -> str | None:
        """The path of a file, or for one that was not saved yet a path in the workspace; None for what is no file."""
        if uri.startswith(UNTITLED):
            folder = self.workspace.root_path or os.getcwd()
            return os.path.join(folder, f".untitled-{digest(uri)[:12]}.py")
        return to_fs_path(uri) if uri.startswith("file:") else None

    def address(self, path: str) -> str:
        """The address of a file, which may not have been saved yet."""
        path = os.path.abspath(path)
        return next((d.uri for d in self.analysis.documents.values() if d.path == path), uri_of(path))

    def document(self, uri: str) -> Document | None:
        return self.analysis.documents.get(uri)

    # --- diagnostics ---

    def found(self, path: str) -> list[Diagnostic]:
        """What is found in a file, by the analysis of any open document."""
        return merged((d.contributed for d in self.analysis.documents.values()), path)

    def diagnostics(self, path: str) -> list[types.Diagnostic]:
        codec = self.workspace.position_codec
        return [diagnostic(d, self.lines, codec, self.pages.address, self.address) for d in self.found(path)]

    def changed(self, document: Document) -> None:
        """Pass on the findings of a document that has been analysed."""
        uris = {d.path: d.uri for d in self.analysis.documents.values()}
        for path in {*document.contributed, *self._sent, document.path}:
            if not (self.pulls and path in uris):
                self._send(path, uris.get(path))
        if self.pulls and document.result is not None and (document.result.complete or len(uris) > 1):
            self.workspace_diagnostic_refresh(None, lambda _: None)
        if document.result is not None and document.result.complete and self._refreshes_lenses():
            self.workspace_code_lens_refresh(None, lambda _: None)

    def _send(self, path: str, uri: str | None) -> None:
        """Publish what is known about a file, or that there is nothing any more."""
        items = self.diagnostics(path)
        if not items and uri is None and path not in self._sent:
            return
        open_document = None if uri is None else self.document(uri)
        version = None if open_document is None or open_document.result is None else open_document.result.version
        sheet = None if uri is None else self.sheet(uri)
        parts = {uri or uri_of(path): items} if sheet is None else sheet.parts(items)
        for address, part in parts.items():
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(address, part, version if sheet is None else None)
            )
        (self._sent.add if items else self._sent.discard)(path)

    def forget(self, document: Document) -> None:
        """Take back what a document contributed that was closed."""
        uris = {d.path: d.uri for d in self.analysis.documents.values()}
        for path in {*document.contributed, document.path}:
            if path == document.path:
                self._sent.add(path)  # the client has to be told, whatever it knows
                self._send(path, None if self.found(path) else document.uri)
            elif not (self.pulls and path in uris):
                self._send(path, uris.get(path))

    def forget_cells(self, cells: Iterable[types.TextDocumentIdentifier]) -> None:
        """Take back what is known of cells that are gone."""
        for cell in cells:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(cell.uri, []))

    def _refreshes_lenses(self) -> bool:
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.code_lens and workspace.code_lens.refresh_support)

    # --- messages ---

    def show(self, address: str) -> None:
        """Have the client open a file."""
        window = self.client_capabilities.window
        if window is not None and window.show_document is not None and window.show_document.support:
            self.window_show_document(types.ShowDocumentParams(uri=address, take_focus=True), lambda _: None)
        else:
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Info, message=address))

    def say(self, message: str) -> None:
        self.window_log_message(types.LogMessageParams(type=types.MessageType.Error, message=message))

    def misconfigured(self, path: str, problem: ConfigError | None) -> None:
        """Show what is wrong with a configuration file where it stands, once; take it back when it is mended."""
        if problem is None or problem.file is None:
            for file in [f for f in self._misconfigured if Path(path).is_relative_to(f.parent)]:
                del self._misconfigured[file]
                self._publish_configuration(file, [])
        elif self._misconfigured.get(problem.file) != problem.message:
            self._misconfigured[problem.file] = problem.message
            row = problem.row - 1
            item = types.Diagnostic(
                range=types.Range(types.Position(row, 0), types.Position(row + 1, 0)),
                message=problem.message,
                severity=types.DiagnosticSeverity.Error,
                code=InvalidSpecification.code,
                code_description=types.CodeDescription(href=self.pages.address(InvalidSpecification.code)),
                source="nkilint",
            )
            self._publish_configuration(problem.file, [item])

    def _publish_configuration(self, file: Path, items: list[types.Diagnostic]) -> None:
        params = types.PublishDiagnosticsParams(uri=uri_of(str(file)), diagnostics=items)
        self.text_document_publish_diagnostics(params)

    def close(self) -> None:
        self.analysis.close()
        self.pages.close()


def result_id(items: Sequence[types.Diagnostic], server: NkiLanguageServer) -> str:
    """Equal for equal diagnostics."""
    return digest(json.loads(json.dumps(server.protocol._converter.unstructure(list(items)))))


def given_settings(value: Any) -> Any:
    """The client's settings: some put them below the name of the server."""
    return value["nkilint"] if isinstance(value, dict) and isinstance(value.get("nkilint"), dict) else value
