"""The language server, driven by a client as an editor would: findings, documents, configuration, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ..support.checking import check
from ..support.lsp_client import PUBLISH, Editor
from .documents import ERROR, FINE, TILES, WARNING, WIDE, marked, position


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
