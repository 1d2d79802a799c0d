"""The actions that migrate a file: where it has kernels of `neuronxcc.nki`, and at findings about versions. What they
change is found out when they are chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from nkilint.fixes.edits import Fix
from nkilint.migrate.steps import VERSIONS
from nkilint_rules.migration.changed_signature import ChangedSignature
from nkilint_rules.migration.deprecated_api import DeprecatedApi
from nkilint_rules.migration.neuronxcc_namespace import NeuronxccNamespace
from nkilint_rules.migration.removed_api import RemovedApi
from nkilint_rules.operands.missing_destination import MissingDestination
from nkilint_rules.operands.unknown_api import UnknownApi
from nkilint_rules.words.dialects import BETA1

from .actions import changes, edit_of
from .findings import SOURCE
from .places import split_lines

if TYPE_CHECKING:
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
    quick = types.CodeActionKind.QuickFix
    for reported in params.context.diagnostics if not only or quick in only else ():
        if reported.source == SOURCE and reported.code in _CODES:
            yield types.CodeAction(title=TITLE, kind=quick, diagnostics=[reported], data=data)


async def resolved(server: NkiLanguageServer, action: types.CodeAction) -> types.CodeAction:
    """The action with what it changes; without, and with a message, where the file cannot be migrated."""
    data = action.data if isinstance(action.data, dict) else {}
    uri = data.get("migrate", "")
    document = server.document(uri)
    if document is None or document.version != data.get("version"):
        return action
    before = server.source(uri)
    answer = await server.analysis.migrated(uri, data.get("before", VERSIONS[0]))
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
