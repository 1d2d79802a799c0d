"""Hovers, lenses, and shapes beside names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ..support.lsp_client import PUBLISH, Editor
from .documents import TILES, TWO_TILES, WIDE, position


def hover(editor: Editor, uri: str, line: int, character: int) -> Any:
    return editor.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position(line, character)})


def test_hover_on_a_code_shows_its_page(editor: Editor) -> None:
    line = "    '🙂'; " + WIDE.splitlines()[6].strip() + "  # noqa: NKI101"
    uri = editor.open("codes.py", WIDE.replace(WIDE.splitlines()[6], line))
    editor.codes(uri)
    shown = hover(editor, uri, 6, line.index("NKI101") + 3)
    assert shown["contents"]["value"].startswith("# NKI101 partition-limit\n")
    assert shown["range"]["start"] == position(6, line.index("NKI101") + 1)
    assert hover(editor, uri, 1, 0) is None


def test_hover_on_a_kernel_shows_its_contract(editor: Editor) -> None:
    uri = editor.open("contract.py", TILES)
    editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    while not (shown := hover(editor, uri, 6, 5)):
        editor.wait(PUBLISH, lambda params: params["uri"] == uri)
    assert shown["contents"]["value"].startswith("**tiles** is *conditional* — ")
    assert "\n\nProved for all inputs with:\n\n" in shown["contents"]["value"]
    assert "- `rows <= 128`" in shown["contents"]["value"]


@pytest.mark.parametrize(
    ("line", "word", "text"),
    [
        (7, "columns", "`columns`, at least 1"),
        (8, "output", "`float32[rows, columns]` in HBM"),
        (9, "tile", "`float32[rows, 512]` in SBUF\n\n`rows` partitions, `2048` bytes in each"),
        (10, "x[0:rows", None),
        (10, "dst", "`float32[rows, 512]` in SBUF\n\n`rows` partitions, `2048` bytes in each"),
        (10, "dma_copy", ""),
        (6, "x", "`x.dtype[rows, columns]` in HBM"),
        (1, "nisa", None),
    ],
)
def test_hover_on_an_expression_shows_its_value(editor: Editor, line: int, word: str, text: str | None) -> None:
    if not (editor.folder / "values.py").exists():
        editor.open("values.py", TILES)
    column = TILES.splitlines()[line].index(word)
    shown = hover(editor, editor.uri("values.py"), line, column)
    if text == "" or (text is None and word == "nisa"):
        assert shown is None
    elif text is not None:
        assert shown["contents"]["value"] == text
        place = TILES.splitlines()[line].index("tile") if word == "dst" else column
        assert shown["range"]["start"] == position(line, place)


def lenses_of(editor: Editor, uri: str) -> list[Any]:
    """The lenses of a file, once there are some."""
    while not (found := editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}})):
        editor.wait(PUBLISH, lambda params: params["uri"] == uri)
    return list(found)


def test_lenses_and_explanations(editor: Editor) -> None:
    uri = editor.open("lens.py", WIDE)
    editor.codes(uri, "NKI101")
    (lens,) = lenses_of(editor, uri)
    assert lens["range"]["start"] == position(5, 4)
    assert lens["command"]["title"] == "violated · 1 obligation: 1 violated"
    command = {"command": lens["command"]["command"], "arguments": lens["command"]["arguments"]}
    assert "1 obligation: 1 violated" in editor.request("workspace/executeCommand", command)
    shown = editor.wait("window/showMessage")["message"]
    assert "# k\n" in Path(shown.removeprefix("file://")).read_text(encoding="utf-8")
    editor.change(uri, 2, "\n" + WIDE)
    assert editor.request("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []


@pytest.mark.parametrize(
    ("columns", "shown"), [("128", "SBUF 2.5/224 KiB"), ("x.shape[1]", "SBUF 4/224 KiB for x.shape[1]=512")]
)
def test_lenses_show_what_is_on_chip(editor: Editor, columns: str, shown: str) -> None:
    """Two tiles that are alive together, one of them as large as the input says."""
    uri = editor.open(f"chip{len(columns)}.py", TWO_TILES.replace("COLUMNS", columns))
    (lens,) = lenses_of(editor, uri)
    assert lens["command"]["title"].split(" · ")[-1] == shown
    assert f"On chip at most, in a partition: {shown}" in hover(editor, uri, 6, 5)["contents"]["value"]
    command = {"command": lens["command"]["command"], "arguments": lens["command"]["arguments"]}
    drawn = editor.request("workspace/executeCommand", command)
    assert "\nSBUF: 229376 bytes in each partition\n" in drawn
    assert "A small (line 9): 1 tile of 2048 bytes, placed by the compiler" in drawn


def test_shapes_stand_beside_names_when_asked_for(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        text = TILES.replace("    tile = nl", "    '🙂'; tile = nl")
        uri = editor.open("shapes.py", text)
        ask = {"textDocument": {"uri": uri}, "range": {"start": position(0, 0), "end": position(12, 0)}}
        assert editor.request("textDocument/inlayHint", ask) == []
        editor.notify("workspace/didChangeConfiguration", {"settings": {"inlayHints": 1}})
        assert "`inlayHints` takes true or false" in editor.wait("window/logMessage")["message"]
        editor.notify("workspace/didChangeConfiguration", {"settings": {"inlayHints": True}})
        hints = editor.request("textDocument/inlayHint", ask)
        column = text.splitlines()[9].index("tile") + len("tile") + 1
        assert [(h["label"], h["position"]) for h in hints] == [
            (": float32[rows, columns] @ hbm", position(8, len("    output"))),
            (": float32[rows, 512] @ sbuf", position(9, column)),
        ]
        ask["range"]["end"] = position(8, 0)
        assert [h["position"]["line"] for h in editor.request("textDocument/inlayHint", ask)] == [8]


# --- actions ---
