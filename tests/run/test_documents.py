"""Documents checked and repaired from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nkilint.cli import main

pytestmark = pytest.mark.usefixtures("in_tmp_path")

COPY = """\
@nki.jit
def copied(a):
    rows, columns = a.shape
    out = nl.ndarray((rows, columns), dtype=a.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=a.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=a)
    nisa.dma_copy(dst=out, src=tile)
    return out
"""
MARKDOWN = f"# A guide\n\nA copy:\n\n```python\n{COPY}```\n\nThe end.\n"
RST = "A copy\n======\n\n.. code-block:: python\n   :linenos:\n\n" + "".join(f"  {line}\n" for line in COPY.split("\n"))
IMPORTS = ["import nki\n", "import nki.isa as nisa\n", "import nki.language as nl\n"]


def notebook() -> str:
    code = ({"cell_type": "code", "metadata": {}, "outputs": [], "source": s} for s in (IMPORTS, COPY.splitlines(True)))
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "# é"}, *code], "nbformat": 4}, indent=1) + "\n"


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    main(["check", "--no-cache", "--no-confirm", "--output-format", "json", *arguments])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_folder_of_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text(MARKDOWN)
    (docs / "b.rst").write_text(RST)
    (docs / "c.ipynb").write_text(notebook())
    (docs / "d.md").write_text("```python\nprint(1)\n```\n")
    report = found(capsys, "docs")
    places = [(d["code"], d["filename"], *d["location"].values()) for d in report["diagnostics"]]
    assert places == [
        ("NKI101", "docs/a.md", 10, 12),
        ("NKI101", "docs/b.rst", 11, 14),
        ("NKI101", "docs/c.ipynb:cell 3", 5, 12),
    ]
    assert [(k["filename"], k["name"], k["verdict"]) for k in report["kernels"]] == [
        ("docs/a.md", "copied", "conditional"),
        ("docs/b.rst", "copied", "conditional"),
        ("docs/c.ipynb:cell 3", "copied", "conditional"),
    ]
    assert report["summary"]["files"] == 3


def test_excerpts_show_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.rst").write_text(RST)
    (tmp_path / "c.ipynb").write_text(notebook())
    main(["check", "--no-cache", "."])
    shown = capsys.readouterr().out
    assert "11 |       tile = nl.ndarray((rows, columns), dtype=a.dtype, buffer=nl.sbuf)\n" in shown
    assert "c.ipynb:cell 3:5:12: NKI101 warning" in shown
    assert shown.count("confirmed by the reference simulator") == 2


def test_repairs_are_written_into_the_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = {"a.md": MARKDOWN, "b.rst": RST.replace("\n", "\r\n"), "c.ipynb": notebook()}
    for name, text in whole.items():
        (tmp_path / name).write_bytes(text.encode())
    assert main(["check", "--no-cache", "--diff-only", "."]) == 1
    assert capsys.readouterr().out.count("assert rows <= 128") == 3
    main(["check", "--no-cache", "--fix", "."])
    assert found(capsys, ".")["diagnostics"] == []
    for name, text in whole.items():
        old, new = text.splitlines(keepends=True), (tmp_path / name).read_bytes().decode().splitlines(keepends=True)
        added = [line for line in new if "assert rows <= 128" in line]
        assert len(added) == 1
        assert [line for line in new if line not in added] == old
    assert b"      assert rows <= 128\r\n" in (tmp_path / "b.rst").read_bytes()


def test_a_comment_silences_a_line_of_a_snippet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN.replace("buffer=nl.sbuf)", "buffer=nl.sbuf)  # noqa: NKI101"))
    assert found(capsys, "a.md")["diagnostics"] == []


def test_fragments_are_not_blamed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pieces = [
        "tile = nl.load(tile)\nout = nl.ndarray((300, 4), dtype=tile.dtype, buffer=nl.sbuf)\n",
        "@nki.jit\ndef part(a):\n    tile = nl.ndarray((300, 4), dtype=a.dtype, buffer=nl.sbuf)\n    ...\n",
        "@nki.jit\ndef helped(a):\n    return helper(a, SIZE)\n",
        "def body(i):\n    nisa.dma_copy(dst=a[i], src=b[i])\n",
        "x = f(nl\n",
    ]
    (tmp_path / "a.md").write_text("\n".join(f"\n```python\n{piece}```" for piece in pieces))
    report = found(capsys, "a.md")
    assert (report["diagnostics"], report["kernels"]) == ([], [])


def test_what_a_fragment_shows_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = "@nki.jit\ndef helped(a):\n    tile = nl.ndarray((300, 4), dtype=a.dtype, buffer=nl.sbuf)\n"
    (tmp_path / "a.md").write_text(f"\n```python\n{kernel}    return helper(tile)\n```\n")
    assert [d["code"] for d in found(capsys, "a.md")["diagnostics"]] == ["NKI101"]


def test_documents_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.ipynb").write_text("nki")
    (tmp_path / "b.md").write_text("\n```python\nimport nki\ndef f(a):\nreturn a\n```\n")
    assert main(["check", "--no-cache", "--output-format", "concise", "."]) == 2
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("a.ipynb:1:1: NKI001 the file is no notebook")
    assert second.startswith("b.md:5:1: NKI001 expected an indented block")


def test_documents_are_excluded_and_configured_by_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).write_text(MARKDOWN)
    settings = '[tool.nkilint]\nexclude = ["a.md"]\n[tool.nkilint.per-file-ignores]\n"b.md" = ["NKI101"]\n'
    (tmp_path / "pyproject.toml").write_text(
        settings + '[tool.nkilint.kernels]\n"c.md::copied" = "a: float32[64, 64]"\n'
    )
    assert found(capsys, ".")["diagnostics"] == []


@pytest.mark.parametrize("output_format", ["sarif", "github", "gitlab"])
def test_tools_get_the_path_of_a_notebook(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], output_format: str
) -> None:
    (tmp_path / "c.ipynb").write_text(notebook())
    main(["check", "--no-cache", "--no-confirm", "--output-format", output_format, "."])
    shown = capsys.readouterr().out
    assert "c.ipynb" in shown
    assert "cell 3" not in shown


def test_a_kernel_of_a_document_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN)
    assert main(["explain", "a.md::copied"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("a.md::copied (line 7, nki): conditional\n")
    assert "with x" not in shown
    assert "confirmed by the reference simulator" in shown
