"""The actions that migrate a file, where it has kernels of `neuronxcc.nki` and at findings about versions, or one of
its kernels into a file of its own. What they change is found out when they are chosen."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from lsprotocol import types

from nkilint.fixes.edits import Fix
from nkilint.migrate.source import Source
from nkilint.migrate.steps import VERSIONS
from nkilint_rules.migration.changed_signature import ChangedSignature
from nkilint_rules.migration.deprecated_api import DeprecatedApi
from nkilint_rules.migration.neuronxcc_namespace import NeuronxccNamespace
from nkilint_rules.migration.removed_api import RemovedApi
from nkilint_rules.operands.missing_destination import MissingDestination
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.words.dialects import BETA1

from .actions import changes, edit_of
from .findings import SOURCE, uri_of
from .places import split_lines

if TYPE_CHECKING:
    from .documents import Document
    from .server import NkiLanguageServer

MIGRATE = "refactor.rewrite.nkilint"
TITLE = f"Migrate the kernels of this file to NKI {VERSIONS[-1]}"
_FIRST = VERSIONS[1]  # of `nki`
_CODES = frozenset(
    rule.code
    for rule in (NeuronxccNamespace, RemovedApi, ChangedSignature, DeprecatedApi, UnknownApi, MissingDestination)
)
"""Rules about what an earlier version took and a later one does not."""


def offered(server: NkiLanguageServer, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    """The action, where a kernel of the old namespace is in the file; and one at each finding about versions."""
    only = params.context.only
    document = server.document(params.text_document.uri)
    if document is None:
        return
    old = any(kernel.dialect == BETA1 for kernel in document.kernels)
    data = {"migrate": document.uri, "version": document.version, "before": VERSIONS[0] if old else _FIRST}
    if old and (not only or any(MIGRATE.startswith(kind) for kind in only)):
        yield types.CodeAction(title=TITLE, kind=MIGRATE, data=data)
        for name in _kernel_at(server, document, params.range.start.line + 1):
            title = f"Migrate `{name}` alone to NKI {VERSIONS[-1]}, into a file of its own"
            yield types.CodeAction(title=title, kind=MIGRATE, data={**data, "kernel": name})
    quick = types.CodeActionKind.QuickFix
    for reported in params.context.diagnostics if not only or quick in only else ():
        if reported.source == SOURCE and reported.code in _CODES:
            yield types.CodeAction(title=TITLE, kind=quick, diagnostics=[reported], data=data)


def _kernel_at(server: NkiLanguageServer, document: Document, row: int) -> Iterator[str]:
    """The kernel of the old namespace that a row is in, where the file has others and the client can make files."""
    workspace = server.client_capabilities.workspace
    edits = workspace.workspace_edit if workspace else None
    if edits is None or types.ResourceOperationKind.Create not in (edits.resource_operations or ()):
        return
    if len(document.kernels) < 2 or server.sheet(document.uri) is not None:
        return
    with suppress(SyntaxError, ValueError, RecursionError):
        name = Source(document.path, server.source(document.uri)).owner(row)
        if any(k.name == name and k.dialect == BETA1 for k in document.kernels):
            yield name


async def resolved(server: NkiLanguageServer, action: types.CodeAction) -> types.CodeAction:
    """The action with what it changes; without, and with a message, where the file cannot be migrated."""
    data = action.data if isinstance(action.data, dict) else {}
    uri = data.get("migrate", "")
    document = server.document(uri)
    if document is None or document.version != data.get("version"):
        return action
    before, kernel = server.source(uri), data.get("kernel", "")
    target = f"{os.path.splitext(document.path)[0]}_{kernel}.py" if kernel else ""
    if target and os.path.lexists(target):
        server.say(f"nkilint: not migrated: there is a file {os.path.basename(target)} already")
        return action
    answer = await server.analysis.migrated(uri, data.get("before", VERSIONS[0]), kernel, target)
    if answer is None or server.document(uri) is not document or document.version != data["version"]:
        return action
    if answer["text"] is None:
        server.say(f"nkilint: not migrated: {answer['problem'] or 'there is nothing to change'}")
        return action
    if kernel:
        action.edit = _new_file(target, answer["text"])
    else:
        fix = Fix(TITLE, tuple(changes(split_lines(before), split_lines(answer["text"]))))
        action.edit = edit_of(server, document, fix, split_lines(before))
    if answer["left"]:
        server.say(f"nkilint: {answer['left']} places are left to you, under comments")
    return action


def _new_file(path: str, text: str) -> types.WorkspaceEdit:
    """The edit that makes a file of a text."""
    uri, start = uri_of(path), types.Position(0, 0)
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=None)
    written = types.TextDocumentEdit(identifier, [types.TextEdit(types.Range(start, start), text)])
    return types.WorkspaceEdit(document_changes=[types.CreateFile(uri=uri), written])
