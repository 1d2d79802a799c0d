"""`pytest --nkilint`, run by pytest itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.base import toml
from tests.cli.test_reproduce import KERNELS
from tests.support.processes import environment

# Of other plugins, that of pytest-lsp fails on every item that is no function.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
COMMAND = [sys.executable, "-m", "pytest", "-p", "nkilint.pytest"]


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.py").write_text(KERNELS, encoding="utf-8")
    Path("test_other.py").write_text("def test_nothing():\n    pass\n", encoding="utf-8")
    Path("plain.py").write_text("raise RuntimeError\n", encoding="utf-8")


def outcomes(*arguments: str) -> tuple[int, dict[str, str], str]:
    """The exit code, what came of each item, and all that was printed."""
    command = [*COMMAND, "-v", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment() | ALONE, check=False)
    lines = (line.split() for line in done.stdout.splitlines() if "::" in line and "%]" in line)
    return done.returncode, {words[0]: words[1] for words in lines}, done.stdout


@pytest.mark.parametrize("given", [[], ["k.py", "test_other.py"]])
def test_kernels_are_items(given: list[str]) -> None:
    code, found, told = outcomes("--nkilint", *given)
    assert found == {
        "k.py::nkilint": "PASSED",
        "k.py::nkilint:wide": "FAILED",
        "k.py::nkilint:unread": "PASSED",
        "k.py::nkilint:fine": "PASSED",
        "test_other.py::test_nothing": "PASSED",
    }
    assert code == 1
    assert "k.py:11:12: NKI101 tile [200, 64] spans 200 partitions; trn2 has 128" in told
    assert "Traceback" not in told


def test_warnings_fail_where_that_is_asked_for() -> None:
    _, found, _ = outcomes("--nkilint", "--nkilint-strict")
    assert found["k.py::nkilint:unread"] == "FAILED"
    assert found["k.py::nkilint:fine"] == "PASSED"
    Path("nkilint.toml").write_text("strict = true\n", encoding="utf-8")
    assert outcomes("--nkilint")[1]["k.py::nkilint:unread"] == "FAILED"


def test_one_kernel_can_be_chosen() -> None:
    code, found, _ = outcomes("--nkilint", "k.py::nkilint:fine")
    assert (code, found) == (0, {"k.py::nkilint:fine": "PASSED"})


def test_what_is_not_python_fails() -> None:
    Path("k.py").write_text("import nki\ndef f(:\n", encoding="utf-8")
    code, found, told = outcomes("--nkilint")
    assert (code, found["k.py::nkilint"]) == (1, "FAILED")
    assert "NKI001" in told


def test_the_configuration_holds() -> None:
    Path("nkilint.toml").write_text('exclude = ["k.py"]\n', encoding="utf-8")
    assert outcomes("--nkilint")[1] == {"test_other.py::test_nothing": "PASSED"}
    Path("nkilint.toml").write_text("exclude = 1\n", encoding="utf-8")
    code, _, told = outcomes("--nkilint")
    assert code == 2
    assert "NKI004 `exclude` takes a list of strings" in told


def test_without_the_option_it_does_nothing_and_costs_nothing() -> None:
    script = (
        "import sys, pytest\n"
        "code = pytest.main(['-q', '-p', 'nkilint.pytest', '-p', 'no:cacheprovider'])\n"
        "print(code, sorted(m for m in sys.modules if m.partition('.')[0] in ('nkilint', 'z3', 'libcst')))\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=environment() | ALONE, check=True)
    assert done.stdout.splitlines()[-1] == "0 ['nkilint', 'nkilint.pytest']"
    assert "1 passed" in done.stdout


def test_pytest_finds_it_where_the_package_is_installed(root: Path) -> None:
    settings = toml.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert settings["entry-points"]["pytest11"] == {"nkilint.pytest": "nkilint.pytest"}
