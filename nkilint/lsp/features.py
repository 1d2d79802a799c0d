"""The messages that the server understands."""

from __future__ import annotations

from typing import Any

import attrs
from lsprotocol import types

from . import actions, hovers, inlays, lenses, migrating
from .leaving import with_client
from .notebooks import Sheet, moved
from .server import WATCHED, NkiLanguageServer, given_settings, result_id

PULL = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="nkilint")


def register(server: NkiLanguageServer) -> None:
    """Teach `server` everything."""
    for method, handler in _NOTIFICATIONS.items():
        server.feature(method)(handler)
    server.feature(types.TEXT_DOCUMENT_HOVER)(_hover)
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(_code_lens)
    server.feature(types.TEXT_DOCUMENT_INLAY_HINT)(_inlay_hint)
    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.SourceFixAll, types.CodeActionKind.RefactorRewrite]
    options = types.CodeActionOptions(code_action_kinds=kinds, resolve_provider=True)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)(_code_action)
    server.feature(types.CODE_ACTION_RESOLVE)(_resolved)
    server.command(actions.OPEN_RULE)(_open_rule)
    server.command(lenses.EXPLAIN)(_explain)


# --- life ---


def _initialize(server: NkiLanguageServer, params: types.InitializeParams) -> None:
    with_client(params.process_id, server.leave)
    for problem in server.settings.change(given_settings(params.initialization_options)):
        server.say(f"nkilint: {problem} in the settings of the editor")
    text, workspace = params.capabilities.text_document, params.capabilities.workspace
    refreshes = workspace is not None and workspace.diagnostics is not None and workspace.diagnostics.refresh_support
    if text is not None and text.diagnostic is not None and refreshes:
        server.pulls = True
        server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, PULL)(_diagnostic)


def _initialized(server: NkiLanguageServer, params: types.InitializedParams) -> None:
    server.analysis.start()
    workspace = server.client_capabilities.workspace
    watches = workspace is not None and workspace.did_change_watched_files is not None
    if watches and workspace and workspace.did_change_watched_files.dynamic_registration:  # type: ignore[union-attr]
        watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in WATCHED]
        registration = types.Registration(
            id="nkilint-files",
            method=types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            register_options=types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers),
        )
        server.client_register_capability(types.RegistrationParams([registration]), lambda _: None)


def _shutdown(server: NkiLanguageServer, params: None) -> None:
    server.close()


def _exit(server: NkiLanguageServer, params: None) -> None:
    server.leave(0 if server.protocol._shutdown else 1)


def _configured(server: NkiLanguageServer, params: types.DidChangeConfigurationParams) -> None:
    for problem in server.settings.change(given_settings(params.settings)):
        server.say(f"nkilint: {problem} in the settings of the editor")
    server.analysis.everything()
    workspace = server.client_capabilities.workspace
    if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
        server.workspace_inlay_hint_refresh(None, lambda _: None)


def _watched(server: NkiLanguageServer, params: types.DidChangeWatchedFilesParams) -> None:
    """Files on disk have changed; those that are open count as they are in the editor."""
    open_files = {d.uri for d in server.analysis.documents.values()}
    if any(change.uri not in open_files for change in params.changes):
        server.analysis.everything()


# --- documents ---


def _opened(server: NkiLanguageServer, params: types.DidOpenTextDocumentParams) -> None:
    path = server.path(params.text_document.uri)
    if path is not None:
        server.analysis.opened(params.text_document.uri, path, params.text_document.version)


def _changed(server: NkiLanguageServer, params: types.DidChangeTextDocumentParams) -> None:
    if server.document(params.text_document.uri) is not None:
        server.analysis.edited(params.text_document.uri, params.text_document.version)


def _saved(server: NkiLanguageServer, params: types.DidSaveTextDocumentParams) -> None:
    if server.document(params.text_document.uri) is not None:
        server.analysis.saved(params.text_document.uri)


def _closed(server: NkiLanguageServer, params: types.DidCloseTextDocumentParams) -> None:
    if server.document(params.text_document.uri) is not None:
        server.forget(server.analysis.closed(params.text_document.uri))


# --- notebooks ---


def _notebook_opened(server: NkiLanguageServer, params: types.DidOpenNotebookDocumentParams) -> None:
    notebook = params.notebook_document
    path = server.path(notebook.uri)
    if path is not None:
        server.analysis.opened(notebook.uri, f"{path}#0.py", notebook.version)


def _notebook_changed(server: NkiLanguageServer, params: types.DidChangeNotebookDocumentParams) -> None:
    notebook = params.notebook_document
    if server.document(notebook.uri) is not None:
        cells = params.change.cells
        if cells is not None and cells.structure is not None:
            server.forget_cells(cells.structure.did_close or [])
        server.analysis.edited(notebook.uri, notebook.version)


def _notebook_saved(server: NkiLanguageServer, params: types.DidSaveNotebookDocumentParams) -> None:
    if server.document(params.notebook_document.uri) is not None:
        server.analysis.saved(params.notebook_document.uri)


def _notebook_closed(server: NkiLanguageServer, params: types.DidCloseNotebookDocumentParams) -> None:
    if server.document(params.notebook_document.uri) is not None:
        server.forget_cells(params.cell_text_documents)
        server.forget(server.analysis.closed(params.notebook_document.uri))


# --- questions ---


def _placed(server: NkiLanguageServer, uri: str) -> tuple[Sheet | None, str, int]:
    """The notebook that a document is a cell of, the address of what is analysed, and the row at which the document
    begins there."""
    sheet = server.sheet(uri)
    return (None, uri, 0) if sheet is None or uri not in sheet.cells else (sheet, sheet.uri, sheet.first(uri))


async def _diagnostic(
    server: NkiLanguageServer, params: types.DocumentDiagnosticParams
) -> types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport:
    document = await server.analysis.settled(_placed(server, params.text_document.uri)[1])
    items = [] if document is None else server.diagnostics(document.path)
    sheet = server.sheet(params.text_document.uri)
    items = items if sheet is None else sheet.parts(items).get(params.text_document.uri, [])
    identity = result_id(items, server)
    if identity == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=identity)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=identity)


async def _hover(server: NkiLanguageServer, params: types.HoverParams) -> types.Hover | None:
    _, uri, first = _placed(server, params.text_document.uri)
    return moved(await hovers.hover(server, uri, moved(params.position, first)), -first)


def _code_lens(server: NkiLanguageServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    sheet, uri, first = _placed(server, params.text_document.uri)
    found = lenses.lenses(server, uri)
    if sheet is not None:
        found = [lens for lens in found if sheet.cell(lens.range.start.line) == params.text_document.uri]
    return moved(found, -first)


async def _inlay_hint(server: NkiLanguageServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    _, uri, first = _placed(server, params.text_document.uri)
    return moved(await inlays.inlays(server, uri, moved(params.range, first)), -first)


async def _code_action(server: NkiLanguageServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    sheet, uri, first = _placed(server, params.text_document.uri)
    if sheet is None:
        return await _actions(server, params)
    found = await _actions(server, attrs.evolve(moved(params, first), text_document=types.TextDocumentIdentifier(uri)))
    return [_in_cells(action, sheet, first) for action in found]


def _in_cells(action: types.CodeAction, sheet: Sheet, first: int) -> types.CodeAction:
    edit = None if action.edit is None else sheet.edit(action.edit)
    return attrs.evolve(moved(attrs.evolve(action, edit=None), -first), edit=edit)


async def _actions(server: NkiLanguageServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    plain = [*actions.actions(server, params), *migrating.offered(server, params)]
    return [*plain, *await actions.all_repairs(server, params)]


async def _resolved(server: NkiLanguageServer, action: types.CodeAction) -> types.CodeAction:
    found = await migrating.resolved(server, action)
    uri = action.data.get("migrate", "") if isinstance(action.data, dict) else ""
    sheet = server.sheet(uri)
    return found if sheet is None else _in_cells(found, sheet, 0)


def _open_rule(server: NkiLanguageServer, code: str) -> str:
    return actions.open_rule(server, code)


def _explain(server: NkiLanguageServer, uri: str, kernel: str) -> str | None:
    return lenses.explain(server, uri, kernel)


_NOTIFICATIONS: dict[str, Any] = {
    types.INITIALIZE: _initialize,
    types.INITIALIZED: _initialized,
    types.SHUTDOWN: _shutdown,
    types.EXIT: _exit,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: _configured,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: _watched,
    types.TEXT_DOCUMENT_DID_OPEN: _opened,
    types.TEXT_DOCUMENT_DID_CHANGE: _changed,
    types.TEXT_DOCUMENT_DID_SAVE: _saved,
    types.TEXT_DOCUMENT_DID_CLOSE: _closed,
    types.NOTEBOOK_DOCUMENT_DID_OPEN: _notebook_opened,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE: _notebook_changed,
    types.NOTEBOOK_DOCUMENT_DID_SAVE: _notebook_saved,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE: _notebook_closed,
}
