"""The hooks, run by pre-commit itself in a repository of their own: try-repo, run and autoupdate.

It builds and installs the package as it would for anyone, but takes what that needs from the packages that are here.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("pre_commit") is None, reason="needs pre-commit"),
    pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="needs hatchling"),
    pytest.mark.skipif(shutil.which("git") is None, reason="needs git"),
]
PACKAGE = ("nkilint", "rules", "reference_sim", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def double(x):
    rows, columns = x.shape
    output = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=output, src=tile)
    return output
"""
REPAIRED = KERNEL.replace("= x.shape\n", "= x.shape\n    assert rows <= 128\n")
WRONG = KERNEL.replace("tile = nl.ndarray((rows", "tile = nl.ndarray((129")
CONFIGURATION = """\
repos:
  - repo: {repository}
    rev: v0.0.1
    hooks:
      - id: nkilint
      - id: nkilint-fix
"""


def git(folder: Path, *arguments: str) -> None:
    own = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *own, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, root: Path = Path(__file__).parents[2]) -> Path:
    """A repository with the package in two versions."""
    folder = tmp_path_factory.mktemp("nkilint")
    for name in PACKAGE:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
        else:
            shutil.copy(source, folder)
    (folder / "pre-commit-hooks.yaml").symlink_to(".pre-commit-hooks.yaml")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    git(folder, "tag", "v0.0.1")
    git(folder, "commit", "-qm", "two", "--allow-empty")
    git(folder, "tag", "v0.0.2")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "double.py").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "kernels" / "notes.txt").write_text("nki\n", encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which pre-commit makes its own, without asking a package index."""
    environment = {name: value for name, value in os.environ.items() if name != "NKILINT_NO_CACHE"}
    packages = os.pathsep.join(path for path in sys.path if path.endswith(("site-packages", "dist-packages")))
    return {
        **environment,
        "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("home")),
        "PRE_COMMIT_COLOR": "never",
        "PYTHONPATH": packages,
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip reads this as: without isolation
    }


def pre_commit(project: Path, home: Mapping[str, str], arguments: Sequence[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pre_commit", *arguments]
    return subprocess.run(command, cwd=project, env=home, capture_output=True, text=True, check=False)


def test_try_repo(repository: Path, project: Path, home: dict[str, str]) -> None:
    run = pre_commit(project, home, ["try-repo", str(repository), "--all-files", "--verbose"])
    assert run.returncode == 1, run.stdout
    checked, repaired = run.stdout.split("- hook id: nkilint-fix")
    assert "nkilint..................................................................Passed" in checked
    assert "kernels/double.py:10:12: NKI101 warning: tile [rows, columns] spans rows partitions" in checked
    assert "- files were modified by this hook" in repaired
    assert "1 finding repaired in 1 file" in repaired
    assert (project / "kernels" / "double.py").read_text(encoding="utf-8") == REPAIRED


def test_a_commit_is_stopped_and_hooks_are_updated(repository: Path, project: Path, home: dict[str, str]) -> None:
    file, configuration = project / "kernels" / "double.py", project / ".pre-commit-config.yaml"
    configuration.write_text(CONFIGURATION.format(repository=repository), encoding="utf-8")
    file.write_text(WRONG, encoding="utf-8")
    git(project, "add", "-A")
    assert pre_commit(project, home, ["install"]).returncode == 0
    command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "wrong"]
    stopped = subprocess.run(command, cwd=project, env=home, capture_output=True, text=True, check=False)
    assert stopped.returncode == 1
    shown = stopped.stdout + stopped.stderr
    for hook in ("nkilint", "nkilint-fix"):
        assert f"- hook id: {hook}\n- exit code: 1\n" in shown
    assert shown.count(": NKI101 tile [129, columns] spans 129 partitions; trn2 has 128") == 2
    file.write_text(KERNEL, encoding="utf-8")
    git(project, "add", "-A")
    first, second = (pre_commit(project, home, ["run", "--all-files"]) for _ in range(2))
    assert (first.returncode, second.returncode) == (1, 0), first.stdout + second.stdout
    assert "- files were modified by this hook" in first.stdout
    assert file.read_text(encoding="utf-8") == REPAIRED
    update = pre_commit(project, home, ["autoupdate"])
    assert update.returncode == 0, update.stdout
    assert "updating v0.0.1 -> v0.0.2" in update.stdout
    assert "rev: v0.0.2" in configuration.read_text(encoding="utf-8")
