"""What the README shows is what the tool prints and takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nkilint.cli import COMMANDS, main
from nkilint.config import load


def blocks(root: Path, language: str) -> list[str]:
    text = (root / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_finding_shown_is_printed(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    (shown,) = blocks(root, "text")
    assert main(["--no-config", "examples/"]) == 1
    assert shown in capsys.readouterr().out


def test_configuration_shown_is_taken(root: Path, tmp_path: Path) -> None:
    (shown,) = blocks(root, "toml")
    (tmp_path / "pyproject.toml").write_text(shown, encoding="utf-8")
    assert load(tmp_path / "pyproject.toml").target == "trn1"


def test_commands_listed_exist(root: Path) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `nkilint ([a-z]+)", text, re.MULTILINE)) | {"check"} == set(COMMANDS)


def test_links_lead_somewhere(root: Path) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    assert [link for link in re.findall(r"\]\(([^)#:]+)\)", text) if not (root / link).exists()] == []
