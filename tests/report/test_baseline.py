"""A baseline holds what is known; only what is new is reported."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from nkilint.base.findings import Report
from nkilint.base.source import source_lines
from nkilint.cli import main
from nkilint.report.baseline import compare, read, text
from nkilint_rules.rule import Severity

from ..support.reports_sample import REPORT, SOURCES, TAIL, TOO_WIDE

KERNEL = """\
import nki
import nki.language as nl


@nki.jit
def {name}(x):
    return nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)
"""
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("nkilint.cli.progress.QUIET", 3600.0)
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "k.py").write_text(KERNEL.format(name="k"), encoding="utf-8")
    return tmp_path


def errors(output: str) -> list[str]:
    return [line.partition(" ")[0] for line in output.splitlines() if " NKI101 " in line]


def checked(*arguments: str) -> int:
    return main([*arguments, "--select", "NKI101", "--output-format", "concise", "--baseline", "b.json", "kernels"])


def test_only_what_is_new_is_reported(folder: Path, capsys: Streams) -> None:
    assert checked("--write-baseline") == 0
    assert capsys.readouterr().err == "b.json: 1 finding written\n"
    assert checked() == 0
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.endswith("no findings (1 in the baseline)\n")
    source = KERNEL.format(name="k") + "\n\n" + KERNEL.format(name="j").partition("\n\n\n")[2]
    (folder / "kernels" / "k.py").write_text("# moved\n\n" + source, encoding="utf-8")
    assert checked() == 1
    assert errors(capsys.readouterr().out) == ["kernels/k.py:14:12:"]


def test_it_serves_from_any_folder(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams) -> None:
    checked("--write-baseline")
    monkeypatch.chdir(folder / "kernels")
    assert main(["--baseline", "../b.json", "--select", "NKI101", "k.py"]) == 0
    assert [e["filename"] for e in json.loads((folder / "b.json").read_text(encoding="utf-8"))["findings"]] == [
        "kernels/k.py"
    ]


def test_the_configuration_can_name_it(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams) -> None:
    (folder / "nkilint.toml").write_text('baseline = "b.json"\nselect = ["NKI101"]\n', encoding="utf-8")
    monkeypatch.chdir(folder / "kernels")
    assert main(["--write-baseline", "k.py"]) == 0
    assert (folder / "b.json").is_file()
    assert main(["k.py"]) == 0


def test_what_is_gone_is_counted(folder: Path, capsys: Streams) -> None:
    checked("--write-baseline")
    (folder / "kernels" / "k.py").write_text("", encoding="utf-8")
    capsys.readouterr()
    assert checked() == 0
    assert "b.json: 1 finding of it no longer there; --write-baseline renews it\n" in capsys.readouterr().err
    (folder / "other.py").write_text("", encoding="utf-8")
    assert main(["--baseline", "b.json", "other.py"]) == 0
    assert "no longer" not in capsys.readouterr().err


def test_failures_are_never_put_off(folder: Path, capsys: Streams) -> None:
    (folder / "kernels" / "broken.py").write_text("import nki\ndef f(:\n", encoding="utf-8")
    assert checked("--write-baseline") == 2
    assert checked() == 2
    assert "kernels/broken.py:2:7: NKI001" in capsys.readouterr().out


def test_a_louder_finding_is_new(folder: Path) -> None:
    lines = source_lines(SOURCES)
    file = folder / "b.json"
    file.write_text(text(Report("trn2", (TAIL, TOO_WIDE)), file, lines), encoding="utf-8")
    known = read(file)
    same, missing = compare(REPORT, known, lines)
    assert (same.known, missing) == ((TAIL, TOO_WIDE), ())
    assert [d.code for d in same.diagnostics] == ["NKI003"]
    louder, _ = compare(Report("trn2", (replace(TAIL, severity=Severity.ERROR),)), known, lines)
    quieter, _ = compare(Report("trn2", (replace(TOO_WIDE, severity=Severity.INFO),)), known, lines)
    assert (len(louder.diagnostics), len(quieter.diagnostics)) == (1, 0)


def test_a_known_incomplete_analysis_is_not_held_against_strict_runs(folder: Path, capsys: Streams) -> None:
    source = "import nki\nfrom elsewhere import f\n\n\n@nki.jit\ndef k(x):\n    return f(x)\n"
    (folder / "kernels" / "k.py").write_text(source, encoding="utf-8")
    arguments = ["--select", "NKI003", "--baseline", "b.json", "kernels"]
    assert main(["--write-baseline", *arguments]) == 0
    assert main(["--strict", *arguments]) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "b.json:1:1: NKI004 cannot be read: No such file or directory; --write-baseline makes a baseline"),
        ("{", "b.json:1:1: NKI004 is not a baseline: it is not JSON"),
        ("[]", "b.json:1:1: NKI004 is not a baseline of version 1"),
        ('{"version": 2}', "b.json:1:1: NKI004 is not a baseline of version 1"),
        (
            '{"version": 1, "findings": [{}]}',
            "b.json:1:1: NKI004 is not a baseline: an entry lacks or misstates 'fingerprint'",
        ),
    ],
)
def test_a_file_that_is_no_baseline(folder: Path, capsys: Streams, content: str | None, message: str) -> None:
    if content is not None:
        (folder / "b.json").write_text(content, encoding="utf-8")
    assert checked() == 2
    assert capsys.readouterr().err == message + "\n"


def test_writing_needs_a_place(capsys: Streams) -> None:
    assert main(["--write-baseline", "kernels"]) == 2
    assert capsys.readouterr().err == "command line: NKI004 --write-baseline needs --baseline FILE\n"
