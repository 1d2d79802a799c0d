"""A program that is told to stop ends soon, with all that it started, and tells what it knows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.processes import alive, below, environment, wait
from tests.support.wide_kernel import KERNEL

from ..support.processes import heeding

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes where Linux shows them")

HEAD = "import neuronxcc.nki as nki\nimport neuronxcc.nki.language as nl\nimport time\n"


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "nkilint", "--no-config", "--output-format", "json", *arguments, "kernels.py"]
    environment = {name: value for name, value in os.environ.items() if name != "NKILINT_NO_CACHE"}
    environment["TMPDIR"] = str(folder / "temporary")
    (folder / "temporary").mkdir(exist_ok=True)
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True, preexec_fn=heeding
    )


def a_slow_run(folder: Path) -> None:
    """Kernels of which the first sleeps when it is run."""
    first = KERNEL.format(name="kernel0", before="time.sleep(50)")
    (folder / "kernels.py").write_text(HEAD + first + KERNEL.format(name="kernel1", before="pass"), encoding="utf-8")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_end_while_a_kernel_runs(tmp_path: Path, name: str) -> None:
    a_slow_run(tmp_path)
    process = start(tmp_path, "--jobs", "1")
    assert wait(lambda: len(below(process.pid)) >= 2), "no kernel is run"
    time.sleep(0.5)
    started = below(process.pid)
    process.send_signal(getattr(signal, name))
    told = time.monotonic()
    output, errors = process.communicate(timeout=20)
    seconds = time.monotonic() - told
    assert wait(lambda: not any(map(alive, started)), 5)
    assert not list((tmp_path / "temporary").iterdir())
    if name == "SIGKILL":
        assert process.returncode == -signal.SIGKILL
        return
    assert seconds < 5, f"it took {seconds:.1f} s"
    assert process.returncode == 128 + getattr(signal, name)
    assert errors.endswith("interrupted; what it did not come to is missing\n")
    found = json.loads(output)["diagnostics"]
    assert [d["code"] for d in found] == ["NKI301", "NKI301"]
    assert found[0]["confirmation_reason"] == "the run was interrupted"


def test_kernels_that_were_verified_are_kept(tmp_path: Path) -> None:
    a_slow_run(tmp_path)
    process = start(tmp_path, "--jobs", "1")
    assert wait(lambda: len(below(process.pid)) >= 2)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    entries = list((tmp_path / ".nkilint_cache" / "kernels").rglob("*.json"))
    assert len(entries) == 2
    assert not list((tmp_path / ".nkilint_cache" / "runs").rglob("*.json")), "a part was kept for the whole"
    again = start(tmp_path, "--no-confirm")
    output, _ = again.communicate(timeout=60)
    assert len(json.loads(output)["diagnostics"]) == 2


@pytest.mark.parametrize("name", ["SIGTERM", "SIGKILL"])
def test_end_while_kernels_are_verified(tmp_path: Path, name: str) -> None:
    """Processes that verify end with the one that started them."""
    loops = "\n".join(f"    for a{n} in range({n + 20}):\n        x = x + a{n} * x" for n in range(40))
    kernels = "".join(KERNEL.format(name=f"kernel{n}", before="y = 1\n" + loops + "\n    pass") for n in range(12))
    (tmp_path / "kernels.py").write_text(HEAD + kernels, encoding="utf-8")
    process = start(tmp_path, "--jobs", "2", "--no-confirm", "--no-cache")
    assert wait(lambda: len(below(process.pid)) >= 2 or process.poll() is not None)
    started = below(process.pid)
    process.send_signal(getattr(signal, name))
    process.communicate(timeout=20)
    assert wait(lambda: not any(map(alive, started)), 5)


DRIVER = """
import os, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
import {module} as at
original = at.{name}
def told(*arguments, **options):
    os.kill(os.getpid(), signal.SIGHUP)
    return original(*arguments, **options)
at.{name} = told
from nkilint.cli import main
sys.exit(main(sys.argv[1:]))
"""
FORGOTTEN = (
    HEAD + KERNEL.format(name="kernel0", before="pass  # noqa: NKI101") + "\n\ndef helper():\n    return undefined\n"
)


@pytest.mark.parametrize(
    ("module", "name", "codes"),
    [
        ("nkilint.run.engine", "discover", None),
        ("nkilint.run.session", "find_launches", ["NKI808"]),
        ("nkilint.run.engine", "verify_or_fail", ["NKI808"]),
        ("nkilint.run.session", "suppress", ["NKI002", "NKI301", "NKI808"]),
        ("nkilint.run.fresh", "with_fixes", ["NKI002", "NKI301", "NKI808"]),
        ("nkilint.confirm", "Confirming.confirmed", ["NKI002", "NKI301", "NKI808"]),
        ("nkilint.cli.outputs", "render", ["NKI002", "NKI301", "NKI808"]),
        ("nkilint.cli.outputs", "written", ["NKI002", "NKI301", "NKI808"]),
    ],
)
def test_what_was_found_is_reported(tmp_path: Path, module: str, name: str, codes: list[str] | None) -> None:
    """Wherever a run is told to stop, it reports what it has, and blames no suppression for what it did not look at."""
    (tmp_path / "kernels.py").write_text(FORGOTTEN, encoding="utf-8")
    options = ["--no-config", "--no-cache", "--jobs", "2", "--output-format", "concise", "--output-file", "found"]
    command = [sys.executable, "-c", DRIVER.format(module=module, name=name), *options, "kernels.py"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 128 + signal.SIGHUP
    assert ran.stderr.endswith("interrupted; what it did not come to is missing\n")
    found = tmp_path / "found"
    assert [f.name for f in tmp_path.iterdir() if f != found] == ["kernels.py"]
    lines = found.read_text(encoding="utf-8").splitlines() if found.exists() else None
    assert (None if lines is None else sorted(line.split()[1] for line in lines)) == codes


@pytest.mark.parametrize(("name", "changed"), [("mended", False), ("after", True), ("report_of", True)])
def test_repairs_that_are_interrupted_are_made_or_not(tmp_path: Path, name: str, changed: bool) -> None:
    kernels = tmp_path / "kernels.py"
    before = FORGOTTEN.replace("import time\n", "import time  # noqa: NKI102\n")
    kernels.write_text(before, encoding="utf-8")
    driver = DRIVER.format(module="nkilint.cli.fix", name=name)
    command = [sys.executable, "-c", driver, "--no-config", "--no-cache", "--no-confirm", "--fix", "kernels.py"]
    ran = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert ran.returncode == 128 + signal.SIGHUP
    assert ("2 findings repaired in 1 file" in ran.stderr) == changed
    assert kernels.read_text(encoding="utf-8") == (
        before.replace("  # noqa: NKI102", "").replace("  # noqa: NKI101", "") if changed else before
    )


def test_nothing_is_reported_where_nothing_was_found(tmp_path: Path) -> None:
    """An empty report would say that there is nothing to find."""
    (tmp_path / "kernels.py").write_text(HEAD + KERNEL.format(name="kernel0", before="pass"), encoding="utf-8")
    for module, name in (("nkilint.run.session", "find_launches"), ("nkilint.run.engine", "verify_or_fail")):
        driver = DRIVER.format(module=module, name=name)
        command = [sys.executable, "-c", driver, "--no-config", "--no-cache", "--output-file", "found", "kernels.py"]
        ran = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
        assert ran.returncode == 128 + signal.SIGHUP
        assert not (tmp_path / "found").exists()


def test_what_is_whole_is_told_while_others_are_verified(tmp_path: Path) -> None:
    """A file is printed when all that could say something of it is done, and kept although the run is killed then."""
    (tmp_path / "a.py").write_text(HEAD + KERNEL.format(name="kernel0", before="pass"), encoding="utf-8")
    loops = "\n".join(f"    for a{n} in range({n + 20}):\n        x = x + a{n} * x" for n in range(40))
    slow = "".join(KERNEL.format(name=f"kernel{n}", before="y = 1\n" + loops + "\n    pass") for n in range(12))
    (tmp_path / "b.py").write_text(HEAD + slow, encoding="utf-8")
    command = [sys.executable, "-m", "nkilint", "--no-config", "--no-confirm", "--output-format", "jsonl"]
    shown = {name: value for name, value in os.environ.items() if name != "NKILINT_NO_CACHE"}
    process = subprocess.Popen([*command, "--jobs", "1", "."], cwd=tmp_path, env=shown, stdout=subprocess.PIPE)
    assert process.stdout is not None
    told = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert process.poll() is None, "it had come to its end before"
    process.kill()
    process.communicate(timeout=20)
    assert [entry[kind]["filename"] for entry in told for kind in entry] == ["a.py", "a.py"]
    assert len(list((tmp_path / ".nkilint_cache" / "kernels").rglob("*.json"))) >= 1
