"""The language server, driven by a client as an editor would: every feature, end to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nkilint.lsp.settings import Settings

from ..support.checking import check
from ..support.lsp_client import PUBLISH, Editor

WIDE = """\
import nki
import nki.language as nl


@nki.jit
def k(x):
    tile = nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)
"""
FINE = WIDE.replace("129", "128")
GRIDS = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def grids(x):
    rows, columns = x.shape
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    i, j = nl.mgrid[0:128, 0:512]
    tile = nl.load(x[i, j], mask=i < rows and j < columns)
    nl.store(output[i, j], value=tile)
    return output
"""
TILES = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def tiles(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=nl.float32, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, 512), dtype=nl.float32, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x[0:rows, 0:512])
    nisa.dma_copy(dst=output[0:rows, 0:512], src=tile)
    return output
"""
TWO_TILES = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def k(x):
    output = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.shared_hbm)
    small = nl.ndarray((128, 512), dtype=nl.float32, buffer=nl.sbuf)
    tile = nl.ndarray((128, COLUMNS), dtype=nl.float32, buffer=nl.sbuf)
    nisa.memset(small, 0.0)
    nisa.memset(tile, 0.0)
    nisa.dma_copy(dst=output, src=small)
    nisa.dma_copy(dst=output[:, 0:COLUMNS], src=tile)
    return output
"""
ERROR, WARNING = 1, 2
REFRESHES: dict[str, Any] = {
    "textDocument": {"diagnostic": {"dynamicRegistration": False}},
    "workspace": {"diagnostics": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}},
}


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One server for all tests that don't need their own; each uses files of its own."""
    with Editor(tmp_path_factory.mktemp("lsp")) as started:
        yield started


def position(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


def marked(text: str, diagnostic: Any) -> str:
    """The text under a diagnostic of one line, read as an editor counts."""
    start, end = diagnostic["range"]["start"], diagnostic["range"]["end"]
    assert start["line"] == end["line"]
    units = text.splitlines()[start["line"]].encode("utf-16-le")
    return units[2 * start["character"] : 2 * end["character"]].decode("utf-16-le")


# --- diagnostics ---


def test_findings_come_and_go(editor: Editor) -> None:
    uri = editor.open("come.py", WIDE)
    (found,) = editor.codes(uri, "NKI101", version=1)
    assert (found["severity"], found["source"]) == (ERROR, "nkilint")
    assert found["message"].startswith("tile [129, 4] spans 129 partitions; trn2 has 128\nhelp: ")
    assert (
        Path(found["codeDescription"]["href"].removeprefix("file://"))
        .read_text(encoding="utf-8")
        .startswith("# NKI101")
    )
    assert marked(WIDE, found) == "nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)"
    editor.change(uri, 2, FINE)
    assert editor.codes(uri, version=2) == []
    editor.change(uri, 3, WIDE)
    editor.codes(uri, "NKI101", version=3)
    editor.close(uri)
    editor.codes(uri)


def test_columns_are_those_of_the_editor(editor: Editor) -> None:
    text = WIDE.replace("tile = nl", "_ = '🙂𝔘é'; tile = nl")
    (found,) = editor.codes(editor.open("emoji.py", text), "NKI101")
    assert marked(text, found) == "nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)"


def test_edits_of_a_part_behind_an_emoji(editor: Editor) -> None:
    text = WIDE.replace("tile = nl", "_ = '🙂'; tile = nl")
    uri = editor.open("part.py", text)
    editor.codes(uri, "NKI101")
    column = text.splitlines()[6].index("129") + 1  # the emoji counts twice
    change = {"range": {"start": position(6, column), "end": position(6, column + 3)}, "text": "128"}
    editor.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [change]})
    editor.codes(uri, version=2)


def test_text_that_does_not_parse(editor: Editor) -> None:
    uri = editor.open("half.py", WIDE + "\n\ndef half(")
    (found,) = editor.codes(uri, "NKI001")
    assert found["range"]["start"]["line"] == 9
    editor.change(uri, 2, WIDE)
    editor.codes(uri, "NKI101", version=2)


def test_conditions_have_their_places(editor: Editor) -> None:
    uri = editor.open("tiles.py", TILES)
    found = editor.diagnostics(uri, lambda items: any(d["severity"] == WARNING for d in items))
    partitions = next(d for d in found if d["data"]["precondition"] == "rows <= 128")
    assert partitions["message"].splitlines()[0].endswith("unless `rows <= 128`")
    places = [r for d in found for r in d.get("relatedInformation", ())]
    assert all(r["location"]["uri"] == uri and r["message"] for r in places)


def test_a_document_that_was_not_saved_yet(tmp_path: Path) -> None:
    """It may import what is in the workspace, and places in it are named by its address."""
    (tmp_path / "helper.py").write_text("ROWS = 129\n", encoding="utf-8")
    text = (
        "import nki\nimport nki.language as nl\nfrom helper import ROWS\n\n\n@nki.jit\ndef kernel(x):\n"
        "    tile = nl.ndarray((ROWS, 4), dtype=x.dtype, buffer=nl.sbuf)\n    return tile\n"
    )
    with Editor(tmp_path) as editor:
        uri = "untitled:Untitled-1"
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        editor.notify("textDocument/didOpen", {"textDocument": document})
        found = editor.diagnostics(uri, lambda items: {d["code"] for d in items} >= {"NKI101", "NKI707"})
        addresses = {r["location"]["uri"] for d in found for r in d.get("relatedInformation") or ()}
        assert addresses == {uri}
        editor.change(uri, 2, text.replace("ROWS, 4", "ROWS - 1, 4"))
        editor.diagnostics(uri, lambda items: {d["code"] for d in items} == {"NKI707"}, version=2)
        editor.close(uri)
        editor.diagnostics(uri, lambda items: not items)
        assert [path.name for path in tmp_path.iterdir()] == ["helper.py"]


def test_unsaved_helper_modules_count(editor: Editor) -> None:
    helper = editor.open("sizes.py", "ROWS = 128\n")
    uri = editor.open("helped.py", WIDE.replace("129", "ROWS").replace("\n\n\n@", "\nfrom sizes import ROWS\n\n\n@"))
    editor.codes(uri)
    editor.change(helper, 2, "ROWS = 130\n")
    (found,) = editor.codes(uri, "NKI101")
    assert "130 partitions" in found["message"]
    editor.close(helper)
    editor.codes(uri)


def test_findings_in_a_helper_that_is_not_open(editor: Editor) -> None:
    (editor.folder / "making.py").write_text(
        "import nki.language as nl\n\n\ndef make(x):\n    return nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)\n",
        encoding="utf-8",
    )
    text = "import nki\nfrom making import make\n\n\n@nki.jit\ndef k(x):\n    return make(x)\n"
    uri = editor.open("makes.py", text)
    editor.codes(editor.uri("making.py"), "NKI101")
    editor.close(uri)
    editor.codes(editor.uri("making.py"))


def test_results_for_an_old_text_are_dropped(editor: Editor) -> None:
    uri = editor.open("fast.py", FINE)
    editor.codes(uri, version=1)
    for version in range(2, 30):
        editor.change(uri, version, WIDE.replace("129", str(200 + version)))
    editor.change(uri, 30, FINE)
    editor.codes(uri, version=30)
    editor.save(uri)
    editor.codes(uri, version=30)
    later = [m["params"] for m in editor.heard if m.get("method") == PUBLISH and m["params"]["uri"] == uri]
    versions = [params["version"] for params in later]
    assert versions == sorted(versions)


def test_a_long_file(editor: Editor) -> None:
    body = "".join(FINE[FINE.index("@nki") :].replace("def k", f"def k{i}") + "\n\n" for i in range(400))
    text = FINE[: FINE.index("@nki")] + body
    assert text.count("\n") > 2_000
    uri = editor.open("long.py", text)
    editor.codes(uri, version=1)
    editor.change(uri, 2, text.replace("(128, 4)", "(130, 4)", 1))
    (found,) = editor.codes(uri, "NKI101", version=2)
    assert found["data"]["kernel"] == "k0"
    editor.close(uri)


# --- questions ---


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

GARBAGE = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl


@nki.jit
def k(x):
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    return output
"""


def said(found: list[Any]) -> bool:
    return any("confirmed by the reference simulator" in d["message"] for d in found)


def test_what_is_saved_is_run_in_the_simulator(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        uri = editor.open("k.py", GARBAGE)
        (found,) = editor.codes(uri, "NKI702")
        assert not said([found])
        editor.save(uri)
        (found,) = editor.diagnostics(uri, said, version=1)
        assert (found["code"], found["severity"]) == ("NKI702", ERROR)
        assert found["message"].splitlines()[-1].startswith("witness: x=")
        editor.change(uri, 2, GARBAGE.replace("128", "64"))
        editor.diagnostics(uri, lambda items: bool(items) and not said(items), version=2)
        editor.save(uri)
        editor.diagnostics(uri, said, version=2)


def test_confirmations_of_an_old_text_are_dropped(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        uri = editor.open("k.py", GARBAGE)
        editor.codes(uri, "NKI702")
        editor.save(uri)
        editor.change(uri, 2, FINE)
        editor.codes(uri, version=2)
        editor.change(uri, 3, GARBAGE)
        editor.codes(uri, "NKI702", version=3)
        editor.save(uri)
        editor.diagnostics(uri, said, version=3)
        published = [m["params"] for m in editor.heard if m.get("method") == PUBLISH]
        assert all(params["version"] == 3 or not said(params["diagnostics"]) for params in published)


def test_confirmation_can_be_switched_off(tmp_path: Path) -> None:
    with Editor(tmp_path, options={"confirm": False}) as editor:
        uri = editor.open("k.py", GARBAGE)
        editor.codes(uri, "NKI702")
        editor.save(uri)
        editor.notify("workspace/didChangeConfiguration", {"settings": {"confirm": False, "ignore": ["NKI702"]}})
        editor.codes(uri)
        assert not any(said(m["params"]["diagnostics"]) for m in editor.heard if m.get("method") == PUBLISH)
        editor.notify("workspace/didChangeConfiguration", {"settings": {}})
        editor.diagnostics(uri, said)


def test_nothing_is_run_in_a_folder_that_is_not_trusted(tmp_path: Path) -> None:
    settings = Settings()
    assert settings.options(str(tmp_path / "k.py"))[0].confirm == "sandboxed"
    assert settings.change({"trusted": False}) == []
    assert settings.change({"confirm": True}) == []
    assert not settings.options(str(tmp_path / "k.py"))[0].confirm
    assert settings.change({"trusted": True}) == []
    assert settings.options(str(tmp_path / "k.py"))[0].confirm is True


# --- clients and configurations ---


def test_a_client_that_asks_is_not_told(tmp_path: Path) -> None:
    with Editor(tmp_path, REFRESHES) as editor:
        assert editor.capabilities["diagnosticProvider"]["interFileDependencies"]
        uri = editor.open("k.py", WIDE)
        ask = {"textDocument": {"uri": uri}}
        first = editor.request("textDocument/diagnostic", ask)
        assert (first["kind"], [d["code"] for d in first["items"]]) == ("full", ["NKI101"])
        editor.wait("workspace/diagnostic/refresh")
        second = editor.request("textDocument/diagnostic", {**ask, "previousResultId": first["resultId"]})
        assert (second["kind"], second["resultId"]) == ("unchanged", first["resultId"])
        editor.change(uri, 2, FINE)
        third = editor.request("textDocument/diagnostic", {**ask, "previousResultId": first["resultId"]})
        assert (third["kind"], third["items"]) == ("full", [])
        assert all(m.get("method") != PUBLISH for m in editor.heard)


def test_configuration_of_file_and_editor(tmp_path: Path) -> None:
    text = FINE.replace("(128, 4)", "(128, 4)").replace("tile = nl", "nl.unheard_of(x)\n    tile = nl")
    (tmp_path / "nkilint.toml").write_text('ignore = ["NKI208"]\n', encoding="utf-8")
    with Editor(tmp_path, options={"tagret": "trn1", "target": "trn1", "nonsense": None}) as editor:
        uri = editor.open("k.py", WIDE)
        (found,) = editor.codes(uri, "NKI101")
        assert "trn1 has 128" in found["message"]
        settings = {"nkilint": {"target": "trn3", "ignore": ["NKI101"], "proofs": "onSave"}}
        editor.notify("workspace/didChangeConfiguration", {"settings": settings})
        editor.codes(uri)
        editor.notify("workspace/didChangeConfiguration", {"settings": {"target": "trn9"}})
        assert "unknown target `trn9`" in editor.wait("window/logMessage")["message"]
        editor.codes(uri, "NKI101")
        editor.change(uri, 2, text)
        editor.codes(uri, version=2)
        (tmp_path / "nkilint.toml").write_text("\nignore = 3\n", encoding="utf-8")
        changes = [{"uri": editor.uri("nkilint.toml"), "type": 2}]
        editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        (wrong,) = editor.codes(editor.uri("nkilint.toml"), "NKI004")
        assert (wrong["message"], wrong["range"]["start"]["line"]) == ("`ignore` takes a list of strings", 1)
        (tmp_path / "nkilint.toml").write_text("", encoding="utf-8")
        editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        assert editor.codes(editor.uri("nkilint.toml")) == []


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs a list of a process's children")
def test_a_dead_analysis_is_replaced(tmp_path: Path) -> None:
    with Editor(tmp_path) as editor:
        uri = editor.open("k.py", WIDE)
        editor.codes(uri, "NKI101")
        task = Path(f"/proc/{editor.process.pid}/task/{editor.process.pid}/children")
        children = [int(pid) for pid in task.read_text(encoding="utf-8").split()]
        assert children
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        editor.change(uri, 2, FINE)
        editor.save(uri)
        version = 2
        while True:
            params = editor.wait(PUBLISH) if version > 4 else None
            if params is not None:
                assert params["diagnostics"] == []
                break
            version += 1
            editor.change(uri, version, FINE)


def test_it_ends_with_its_client(tmp_path: Path) -> None:
    editor = Editor(tmp_path)
    assert editor.process.stdin
    editor.process.stdin.close()
    editor.process.wait(30)
    assert editor.process.stdout
    assert editor.process.stderr
    editor.process.stdout.close()
    editor.process.stderr.close()


def test_without_its_packages_it_says_so(root: Path) -> None:
    script = "import sys\nsys.modules['pygls'] = None\nfrom nkilint.cli import main\nsys.exit(main(['lsp']))\n"
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={"PYTHONPATH": f"{root}:{root / 'rules'}"}
    )
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        "nkilint: the language server needs more packages: install nkilint with its extra `lsp`, "
        "as with pip install '.[lsp]'\n"
    )


def test_a_hasty_analysis_leaves_out_questions_about_whole_traces() -> None:
    carried = """
        state = nl.zeros((128, 512), dtype=nl.float32, buffer=nl.sbuf)
        for i in nl.affine_range(4):
            state[...] = nl.exp(state)
        wide = nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)
        nl.store(output[0:128, 0:512], value=state)
        """
    check(carried, "NKI601", "NKI101")
    check(carried, "NKI101", whole_traces=False)
