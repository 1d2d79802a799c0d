"""The GitHub action and the recipes of docs/ci.md: they parse, and what they run is there."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from nkilint.cli import main

KERNEL = """\
import nki
import nki.language as nl


@nki.jit
def k(x):
    return nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)
"""


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def recipes(root: Path, language: str) -> list[str]:
    text = (root / "docs/ci.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels dir").mkdir()
    (tmp_path / "kernels dir/k.py").write_text(KERNEL, encoding="utf-8")
    return tmp_path


def run_action(root: Path, folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Runs the step that checks, as GitHub would, with this interpreter as the installed one."""
    action = read(root / "action.yml")
    step = next(s for s in action["runs"]["steps"] if s.get("id") == "check")
    values = {name: item["default"] for name, item in action["inputs"].items()} | inputs
    known = {f"inputs.{name}": value for name, value in values.items()}
    known |= {"github.action_repository": "OWNER/nkilint", "github.action_ref": "v0.1.0"}
    environment = {
        name: re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: known[found[1]], text)
        for name, text in step["env"].items()
    }
    installed = folder / "temp/nkilint/bin"
    installed.mkdir(parents=True)
    (installed / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    (installed / "python").chmod(0o755)
    environment |= {"RUNNER_TEMP": str(folder / "temp"), "GITHUB_OUTPUT": str(folder / "output")}
    environment["GITHUB_SERVER_URL"] = "https://github.com"
    environment |= {"PYTHONPATH": f"{root}:{root / 'rules'}", "PATH": os.environ["PATH"]}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_action_annotates_and_writes_sarif(root: Path, kernels: Path) -> None:
    run = run_action(root, kernels, paths="kernels dir\n", arguments="--select\nNKI101\n")
    assert run.returncode == 1
    assert "::error file=kernels dir/k.py,line=7," in run.stdout
    assert (kernels / "output").read_text(encoding="utf-8") == "exit-code=1\n"
    sarif = json.loads((kernels / "nkilint.sarif").read_text(encoding="utf-8"))["runs"][0]
    assert [r["ruleId"] for r in sarif["results"]] == ["NKI101"]
    (rule,) = sarif["tool"]["driver"]["rules"]
    assert rule["helpUri"] == "https://github.com/OWNER/nkilint/blob/v0.1.0/docs/rules/NKI101.md"
    assert (root / "docs/rules/NKI101.md").is_file()


def test_the_action_passes_what_it_is_given(root: Path, kernels: Path) -> None:
    run = run_action(root, kernels, **{"sarif-file": "", "diff": "no such revision"})
    assert run.returncode == 2
    assert "`no such revision` is not a git revision" in run.stderr or "not a git repository" in run.stderr
    assert not (kernels / "nkilint.sarif").exists()


def test_every_input_is_used_and_described(root: Path) -> None:
    action = read(root / "action.yml")
    text = (root / "action.yml").read_text(encoding="utf-8")
    for name, item in action["inputs"].items():
        assert item["description"]
        assert f"${{{{ inputs.{name} }}}}" in text
    assert action["runs"]["using"] == "composite"


def test_the_action_pins_what_it_uses_and_keeps_results(root: Path) -> None:
    steps = read(root / "action.yml")["runs"]["steps"]
    used = [step["uses"] for step in steps if "uses" in step]
    assert [name for name in used if not re.fullmatch(r"actions/[\w/-]+@[0-9a-f]{40}", name)] == []
    restored, saved = (step for step in steps if step.get("uses", "").split("@")[0][-7:] in ("restore", "he/save"))
    assert restored["with"]["path"].split() == saved["with"]["path"].split() == [".nkilint_cache", "~/.cache/nkilint"]
    assert restored["with"]["key"] == saved["with"]["key"]
    names = [step.get("id") for step in steps]
    assert steps.index(restored) < names.index("check") < steps.index(saved)
    assert saved["if"].startswith("always()"), "a run with findings fails, and its results are wanted by the next"


def test_the_key_of_the_action_follows_its_sources(root: Path, tmp_path: Path) -> None:
    (step,) = (s for s in read(root / "action.yml")["runs"]["steps"] if s.get("id") == "version")
    action, work = tmp_path / "action", tmp_path / "work"
    for name in ("nkilint", "rules", "reference_sim"):
        (action / name).mkdir(parents=True)
        (action / name / "a.py").write_text("a = 1\n", encoding="utf-8")
    (action / "pyproject.toml").write_text("", encoding="utf-8")
    (work / ".nkilint_cache").mkdir(parents=True)

    def key() -> str:
        output = tmp_path / "output"
        output.unlink(missing_ok=True)
        runner = {"RUNNER_OS": "Linux", "RUNNER_ARCH": "X64", "NKILINT_PYTHON": "3.12.1"}
        github = {"GITHUB_OUTPUT": str(output), "GITHUB_ACTION_PATH": str(action)}
        subprocess.run(["bash", "-e", "-c", step["run"]], cwd=work, env={**os.environ, **runner, **github}, check=True)
        return output.read_text(encoding="utf-8")

    first = key()
    assert re.fullmatch(r"key=nkilint-Linux-X64-3\.12\.1-[0-9a-f]{64}\n", first)
    assert key() == first
    assert not (work / ".nkilint_cache").exists()
    (action / "rules" / "a.py").write_text("a = 2\n", encoding="utf-8")
    assert key() != first


def test_the_workflow_uses_the_inputs_of_the_action(root: Path) -> None:
    workflow = next(r for r in map(yaml.safe_load, recipes(root, "yaml")) if "jobs" in r)
    steps = workflow["jobs"]["nkilint"]["steps"]
    given = next(s["with"] for s in steps if "/nkilint@" in s["uses"])
    assert set(given) <= set(read(root / "action.yml")["inputs"])


def test_the_gitlab_job_runs(root: Path, kernels: Path) -> None:
    job = next(r for r in map(yaml.safe_load, recipes(root, "yaml")) if "nkilint" in r)["nkilint"]
    command = job["script"][-1].split()
    assert main([*command[1:-1], "kernels dir"]) == 1
    for report in job["artifacts"]["reports"].values():
        assert (kernels / report).is_file()


def test_the_commands_of_the_page_are_understood(root: Path, kernels: Path) -> None:
    (kernels / "kernels dir").rename(kernels / "kernels")
    for command in recipes(root, "sh"):
        if "--diff" not in command:
            assert main(command.split()[1:]) in (0, 1)


def test_the_hook_recipe_names_hooks_that_are_there(root: Path) -> None:
    recipe = next(r for r in map(yaml.safe_load, recipes(root, "yaml")) if "repos" in r)
    offered = {hook["id"] for hook in read(root / ".pre-commit-hooks.yaml")}
    assert {hook["id"] for repo in recipe["repos"] for hook in repo["hooks"]} <= offered
