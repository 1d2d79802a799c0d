"""Witnesses are run, compared, kept and shrunk; and kernels that do harm do none."""

from __future__ import annotations

import ast
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nkilint.base import folders
from nkilint.base.findings import Diagnostic, Trial
from nkilint.base.options import Options
from nkilint.base.store import Store
from nkilint.cli import main
from nkilint.confirm import confirm
from nkilint.confirm.marks import BLOCK, STEP, rows_of
from nkilint.confirm.server import command
from nkilint.confirm.shrinking import smaller
from nkilint.confirm.slices import Slices, Sources
from nkilint.confirm.tasks import Account, Task
from nkilint.confirm.workers import Worker
from nkilint.run import engine
from nkilint_rules.rule import Severity

HEAD = """\
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl
"""

WIDE = """

@nki.jit
def kernel(x):
    assert x.shape == (128, 512)
    {before}
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    i = nl.arange(128)[:, None]
    j = nl.arange(512)[None, :]
    tile = nl.load(x[i, j + 1])
    nl.store(output[i, j], value=tile)
    return output
"""


def confirmed(tmp_path: Path, source: str, name: str = "kernels.py", **options: Any) -> list[Diagnostic]:
    """The errors and warnings on a file, with what came of them."""
    file = tmp_path / name
    file.write_text(source, encoding="utf-8")
    chosen = Options(**{"confirm_memory": 1024, **options})
    report = confirm(engine.check([file], chosen), chosen, [file], {})
    return [d for d in report.diagnostics if d.verdict is not None]


def one(tmp_path: Path, source: str, **options: Any) -> Diagnostic:
    (found,) = confirmed(tmp_path, source, **options)
    return found


def kernel(before: str = "pass", above: str = "") -> str:
    """A kernel that loads one column too many, after doing something else."""
    return HEAD + above + WIDE.format(before=before.replace("\n", "\n    "))


def test_finding_is_confirmed_with_evidence(tmp_path: Path) -> None:
    found = one(tmp_path, kernel())
    assert (found.code, found.confirmation, found.severity) == ("NKI301", "confirmed", Severity.ERROR)


def test_command_line_confirms_unless_told_not_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(kernel(), encoding="utf-8")
    for arguments, expected in (([], "confirmed"), (["--no-confirm"], "not-run")):
        assert main(["--no-config", "--output-format", "json", *arguments, str(file)]) == 1
        (found,) = json.loads(capsys.readouterr().out)["diagnostics"]
        assert found["confirmation"] == expected
    (tmp_path / "nkilint.toml").write_text("confirm = false\n", encoding="utf-8")
    assert main([str(file)]) == 1
    assert "confirmed" not in capsys.readouterr().out


def test_silence_of_the_simulator(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(kernel(), encoding="utf-8")
    report = engine.check([file], Options())
    (finding,) = report.diagnostics
    assert finding.trial is not None
    wrong = replace(report, diagnostics=(replace(finding, code="NKI101", name="partition-limit"),))
    (seen,) = confirm(wrong, Options(), [file], {}).diagnostics
    assert seen.confirmation == "not-run"
    assert "NKI301" in seen.confirmation_reason
    right = (tmp_path / "kernels.py").read_text(encoding="utf-8").replace("j + 1", "j")
    file.write_text(right, encoding="utf-8")
    (seen,) = confirm(report, Options(), [file], {}).diagnostics
    assert (seen.confirmation, seen.severity) == ("not-reproduced", Severity.ERROR)
    conditional = replace(report, diagnostics=(replace(finding, verdict="conditional", severity=Severity.WARNING),))
    (seen,) = confirm(conditional, Options(), [file], {}).diagnostics
    assert (seen.confirmation, seen.severity) == ("not-reproduced", Severity.INFO)


def test_helpers_in_other_files_are_found(tmp_path: Path) -> None:
    (tmp_path / "pieces").mkdir()
    (tmp_path / "pieces" / "__init__.py").write_text("raise SystemExit('not needed')\n", encoding="utf-8")
    helper = HEAD + "SHIFT = 1\nprint('loaded')\n\n\ndef get(x):\n    i = nl.arange(128)[:, None]\n"
    helper += "    j = nl.arange(512)[None, :]\n    return nl.load(x[i, j + SHIFT])\n"
    (tmp_path / "pieces" / "fetch.py").write_text(helper, encoding="utf-8")
    source = HEAD + "from pieces.fetch import get\n\n\n@nki.jit\ndef kernel(x):\n    assert x.shape == (128, 512)\n"
    source += (
        "    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)\n    nl.store(output, value=get(x))\n"
    )
    found = one(tmp_path, source + "    return output\n")
    assert Path(found.at.file).name == "fetch.py"
    assert found.confirmation == "confirmed", found.confirmation_reason


def test_what_is_not_used_need_not_be_there(tmp_path: Path) -> None:
    above = "import absent_package\nfrom absent_package import thing\n\n@thing\ndef test_it():\n    thing()\n"
    assert one(tmp_path, kernel(above=above)).confirmation == "confirmed"
    found = one(tmp_path, kernel("thing(x)", "from absent_package import thing\n"))
    assert found.confirmation == "not-run"
    assert "absent_package" in found.confirmation_reason


def test_results_are_kept_by_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(kernel(), encoding="utf-8")
    store = Store(tmp_path / "cache")
    report = engine.check([file], Options())
    first = confirm(report, Options(), [file], {}, store=store)
    monkeypatch.setattr("nkilint.confirm.workers.Worker.run", lambda *_: pytest.fail("it ran again"))
    assert confirm(report, Options(), [file], {}, store=store) == first


@pytest.mark.parametrize(("assertion", "confirmation"), [("True", "confirmed"), ("x.shape[0] > 60000", "not-run")])
def test_large_witnesses_are_shrunk(tmp_path: Path, assertion: str, confirmation: str) -> None:
    file = tmp_path / "kernels.py"
    file.write_text(
        kernel().replace("x.shape == (128, 512)", assertion).replace("j + 1", "j + x.shape[1]"), encoding="utf-8"
    )
    report = engine.check([file], Options())
    finding = next(d for d in report.diagnostics if d.verdict == "violated")
    assert finding.trial is not None
    trial = replace(finding.trial, arguments={"x": {"array": ["float32", [65536, 4096]]}})
    large = replace(report, diagnostics=(replace(finding, trial=trial),))
    (seen,) = confirm(large, Options(), [file], {}).diagnostics
    assert seen.confirmation == confirmation
    expected = "with smaller inputs: x=float32[1024, 1024]" if confirmation == "confirmed" else "268435456 elements"
    assert expected in seen.confirmation_reason


def test_smaller_inputs_keep_what_is_equal() -> None:
    arguments = {
        "x": {"array": ["float32", [8192, 100_003]]},
        "y": {"array": ["", [100_003, 12]]},
        "n": 8192,
        "b": True,
    }
    trial = Trial("f", "k", (), "neuronxcc", "trn2", False, (), arguments)
    shrunk = [t.arguments for t in smaller(trial, 10_000_000)]
    assert shrunk[0]["x"]["array"][1] == [1024, 1024 + 100_003 % 512]
    assert shrunk[0]["n"] == 1024
    assert shrunk[0]["b"] is True
    assert all(t["x"]["array"][1][1] == t["y"]["array"][1][0] for t in shrunk)
    assert shrunk[-1]["y"]["array"][1][1] == 2


@pytest.mark.parametrize("jobs", [1, 3])
def test_budget_of_a_run(tmp_path: Path, jobs: int) -> None:
    """Whose turn comes too late hangs on the steps of those before, and not on how fast they are."""
    source = "".join(kernel().replace("def kernel", f"def kernel{n}").partition(HEAD)[2] for n in range(4))
    file = tmp_path / "kernels.py"
    file.write_text(HEAD + source, encoding="utf-8")
    report = engine.check([file], Options())
    store = Store(tmp_path / "cache")
    for _ in range(2):
        seen = confirm(report, Options(confirm_budget=500), [file], {}, jobs=jobs, store=store)
        assert [d.confirmation for d in seen.diagnostics] == ["confirmed", "confirmed", "not-run", "not-run"]
    assert seen.diagnostics[3].confirmation_reason == "the 500 steps for confirming findings are used up"


def test_findings_with_one_trial_share_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tasks = []
    run = Worker.run

    def counted(self: Worker, task: Task) -> Account:
        tasks.append(task)
        return run(self, task)

    monkeypatch.setattr(Worker, "run", counted)
    one = "tile = nl.load(x[i, j + 1])"
    twice = kernel().replace(one, f"{one}\n    {one.replace('1', '2')}")
    found = confirmed(tmp_path, twice)
    assert [(d.code, d.confirmation) for d in found] == [("NKI301", "confirmed")] * 2
    assert [d.at.row for d in found] == [row for _, row, _ in tasks[0].marks]
    assert len(tasks) == 1


@pytest.mark.parametrize("store", [True, False])
def test_two_runs_say_the_same(root: Path, tmp_path: Path, store: bool) -> None:
    files = [root / "examples" / "findings" / name for name in ("parallel_neuronxcc.py", "lifetime_nki.py")]
    report = engine.check(files, Options())
    kept = Store(tmp_path / "cache") if store else None
    first = confirm(report, Options(), files, {}, jobs=2, store=kept)
    assert first == confirm(report, Options(), files, {}, jobs=1, store=kept)


IN_A_FACTORY = """

def make(columns, rows=128):
    if rows > 128:
        raise ValueError("too many rows")
    shift = columns - 1

    def narrower():
        step = shift - columns + 2

        @nki.jit
        def kernel(x):
            output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
            i = nl.arange(rows)[:, None]
            j = nl.arange(512)[None, :]
            nl.store(output[i, j], value=nl.load(x[i, j + step]))
            return output

        return kernel

    raise RuntimeError("not to be run")


class Kernels:
    shift = 1

    @staticmethod
    @nki.jit
    def kernel(x):
        output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
        i = nl.arange(128)[:, None]
        j = nl.arange(512)[None, :]
        nl.store(output[i, j], value=nl.load(x[i, j + 1]))
        return output


def ends(x):
    if x:
        return None
    else:
        step = 1

    @nki.jit
    def kernel(x):
        output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
        i = nl.arange(128)[:, None]
        j = nl.arange(512)[None, :]
        nl.store(output[i, j], value=nl.load(x[i, j + step]))
        return output

    return kernel
"""


def test_kernels_that_functions_and_classes_make(tmp_path: Path) -> None:
    found = confirmed(tmp_path, HEAD + IN_A_FACTORY)
    assert {(d.kernel, d.confirmation) for d in found} == {
        ("make.narrower.kernel", "confirmed"),
        ("Kernels.kernel", "confirmed"),
        ("ends.kernel", "not-run"),
    }
    assert "`ends` may end before it makes the kernel" in {d.confirmation_reason for d in found}


EARLY = """

def early(x, y):
    i = nl.arange(128)[:, None]
    j = nl.arange(512)[None, :]
    for m in nl.affine_range(x.shape[0] // 128):
        nl.store(y[m * 128 + i, j], value=nl.load(x[m * 128 + i, j]))


nki.baremetal(early)(np.zeros((64, 512), np.float32), np.zeros((64, 512), np.float32))
"""


def test_output_parameters_are_to_be_written(tmp_path: Path) -> None:
    found = confirmed(tmp_path, "import numpy as np\n" + HEAD + EARLY)
    told = [(d.code, d.confirmation, d.confirmation_reason) for d in found]
    assert any(code in ("NKI702", "NKI703") for code, _, _ in told), told
    assert {confirmation for code, confirmation, _ in told if code != "NKI709"} == {"confirmed"}, told


def test_runs_end_when_all_was_seen(tmp_path: Path) -> None:
    endless = kernel().replace("    return output", "    while True:\n        pass")
    found = confirmed(tmp_path, endless)
    assert ("NKI301", "confirmed") in {(d.code, d.confirmation) for d in found}


# --- slices ---


def test_only_what_a_name_needs_is_executed(tmp_path: Path) -> None:
    source = "import sys\nlog = []\nA = 1\nlog.append(A)\nB = A + 1\nlog.append(B)\ndef f():\n    return B\n"
    source += "def test_f():\n    f()\nC = 1 / 0\nif __name__ == '__main__':\n    raise SystemExit\n"
    file = tmp_path / "m.py"
    file.write_text(source, encoding="utf-8")
    module = Sources([str(tmp_path)], {}, (), {STEP: int, BLOCK: iter}).load("m", str(file))
    assert module.f() == 2
    assert "log" not in vars(module)
    assert module.log == [1, 2]
    with pytest.raises(AttributeError):
        _ = module.test_g
    with pytest.raises(ZeroDivisionError):
        _ = module.C


def test_rows_of_statements() -> None:
    tree = ast.parse(
        "def f(\n    a,\n):\n    g(\n        a\n    )\n    for i in range(\n        3\n    ):\n        pass\n"
    )
    assert rows_of(tree, 5) == range(4, 7)
    assert rows_of(tree, 8) == range(7, 10)
    assert rows_of(tree, 2) == range(1, 4)
    assert Slices(tree, "f").binding == {"f": [0]}


# --- kernels that do harm ---

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
        ("sys.exit(0)", "import sys\n", "ends the program"),
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
    file = tmp_path / "kernels.py"
    file.write_text(kernel(before, above), encoding="utf-8")
    options = Options(confirm_seconds=1 if why == "ran longer than" else 60, confirm_memory=768)
    report = engine.check([file], options)
    (seen,) = confirm(report, options, [file], {}).diagnostics
    assert (seen.confirmation == "confirmed") if not why else (why in seen.confirmation_reason)
    assert file.exists()


def test_checking_executes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "kernels.py"
    mark = tmp_path / "mark"
    file.write_text(kernel(above=f"open({str(mark)!r}, 'w').close()\n"), encoding="utf-8")
    engine.check([file], Options())
    assert not mark.exists()


def test_explain_shows_what_happens_outside_of_the_contract(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    assert main(["explain", "--no-config", "examples/findings/dataflow_neuronxcc.py::dropped_tail"]) == 0
    _, _, rest = capsys.readouterr().out.partition("Outside of the contract\n")
    condition, evidence = rest.splitlines()[:2]
    assert condition.startswith("  rows % 128 == 0: examples/findings/dataflow_neuronxcc.py:28:")
    assert evidence.startswith("    with x=[129, 512], element (128, 0); confirmed by the reference simulator")


PREPARED = """
import functools
TABLE, LIMITS, FOUND, STATE = {}, [], {}, {"shift": 0}
WIDTH = 0


def configure():
    global WIDTH
    WIDTH = 512


def fill(table, key):
    table[key] = 1


def register(name):
    def keep(function):
        FOUND[name] = function
        return function

    return keep


@register("one")
def one():
    return 1


configure()
fill(TABLE, "a")
for n in range(3):
    LIMITS.append(n)
if WIDTH:
    STATE["shift"] = LIMITS[1]
for name in ("b", "c"):
    TABLE[name] = FOUND["one"]()


def unrelated():
    raise RuntimeError("not to be run")


unrelated()
"""


@pytest.mark.parametrize(
    ("name", "value"),
    [("WIDTH", 512), ("TABLE", {"a": 1, "b": 1, "c": 1}), ("LIMITS", [0, 1, 2]), ("STATE", {"shift": 1})],
)
def test_what_a_name_depends_on_is_executed(tmp_path: Path, name: str, value: object) -> None:
    file = tmp_path / "m.py"
    file.write_text(PREPARED, encoding="utf-8")
    sources = Sources([str(tmp_path)], {}, (), {STEP: int, BLOCK: iter})
    assert getattr(sources.load("m", str(file)), name) == value


def test_statements_with_effects_elsewhere_are_missed(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text("SHIFT = 0\n\ndef setup():\n    pass\n", encoding="utf-8")
    file = tmp_path / "m.py"
    file.write_text("import config\nA = 1\nconfig.setup()\n", encoding="utf-8")
    sources = Sources([str(tmp_path)], {}, (), {STEP: int, BLOCK: iter})
    assert sources.load("m", str(file)).A == 1
    assert sources.left_out() == "line 3 of m.py"


def test_silence_before_the_statement_says_nothing(tmp_path: Path) -> None:
    """A run that does not come to the statement, or leaves something out, refutes nothing."""
    file = tmp_path / "kernels.py"
    file.write_text(kernel(), encoding="utf-8")
    report = engine.check([file], Options())
    for before, reason in (
        (
            kernel()
            .replace("j + 1", "j")
            .replace("    tile", "    tile = nl.load(x)\n    if x.shape[0] < 0:\n     tile", 1),
            "does not come to",
        ),
        (kernel(above="import neuronxcc\n").replace("j + 1", "j") + "neuronxcc.prepare()\n", ""),
    ):
        file.write_text(before, encoding="utf-8")
        (finding,) = report.diagnostics
        rows = before.count("\n", 0, before.index("tile = nl.load(x[")) + 1 - finding.at.row
        moved = replace(finding, at=replace(finding.at, row=finding.at.row + rows, end_row=finding.at.end_row + rows))
        (seen,) = confirm(replace(report, diagnostics=(moved,)), Options(), [file], {}).diagnostics
        assert seen.confirmation == "not-run"
        assert reason in seen.confirmation_reason


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
