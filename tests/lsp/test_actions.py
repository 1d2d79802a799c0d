"""What the editor offers to do about a finding."""

from __future__ import annotations

from typing import Any

from ..support.lsp_client import Editor
from .documents import GRIDS, TILES, WIDE


def actions(editor: Editor, uri: str, diagnostic: Any) -> dict[str, Any]:
    params = {
        "textDocument": {"uri": uri},
        "range": diagnostic["range"],
        "context": {"diagnostics": [diagnostic], "only": ["quickfix"]},
    }
    return {action["title"]: action for action in editor.request("textDocument/codeAction", params)}


def edited(text: str, action: Any, uri: str) -> str:
    """`text` after the one edit of an action."""
    (edit,) = action["edit"]["changes"][uri]
    lines = text.split("\n")
    start, end = edit["range"]["start"], edit["range"]["end"]

    def offset(place: dict[str, int]) -> int:
        units = lines[place["line"]].encode("utf-16-le")[: 2 * place["character"]]
        return sum(len(line) + 1 for line in lines[: place["line"]]) + len(units.decode("utf-16-le"))

    return text[: offset(start)] + edit["newText"] + text[offset(end) :]


def test_a_finding_can_be_suppressed(editor: Editor) -> None:
    text = WIDE.replace("tile = nl", "_ = '🙂'; tile = nl")
    uri = editor.open("suppress.py", text)
    (found,) = editor.codes(uri, "NKI101")
    offered = actions(editor, uri, found)
    assert list(offered) == ["Suppress NKI101 on this line", "Open the page of NKI101"]
    changed = edited(text, offered["Suppress NKI101 on this line"], uri)
    assert "buffer=nl.sbuf)  # nkilint: ignore[NKI101]\n" in changed
    editor.change(uri, 2, changed)
    editor.codes(uri, version=2)


def test_the_page_of_a_rule_can_be_opened(editor: Editor) -> None:
    uri = editor.open("page.py", WIDE)
    (found,) = editor.codes(uri, "NKI101")
    command = actions(editor, uri, found)["Open the page of NKI101"]["command"]
    address = editor.request(
        "workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]}
    )
    assert address == found["codeDescription"]["href"]
    assert editor.wait("window/showMessage")["message"] == address


def test_a_repair_is_offered(editor: Editor) -> None:
    uri = editor.open("grids.py", GRIDS)
    found = editor.diagnostics(uri, lambda items: any(d["code"] == "NKI304" for d in items))
    repair = actions(editor, uri, next(d for d in found if d["code"] == "NKI304"))["Join the masks with `&`"]
    assert repair["isPreferred"]
    changed = edited(GRIDS, repair, uri)
    assert "mask=(i < rows) & (j < columns))\n" in changed
    editor.change(uri, 2, changed)
    editor.diagnostics(uri, lambda items: all(d["code"] != "NKI304" for d in items), version=2)


def test_the_assertion_of_the_contract_is_offered(editor: Editor) -> None:
    uri = editor.open("assert.py", TILES)
    found = editor.diagnostics(uri, lambda items: any(d["data"]["precondition"] == "rows <= 128" for d in items))
    condition = next(d for d in found if d["data"]["precondition"] == "rows <= 128")
    changed = edited(TILES, actions(editor, uri, condition)["Assert `rows <= 128`"], uri)
    assert "    rows, columns = x.shape\n    assert rows <= 128\n" in changed
    editor.change(uri, 2, changed)
    editor.save(uri)
    editor.diagnostics(uri, lambda items: all(d["data"]["precondition"] != "rows <= 128" for d in items), version=2)


# --- confirmation ---
