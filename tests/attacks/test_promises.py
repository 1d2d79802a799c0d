"""What a machine does not promise is said, and not relied on; and what a run says changes no verdict."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.cli import main
from nkilint.confirm.server import command as confined
from tests.support.processes import environment
from tests.support.wide_kernel import KERNEL

HEAD = "import os\nimport sys\nimport time\nimport neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\n"
SYSTEM = "from nkilint.confirm.jail import {module}; {module}.{change}; "
ALL = ["files outside of its folder", "the network", "other processes"]
WITHOUT = {
    "seccomp": (SYSTEM.format(module="seccomp", change="restrict = lambda: None"), ALL),
    "landlock": (SYSTEM.format(module="landlock", change="version = lambda: 0"), ["files outside of its folder"]),
    "namespaces": (SYSTEM.format(module="namespaces", change="enter = lambda: False"), []),
    "everything": (SYSTEM.format(module="system", change="MACHINE = None"), ALL),
}


def _changed(monkeypatch: pytest.MonkeyPatch, before: str) -> None:
    """From now on, runs are confined by what is left when `before` was executed."""

    def command(owner: str) -> tuple[list[str], dict[str, str]]:
        (*start, script, _), variables = confined(owner)
        return [
            *start,
            script.replace("from nkilint.confirm.server", before + "from nkilint.confirm.server"),
            owner,
        ], variables

    monkeypatch.setattr("nkilint.confirm.workers.command", command)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    found = tmp_path / "kernels.py"
    found.write_text(HEAD + KERNEL.format(name="kernel", before="pass"), encoding="utf-8")
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing of this is there")
@pytest.mark.parametrize("part", WITHOUT)
def test_what_is_missing_is_said_and_refused(
    file: Path, part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, missing = WITHOUT[part]
    _changed(monkeypatch, before)
    (file.parent / "nkilint.toml").write_text("confirm = true\n", encoding="utf-8")
    assert main(["--no-cache", str(file)]) == 1
    captured = capsys.readouterr()
    assert "confirmed by the reference simulator" in captured.out
    line = f"what was run for confirmation was not kept from {', '.join(missing)}"
    assert (line in captured.err.splitlines()) == bool(missing)
    (file.parent / "nkilint.toml").write_text('confirm = "sandboxed"\n', encoding="utf-8")
    assert main(["--no-cache", str(file)]) == 1
    told = capsys.readouterr().out
    assert ("confirmed by the reference simulator" in told) != bool(missing)
    if missing:
        assert f"runs cannot be kept here from {', '.join(missing)}" in told


@pytest.mark.parametrize(("setting", "shown"), [("false", False), ("true", True)])
def test_what_an_exception_says(file: Path, setting: str, shown: bool, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(HEAD + KERNEL.format(name="kernel", before='os.stat("what" + " it read")'), encoding="utf-8")
    (file.parent / "nkilint.toml").write_text(f"exception-texts = {setting}\n", encoding="utf-8")
    for form in ("full", "json", "sarif", "html"):
        assert main(["--no-cache", "--output-format", form, str(file)]) == 1
        captured = capsys.readouterr()
        assert "FileNotFoundError" in captured.out
        assert ("what it read" in captured.out + captured.err) == shown


@pytest.mark.parametrize("before", ["os._exit(0)", 'vars(sys)["exit"](0)', "time.sleep(-1)", "os.kill(os.getpid(), 9)"])
def test_a_run_that_says_nothing_lowers_no_error(file: Path, before: str, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(HEAD + KERNEL.format(name="kernel", before=before), encoding="utf-8")
    assert main(["--no-cache", "--output-format", "concise", str(file)]) == 1
    errors = [line for line in capsys.readouterr().out.splitlines() if " info: " not in line]
    assert len(errors) == 1
    assert ": NKI301 index" in errors[0]


def test_nothing_is_imported_from_the_working_folder(file: Path) -> None:
    """`-m` has Python itself put that folder first, and import some modules from there."""
    asked = [sys.executable, "-c", "import runpy, pkgutil, sys; print(*sys.modules)"]
    known = set(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split())
    for name in {*sys.stdlib_module_names, "z3", "numpy", "libcst", "nkilint_rules", "reference_sim"} - known:
        (file.parent / f"{name}.py").write_text(f"open({str(file.parent / 'ran')!r}, 'a').write({name!r})\n")
    ran = subprocess.run(
        [sys.executable, "-m", "nkilint", "--no-cache", "--output-format", "concise", file.name],
        cwd=file.parent, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not (file.parent / "ran").exists(), (file.parent / "ran").read_text()
    assert ran.returncode == 1, ran.stderr
    assert "NKI301" in ran.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not keep files apart")
@pytest.mark.parametrize("named", ["search-paths", "package-dir", "link"])
def test_the_configuration_opens_no_folder(file: Path, named: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever writes the kernel writes the configuration, too: of what it names outside, only modules are read."""
    outside = file.parent / "outside"
    inside = file.parent / "project"
    for folder in (outside, inside):
        folder.mkdir()
    (outside / "helper.py").write_text("WIDTH = 512\n", encoding="utf-8")
    (outside / "secret").write_text("a secret\n", encoding="utf-8")
    path = outside / "secret"
    settings = 'exception-texts = true\nconfirm = "sandboxed"\n'
    if named == "search-paths":
        settings += 'search-paths = ["../outside"]\n'
    project = '[tool.setuptools.package-dir]\n"" = "../outside"\n' if named == "package-dir" else ""
    if named == "link":
        (inside / "helper.py").write_text("WIDTH = 512\n", encoding="utf-8")
        (inside / "secret.py").symlink_to(path)
        path = inside / "secret.py"
    (inside / "pyproject.toml").write_text(f"[tool.nkilint]\n{settings}\n{project}", encoding="utf-8")
    for before, told in ((f"open({str(path)!r})", "PermissionError"), ("pass", "confirmed by")):
        text = HEAD + KERNEL.format(name="kernel", before=before).replace("nl.arange(512)", "nl.arange(WIDTH)")
        (inside / "k.py").write_text("from helper import WIDTH\n" + text, encoding="utf-8")
        assert main(["--no-cache", str(inside / "k.py")]) == 1
        output = capsys.readouterr().out
        assert told in output
        assert "a secret" not in output
