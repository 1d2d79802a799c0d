"""Repairs in SARIF, put into the text as a viewer would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nkilint.cli import main
from tests.api.test_api import OPEN

HEAD = "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n"


def sarif(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    main(["k.py", "--no-confirm", "-f", "sarif", *options])
    run: dict[str, Any] = json.loads(capsys.readouterr().out)["runs"][0]
    return run


def replaced(text: str, replacement: dict[str, Any]) -> str:
    region = replacement["deletedRegion"]
    lines = text.splitlines(keepends=True)
    begin = sum(map(len, lines[: region["startLine"] - 1])) + region["startColumn"] - 1
    end = sum(map(len, lines[: region["endLine"] - 1])) + region["endColumn"] - 1
    return text[:begin] + replacement["insertedContent"]["text"] + text[end:]


def test_a_repair_mends_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("k.py")
    file.write_text(HEAD + OPEN, encoding="utf-8")
    first = sarif(capsys)["results"][0]
    (fix,) = first["fixes"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "k.py"
    text = file.read_text(encoding="utf-8")
    for replacement in reversed(change["replacements"]):
        text = replaced(text, replacement)
    file.write_text(text, encoding="utf-8")
    assert first["message"]["text"] not in {result["message"]["text"] for result in sarif(capsys)["results"]}


def test_a_run_says_what_it_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(HEAD + OPEN, encoding="utf-8")
    run = sarif(capsys, "-t", "trn1", "--rule-pages", "https://example.org/rules/{code}.md")
    assert run["automationDetails"]["id"] == "nkilint/trn1/"
    assert run["tool"]["driver"]["informationUri"] == "https://example.org/rules/index.md"
    assert "informationUri" not in sarif(capsys)["tool"]["driver"]
    help_texts = [rule["help"] for rule in run["tool"]["driver"]["rules"]]
    assert all(len(told["text"].splitlines()) == 1 and told["markdown"].startswith("# NKI") for told in help_texts)
