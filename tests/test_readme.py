"""What the README shows is what the tool prints and takes."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from nkilint.base.config import load
from nkilint.cli import COMMANDS, main


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


def test_commands_shown_do_something(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install, after, tests = blocks(root, "sh")
    assert all(block.startswith("python3 -m venv .venv && .venv/bin/pip install -q ") for block in (install, tests))
    monkeypatch.chdir(root)
    first, *commands = after.splitlines()
    assert first == ". .venv/bin/activate"
    for command in commands:
        program, *arguments = shlex.split(command)
        changes = "--diff-only" in arguments
        assert (program, main(arguments)) == ("nkilint", int(changes))
        assert capsys.readouterr().out.startswith("---") is changes
    shutil.copy("examples/findings/limits_nki.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    main(["--fix", "--no-confirm", "limits_nki.py"])
    capsys.readouterr()
    assert main(["explain", "limits_nki.py::whole_matrix"]) == 0
    assert capsys.readouterr().out.splitlines()[0].endswith(": verified")


def test_hooks_and_workflow_shown_are_offered(root: Path) -> None:
    hooks, workflow = map(yaml.safe_load, blocks(root, "yaml"))
    offered = {hook["id"] for hook in yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    assert {hook["id"] for repository in hooks["repos"] for hook in repository["hooks"]} <= offered
    inputs = yaml.safe_load((root / "action.yml").read_text(encoding="utf-8"))["inputs"]
    (step,) = (s for s in workflow["jobs"]["nkilint"]["steps"] if "nkilint" in s["uses"])
    assert set(step["with"]) <= set(inputs)


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


def test_it_is_short_and_has_one_picture(root: Path) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    assert text.count("\n") < 150
    (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert (root / picture).read_bytes().startswith(b"\x89PNG")
