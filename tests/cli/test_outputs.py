"""Which formats go where on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nkilint.cli import main, outputs
from nkilint.report.formats import IN_PARTS

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def k(x):
    tile = nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst=tile, value=0.0)
    return x
"""
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.py").write_text(KERNEL, encoding="utf-8")
    return tmp_path


def test_several_at_once(folder: Path, capsys: Streams) -> None:
    arguments = ["--output-format", "concise", "--output-format", "json", "--output-file", "r.json"]
    assert main([*arguments, "--output-format", "sarif", "--output-file", "r.sarif", "k.py"]) == 1
    assert capsys.readouterr().out.startswith("k.py:8:12: NKI101 ")
    assert json.loads((folder / "r.json").read_text(encoding="utf-8"))["version"] == 1
    assert json.loads((folder / "r.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"


def test_a_file_belongs_to_the_format_beside_it(folder: Path, capsys: Streams) -> None:
    for arguments in (
        ["--output-format", "concise", "--output-file", "out"],
        ["--output-file", "out", "--output-format", "concise"],
    ):
        assert main([*arguments, "k.py"]) == 1
        assert (folder / "out").read_text(encoding="utf-8").startswith("k.py:8:12: NKI101 ")
        (folder / "out").unlink()
    assert main(["--output-file", "out", "k.py"]) == 1
    assert "8 |     tile = nl.ndarray(" in (folder / "out").read_text(encoding="utf-8")
    assert capsys.readouterr().out == ""


def test_annotations_may_stand_beside_text(capsys: Streams) -> None:
    assert main(["--output-format", "concise", "--output-format", "github", "k.py"]) == 1
    assert [line[:7] for line in capsys.readouterr().out.splitlines()[::2]][:1] == ["k.py:8:"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--output-format", "json", "--output-format", "full"],
            "json and full would share standard output; give one an --output-file",
        ),
        (
            ["--output-format", "json", "--output-file", "a", "--output-file", "b"],
            "`b` has no --output-format; give it one",
        ),
        (
            ["--output-file", "a", "--output-file", "b", "--output-format", "json"],
            "`a` and `b` have one --output-format between them; give each its own",
        ),
    ],
)
def test_mistakes(arguments: list[str], message: str, capsys: Streams) -> None:
    assert main([*arguments, "k.py"]) == 2
    assert capsys.readouterr().err == f"command line: NKI004 {message}\n"


HELPER = KERNEL.replace("@nki.jit\ndef k", "def wide")
CALLER = "import nki\nfrom b import wide\n\n\n@nki.jit\ndef NAME(x):\n    return wide(x)  # noqa: NKI101\n"


@pytest.mark.parametrize("output_format", IN_PARTS)
def test_parts_make_the_whole(output_format: str, folder: Path, capsys: Streams) -> None:
    """What is printed file by file is what is written at the end; findings in helpers come at their place."""
    (folder / "broken.ipynb").write_text("import nki", encoding="utf-8")
    (folder / "b.py").write_text(HELPER, encoding="utf-8")
    for name in ("a", "c"):
        (folder / f"{name}.py").write_text(CALLER.replace("NAME", name), encoding="utf-8")
    to_file = ["--output-format", output_format, "--output-file", "whole"]
    arguments = ["--no-config", "--no-cache", "--no-confirm", "--jobs", "1", "--output-format", output_format, *to_file]
    printed_at_once: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outputs, "_print", lambda text, for_people: printed_at_once.append(text) or print(text, end=""))
        assert main([*arguments, "."]) == 2
    printed = capsys.readouterr().out
    assert printed == (folder / "whole").read_text(encoding="utf-8")
    texts = [text for text in printed_at_once if text]
    assert len(texts) >= 3, "all came at the end"
    assert "a.py" in texts[0]
    assert not any(name in texts[0] for name in ("b.py:", "c.py:", "k.py:"))
