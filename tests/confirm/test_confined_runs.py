"""Kernels that do harm do none, on systems that limit less too, and nothing but kernels is run."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from nkilint.base import folders
from nkilint.base.options import Options
from nkilint.confirm import Confirming, confirm
from nkilint.confirm.server import command
from nkilint.confirm.workers import Crew, Worker
from nkilint.run import engine
from nkilint_rules.rule import Severity

from .confirming import kernel, one

DEEP = "def deep(n):\n    return deep(n + 1)\n"


MANY_THREADS = "for n in range(2000):\n    threading.Thread(target=time.sleep, args=(60,)).start()"


@pytest.mark.parametrize(
    ("before", "above", "why"),
    [
        ("while True:\n    pass", "", "more than 1000000 steps"),
        ("sum(iter(int, 1))", "", "ran longer than 2 s, without taking that many steps"),
        ("big = bytearray(1 << 42)", "", "memory"),
        ("hold = []\nwhile True:\n    hold.append(bytearray(1 << 26))", "", "memory"),
        ("while True:\n    os.fork()", "import os\n", "start or signal processes"),
        ("subprocess.run(['true'])", "import subprocess\n", "start or signal processes"),
        ("os.remove(VICTIM)", "import os\n", "write outside of its folder"),
        ("shutil.rmtree(os.path.dirname(VICTIM))", "import os, shutil\n", "may not"),
        ("open(VICTIM, 'w').close()", "", "write outside of its folder"),
        ("os.rename(VICTIM, 'here')", "import os\n", "write outside of its folder"),
        ("socket.create_connection(('127.0.0.1', 9))", "import socket\n", "network"),
        ("sys.exit(0)", "import sys\n", "ends the program"),
        ("os._exit(0)", "import os\n", "process that ran it ended"),
        ("os.kill(os.getppid(), 9)", "import os\n", "start or signal processes"),
        ("deep(0)", DEEP, "RecursionError"),
        ("sys.setrecursionlimit(10 ** 9)\ndeep(0)", "import sys\n" + DEEP, ""),
        ("eval('(' * 100000)", "", ""),
        (
            "for n in range(2000):\n    threading.Thread(target=time.sleep, args=(60,)).start()",
            "import threading, time\n",
            "",
        ),
        ("time.sleep(60)", "import time\n", "ran longer"),
        ("signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nsum(iter(int, 1))", "import signal\n", "ran longer"),
        (
            "while True:\n    try:\n        nl.zeros((128, 512), nl.float32)\n    except Exception:\n        pass",
            "",
            "steps",
        ),
        ("nl.ndarray((1 << 20, 1 << 20), dtype=nl.float32, buffer=nl.private_hbm)", "", "MiB of memory"),
    ],
)
def test_kernels_harm_nothing(
    tmp_path: Path, before: str, above: str, why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    victim = tmp_path / "kept" / "victim.txt"
    victim.parent.mkdir()
    victim.write_text("precious", encoding="utf-8")
    file = tmp_path / "kernels.py"
    file.write_text(kernel(), encoding="utf-8")
    options = Options(confirm_seconds=2, confirm_memory=768, confirm_steps=1_000_000)
    report = engine.check([file], options)
    file.write_text(kernel(before, above + f"VICTIM = {str(victim)!r}\n"), encoding="utf-8")
    (finding,) = report.diagnostics
    shift = file.read_text(encoding="utf-8").count("\n") - kernel().count("\n")
    moved = replace(finding, at=replace(finding.at, row=finding.at.row + shift, end_row=finding.at.end_row + shift))
    started = time.monotonic()
    (seen,) = confirm(replace(report, diagnostics=(moved,)), options, [file], {}).diagnostics
    assert time.monotonic() - started < 30
    assert victim.read_text(encoding="utf-8") == "precious"
    assert seen.severity is Severity.ERROR
    assert (seen.confirmation == "not-run" and why in seen.confirmation_reason) or why == "", seen.confirmation_reason
    assert capfd.readouterr() == ("", "")


def test_module_that_prints_and_sleeps_is_not_run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    above = "import time\nprint('hello')\ntime.sleep(100)\nopen('made', 'w').write('x')\n"
    above += "\n\ndef test():\n    1 / 0\n\n\ntest()\n"
    assert one(tmp_path, kernel(above=above)).confirmation == "confirmed"
    assert capfd.readouterr() == ("", "")
    assert not Path("made").exists()


def test_kernels_may_use_their_own_folder(tmp_path: Path) -> None:
    before = "open('notes', 'w').write('x')\nos.mkdir('more')\nos.remove('notes')"
    assert one(tmp_path, kernel(before, "import os\n")).confirmation == "confirmed"
    assert not Path("more").exists()


PROBE = """
import os, resource, sys
if {without_fork}:
    del os.fork
if {without_resource}:
    sys.modules["resource"] = None
else:
    def refuse(*_):
        raise ValueError("the system refuses")
    resource.setrlimit = refuse
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="stands in for systems that lack what this one has")
@pytest.mark.parametrize(("without_fork", "without_resource"), [(True, True), (False, False)])
@pytest.mark.parametrize(
    ("before", "above", "why"),
    [
        ("pass", "", ""),
        ("sum(iter(int, 1))", "", "ran longer than"),
        ("hold = bytes(1) * (1 << 30) + b'x'\ntime.sleep(50)", "import time\n", "memory"),
        ("os.remove(__file__)", "import os\n", "write outside of its folder"),
        ('vars(sys)["exit"](0)', "import sys\n", "ends the program"),
    ],
)
def test_systems_that_limit_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_fork: bool, without_resource: bool,
    before: str, above: str, why: str,
) -> None:  # fmt: skip
    """Where processes cannot be copied or limited, they are used once, or watch themselves."""
    if why == "memory" and without_resource:
        pytest.skip("where the system does not say how much memory is in use, only the simulator's own is limited")
    start, environment = command("")
    probe = PROBE.format(without_fork=without_fork, without_resource=without_resource)
    *command_, script, _ = start
    arguments = [*command_, probe + script]
    monkeypatch.setattr("nkilint.confirm.workers.command", lambda owner: ([*arguments, owner], environment))
    monkeypatch.setattr("nkilint.confirm.workers._STARTING", 6.0)  # seconds, with which it is ended from outside
    file = tmp_path / "kernels.py"
    file.write_text(kernel(before, above), encoding="utf-8")
    options = Options(confirm_seconds=1 if why == "ran longer than" else 60, confirm_memory=768)
    report = engine.check([file], options)
    (seen,) = [d for d in confirm(report, options, [file], {}).diagnostics if d.code != "NKI003"]
    assert (seen.confirmation == "confirmed") if not why else (why in seen.confirmation_reason)
    assert file.exists()


def test_checking_executes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    mark = tmp_path / "mark"
    file.write_text(kernel(above=f"open({str(mark)!r}, 'w').close()\n"), encoding="utf-8")
    engine.check([file], Options())
    assert not mark.exists()


def test_what_an_ended_process_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    made = (
        "import sys, time; from nkilint.base import folders as f; f.make(sys.argv[1]); print(flush=True); time.sleep(9)"
    )
    monkeypatch.setattr(
        "nkilint.confirm.workers.command", lambda owner: ([sys.executable, "-c", made, owner], dict(os.environ))
    )
    other = folders.make(str(os.getpid()))
    worker = Worker()
    process = worker._started()
    assert process.stdout is not None
    process.stdout.readline()
    assert len(list(tmp_path.iterdir())) == 2
    worker.stop()
    worker.close()
    assert list(tmp_path.iterdir()) == [Path(other)]


@pytest.mark.skipif(sys.platform == "win32", reason="a process there runs one kernel")
def test_processes_stay_from_one_piece_of_work_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nkilint.confirm.Crew", Crew)  # one of its own
    options = Options(confirm_memory=1024)
    file = tmp_path / "kernels.py"
    file.write_text(kernel(), encoding="utf-8")
    report = engine.check([file], options)
    with Confirming(options, [file], {}) as confirming:
        first = confirming.confirmed(report)
        (process,) = (worker._process for worker in confirming._crew._workers)
        assert process is not None
        time.sleep(0.3)  # which the system takes to end it, if it does
        assert process.poll() is None
        assert confirming.confirmed(report) == first
        assert confirming._crew._workers[0]._process is process
