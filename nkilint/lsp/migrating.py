"""The action that migrates a file with kernels of `neuronxcc.nki`; what it changes is found out when it is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from nkilint.fixes.edits import Fix
from nkilint.migrate.steps import VERSIONS
from nkilint_rules.words.dialects import BETA1

from .actions import changes, edit_of
from .places import split_lines

if TYPE_CHECKING:
    from .server import NkiLanguageServer

MIGRATE = "refactor.rewrite.nkilint"
TITLE = f"Migrate the kernels of this file to NKI {VERSIONS[-1]}"


def offered(server: NkiLanguageServer, params: types.CodeActionParams) -> Iterator[types.CodeAction]:
    """The action, where a kernel of the old namespace is in the file."""
    only = params.context.only
    document = server.document(params.text_document.uri)
    if document is None or (only and not any(MIGRATE.startswith(kind) for kind in only)):
        return
    if any(kernel.dialect == BETA1 for kernel in document.kernels):
        yield types.CodeAction(title=TITLE, kind=MIGRATE, data={"migrate": document.uri, "version": document.version})


async def resolved(server: NkiLanguageServer, action: types.CodeAction) -> types.CodeAction:
    """The action with what it changes; without, and with a message, where the file cannot be migrated."""
    data = action.data if isinstance(action.data, dict) else {}
    uri = data.get("migrate", "")
    document = server.document(uri)
    if document is None or document.version != data.get("version"):
        return action
    before = server.source(uri)
    answer = await server.analysis.migrated(uri)
    if answer is None or server.document(uri) is not document or document.version != data["version"]:
        return action
    if answer["text"] is None:
        server.say(f"nkilint: not migrated: {answer['problem'] or 'there is nothing to change'}")
        return action
    fix = Fix(TITLE, tuple(changes(split_lines(before), split_lines(answer["text"]))))
    action.edit = edit_of(server, document, fix, split_lines(before))
    if answer["left"]:
        server.say(f"nkilint: {answer['left']} places are left to you, under comments")
    return action
