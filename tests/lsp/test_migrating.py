"""The action that migrates a file: offered where it helps, computed when it is chosen."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pygls")

from tests.support.lsp_client import Editor

from .documents import TILES

OLD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def copied(x):
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    nl.store(output[i, j], value=nl.load(x[i, j]))
    return output
"""
NEW = """\
import nki
import nki.language as nl


@nki.jit
def copied(x):
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output[0:128, 0:512], value=nl.load(x[0:128, 0:512]))
    return output
"""


def offered(editor: Editor, uri: str, *only: str) -> list[dict[str, Any]]:
    place = {"line": 5, "character": 4}
    context = {"diagnostics": [], **({"only": list(only)} if only else {})}
    found: list[dict[str, Any]] = editor.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": context},
    )
    return [action for action in found if action["kind"] == "refactor.rewrite.nkilint"]


def edited(text: str, edits: list[dict[str, Any]]) -> str:
    lines = text.splitlines(keepends=True)
    for edit in reversed(edits):  # whole lines, from the top
        start, end = edit["range"]["start"], edit["range"]["end"]
        assert start["character"] == end["character"] == 0
        lines[start["line"] : end["line"]] = edit["newText"].splitlines(keepends=True)
    return "".join(lines)


def test_a_file_of_the_old_namespace_is_migrated(editor: Editor) -> None:
    uri = editor.open("old.py", OLD)
    editor.diagnostics(uri, lambda items: len(items) > 0)
    (action,) = offered(editor, uri)
    assert action["title"] == "Migrate the kernels of this file to NKI 0.6"
    assert "edit" not in action
    resolved = editor.request("codeAction/resolve", action)
    assert edited(OLD, resolved["edit"]["changes"][uri]) == NEW


def test_it_is_offered_for_that_kind_alone(editor: Editor) -> None:
    uri = editor.open("kinds.py", OLD)
    editor.diagnostics(uri, lambda items: len(items) > 0)
    assert len(offered(editor, uri, "refactor")) == 1
    assert offered(editor, uri, "quickfix") == []


def test_it_is_not_offered_for_kernels_of_the_new_namespace(editor: Editor) -> None:
    uri = editor.open("new.py", TILES)
    editor.diagnostics(uri, lambda items: len(items) > 0)
    assert offered(editor, uri) == []


LATER = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def added(x):
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    nisa.dma_copy(dst=output, src=x)
    nisa.dma_copy(dst=output, src=x, dst_rmw_op=nl.add)
    return output
"""


def test_a_finding_about_versions_offers_the_migration(editor: Editor) -> None:
    uri = editor.open("later.py", LATER)
    found = editor.diagnostics(uri, lambda items: any(i["code"] == "NKI902" for i in items))
    (told,) = (i for i in found if i["code"] == "NKI902")
    actions = editor.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": uri}, "range": told["range"], "context": {"diagnostics": [told]}},
    )
    (action,) = (a for a in actions if a["title"].startswith("Migrate"))
    assert action["kind"] == "quickfix"
    assert action["diagnostics"] == [told]
    resolved = editor.request("codeAction/resolve", action)
    after = edited(LATER, resolved["edit"]["changes"][uri])
    assert "nisa.dma_compute(dst=output, srcs=[x, output], reduce_op=nl.add)" in after
    assert "dst_rmw_op" not in after
