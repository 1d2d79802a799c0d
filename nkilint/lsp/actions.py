"""What can be done about a finding: repair it, silence it, read about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from lsprotocol import types

from nkilint.base.findings import Diagnostic
from nkilint.base.ir import Span
from nkilint.fixes.edits import Edit, Fix
from nkilint.fixes.proposing import fixes_for
from nkilint.fixes.suppressions import suppress_here
from nkilint_rules.tool import syntax_error
from nkilint_rules.tool.unused_suppression import UnusedSuppression

from .findings import SOURCE
from .places import editor_range, shown_range, split_lines

UNSILENCED = frozenset({syntax_error.SyntaxError.code, UnusedSuppression.code})  # what no comment can silence

if TYPE_CHECKING:
    from .documents import Document
    from .server import NkiLanguageServer

OPEN_RULE = "nkilint.openRule"
FIX_ALL = "source.fixAll.nkilint"
_QUICK = types.CodeActionKind.QuickFix


def actions(server: NkiLanguageServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """The actions for the findings that touch the range asked about."""
    only = params.context.only
    document = server.document(params.text_document.uri)
    if document is None or (only and not any(_QUICK.value.startswith(kind) for kind in only)):
        return []
    if document.result is None or document.result.version != document.version:
        return []  # where the findings stand now is not known yet
    lines = split_lines(server.source(document.uri))
    found: list[types.CodeAction] = []
    for finding in server.found(document.path):
        place = shown_range(finding.at, lines, server.workspace.position_codec)
        if _touch(place, params.range):
            reported = [d for d in params.context.diagnostics if _is_same(d, finding, place)]
            found += _for(server, document, finding, lines, reported)
    return found


def _for(
    server: NkiLanguageServer,
    document: Document,
    finding: Diagnostic,
    lines: Sequence[str],
    reported: list[types.Diagnostic],
) -> Iterator[types.CodeAction]:
    for number, fix in enumerate(fixes_for(finding, document.kernels, lines)):
        yield _edit(server, document, fix, lines, reported, preferred=fix.safe and number == 0)
    silence = suppress_here(finding, lines) if finding.code not in UNSILENCED else None
    if silence is not None:
        yield _edit(server, document, silence, lines, reported, preferred=False)
    yield types.CodeAction(
        title=f"Open the page of {finding.code}",
        kind=_QUICK,
        diagnostics=reported or None,
        command=types.Command(title="Open the page", command=OPEN_RULE, arguments=[finding.code]),
    )


def _edit(
    server: NkiLanguageServer,
    document: Document,
    fix: Fix,
    lines: Sequence[str],
    reported: list[types.Diagnostic],
    *,
    preferred: bool,
) -> types.CodeAction:
    title = fix.title[:1].upper() + fix.title[1:]
    change = edit_of(server, document, fix, lines)
    return types.CodeAction(
        title=title, kind=_QUICK, diagnostics=reported or None, is_preferred=preferred or None, edit=change
    )


def edit_of(server: NkiLanguageServer, document: Document, fix: Fix, lines: Sequence[str]) -> types.WorkspaceEdit:
    """The changes of a repair as the client takes them."""
    codec = server.workspace.position_codec
    edits = [
        types.TextEdit(
            range=editor_range(Span("", e.row, e.column, e.end_row, e.end_column), lines, codec), new_text=e.text
        )
        for e in fix.edits
    ]
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri=document.uri, version=document.version)
    workspace = server.client_capabilities.workspace
    if workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes:
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(identifier, list(edits))])
    return types.WorkspaceEdit(changes={document.uri: edits})


async def all_repairs(server: NkiLanguageServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    """All certain repairs at once, where a client asks for just that, as editors do when they save."""
    document = server.document(params.text_document.uri)
    if document is None or not any(FIX_ALL.startswith(kind) for kind in params.context.only or ()):
        return []
    version, before = document.version, server.source(document.uri)
    after = await server.analysis.fixed(document.uri)
    if after is None or server.document(document.uri) is not document or document.version != version:
        return []  # nothing is to be done, or to another text
    fix = Fix("make all certain repairs", tuple(changes(split_lines(before), split_lines(after))))
    action = _edit(server, document, fix, split_lines(before), [], preferred=False)
    action.kind = FIX_ALL
    return [action]


def changes(before: Sequence[str], after: Sequence[str]) -> Iterator[Edit]:
    """What makes one text the other, line by line."""
    for what, start, end, new, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what != "equal":
            yield _change(before, start, end, after[new:new_end])


def _change(before: Sequence[str], start: int, end: int, new: Sequence[str]) -> Edit:
    text = "".join(f"{line}\n" for line in new)
    if end < len(before):
        return Edit(start + 1, 1, end + 1, 1, text)
    row, column = (start, len(before[start - 1]) + 1) if start else (1, 1)  # the last line has no end to take away
    return Edit(
        row, column, len(before), len(before[-1]) + 1, ("\n" if start and new else "") + text.removesuffix("\n")
    )


def _touch(one: types.Range, other: types.Range) -> bool:
    return _key(one.start) <= _key(other.end) and _key(other.start) <= _key(one.end)


def _key(position: types.Position) -> tuple[int, int]:
    return position.line, position.character


def _is_same(reported: types.Diagnostic, finding: Diagnostic, place: types.Range) -> bool:
    return reported.source == SOURCE and reported.code == finding.code and reported.range == place


def open_rule(server: NkiLanguageServer, code: str) -> str:
    """Show the page of a rule, and give its address."""
    address = server.pages.address(code)
    server.show(address)
    return address
