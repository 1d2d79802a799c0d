"""The action that migrates a file: offered where it helps, computed when it is chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from nkilint.migrate.alone import alone
from nkilint.migrate.source import Source
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


MANY = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
import numpy as np

SIZE = 512


# rows and columns of a tile
def grid():
    return nl.mgrid[0:128, 0:SIZE]


@nki.jit
def copied(x):
    output = nl.ndarray((128, SIZE), dtype=x.dtype, buffer=nl.shared_hbm)
    i, j = grid()
    nl.store(output[i, j], value=nl.load(x[i, j]))
    return output


@nki.jit
def other(x):
    return np.loose(x)


print(copied(np.zeros((128, SIZE))))
"""
ONE = """\
import nki
import nki.language as nl

SIZE = 512


@nki.jit
def copied(x):
    output = nl.ndarray((128, SIZE), dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(output[0:128, 0:SIZE], value=nl.load(x[0:128, 0:SIZE]))
    return output
"""
FILES = {"workspace": {"workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"]}}}


def alone_actions(editor: Editor, uri: str, row: int) -> list[dict[str, Any]]:
    place = {"line": row - 1, "character": 0}
    request = {"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}}
    found: list[dict[str, Any]] = editor.request("textDocument/codeAction", request)
    return [action for action in found if "alone" in action["title"]]


def test_one_kernel_of_several_goes_into_a_file_of_its_own(tmp_path: Path) -> None:
    text = MANY.replace("i, j = grid()", "i, j = nl.mgrid[0:128, 0:SIZE]")
    with Editor(tmp_path, FILES) as editor:
        uri = editor.open("many.py", text)
        editor.diagnostics(uri, lambda items: len(items) > 0)
        assert alone_actions(editor, uri, 1) == []  # in no kernel
        (action,) = alone_actions(editor, uri, 15)
        assert action["title"] == "Migrate `copied` alone to NKI 0.6, into a file of its own"
        made, written = editor.request("codeAction/resolve", action)["edit"]["documentChanges"]
        assert made == {"kind": "create", "uri": uri.replace("many.py", "many_copied.py")}
        assert written["textDocument"]["uri"] == made["uri"]
        assert [edit["newText"] for edit in written["edits"]] == [ONE]
        (tmp_path / "many_copied.py").write_text("mine")
        assert "edit" not in editor.request("codeAction/resolve", action)  # nothing is overwritten


def test_clients_that_make_no_files_are_offered_the_whole_file_only(editor: Editor) -> None:
    uri = editor.open("many.py", MANY)
    editor.diagnostics(uri, lambda items: len(items) > 0)
    assert alone_actions(editor, uri, 15) == []
    assert len(offered(editor, uri)) == 1


def test_a_kernel_alone_has_what_it_needs() -> None:
    found = alone(Source("many.py", MANY), "copied")
    assert found is not None
    assert "# rows and columns of a tile\ndef grid():" in found
    assert "SIZE = 512" in found
    assert "other" not in found
    assert "import numpy" not in found
    assert "print" not in found
    assert alone(Source("many.py", MANY), "grids") is None
