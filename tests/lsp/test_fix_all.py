"""`source.fixAll`: what an editor asks for when it saves."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pygls")

from nkilint.fixes.edits import applied
from nkilint.lsp.actions import changes
from tests.support.lsp_client import Editor

from .documents import TILES
from .test_actions import edited


def all_repairs(editor: Editor, uri: str, text: str, kind: str) -> list[dict[str, Any]]:
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n"), "character": 0}}
    context = {"diagnostics": [], "only": [kind]}
    found: list[dict[str, Any]] = editor.request(
        "textDocument/codeAction", {"textDocument": {"uri": uri}, "range": whole, "context": context}
    )
    return found


@pytest.mark.parametrize("kind", ["source.fixAll", "source.fixAll.nkilint"])
def test_all_certain_repairs_are_one_action(editor: Editor, kind: str) -> None:
    uri = editor.open("all.py", TILES)
    editor.diagnostics(uri, lambda items: any(d["data"]["precondition"] == "rows <= 128" for d in items))
    (action,) = all_repairs(editor, uri, TILES, kind)
    assert action["kind"] == "source.fixAll.nkilint"
    changed = edited(TILES, action, uri)
    assert "    assert rows <= 128\n" in changed
    editor.change(uri, 2, changed)
    editor.diagnostics(uri, lambda items: all(d["data"]["precondition"] != "rows <= 128" for d in items), version=2)
    assert all_repairs(editor, uri, changed, kind) == []


def test_they_are_not_made_where_others_are_asked_for(editor: Editor) -> None:
    uri = editor.open("others.py", TILES)
    assert all_repairs(editor, uri, TILES, "source.organizeImports") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nc\n"),
        ("a\nb\n", "x\na\nb\ny\n"),
        ("a\nb", "a"),
        ("a", "a\nb"),
        ("a\nb", "c"),
        ("", "a\n"),
        ("a\n", ""),
        ("a\nb\nc\nd", "b\nx\nd\ne"),
    ],
)
def test_changes_lead_from_one_text_to_the_other(before: str, after: str) -> None:
    assert applied(changes(before.split("\n"), after.split("\n")), before) == after
