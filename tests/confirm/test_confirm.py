"""Witnesses are run, compared, kept and shrunk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from nkilint.base.findings import Trial
from nkilint.base.options import Options
from nkilint.base.store import Store
from nkilint.cli import main
from nkilint.confirm import confirm
from nkilint.confirm.shrinking import smaller
from nkilint.confirm.tasks import Account, Task
from nkilint.confirm.workers import Worker
from nkilint.run import engine
from nkilint_rules.rule import Severity

from .confirming import HEAD, confirmed, kernel, one


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


def test_an_index_that_a_run_counts_from_the_end_is_neither_confirmed_nor_denied(tmp_path: Path) -> None:
    source = """\
import nki
import nki.isa as nisa
import nki.language as nl


@nki.jit
def kernel(x):
    assert x.shape == (128, 512)
    output = nl.ndarray((128, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    for i in range(128):
        tile = nl.ndarray((1, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=tile, src=x[i - 1, :])
        nisa.dma_copy(dst=output[i, :], src=tile)
    return output
"""
    found = one(tmp_path, source)
    assert (found.code, found.confirmation, found.severity) == ("NKI301", "not-run", Severity.ERROR)
    assert "from the end" in found.confirmation_reason


ALIKE_FOR_ONE_ROW = """\
import nki
import nki.isa as nisa
import nki.language as nl


# nkilint: x: float32[rows, 512]
@nki.jit
def kernel(x):
    rows = x.shape[0]
    assert rows <= 2 and nl.num_programs(0) == 2
    output = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray((1, 512), dtype=x.dtype, buffer=nl.sbuf)
    at = 0 if rows == 1 else nl.program_id(0)
    nisa.dma_copy(dst=tile, src=x[at : at + 1, :])
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.add, operand0={operand})
    nisa.dma_copy(dst=output[at : at + 1, :], src=tile)
    return output
"""


def test_programs_that_write_the_same_values_do_no_harm(tmp_path: Path) -> None:
    seen = one(tmp_path, ALIKE_FOR_ONE_ROW.format(operand="2.0"))
    assert (seen.code, seen.severity, seen.confirmation) == ("NKI603", Severity.INFO, "not-reproduced")
    assert "the run shows NKI605 alone" in seen.confirmation_reason
    seen = one(tmp_path, ALIKE_FOR_ONE_ROW.format(operand="nl.program_id(0)"))
    assert (seen.code, seen.severity, seen.confirmation) == ("NKI603", Severity.WARNING, "confirmed")


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


def test_explain_shows_what_happens_outside_of_the_contract(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    assert main(["explain", "--no-config", "examples/findings/dataflow_neuronxcc.py::dropped_tail"]) == 0
    _, _, rest = capsys.readouterr().out.partition("Outside of the contract\n")
    condition, evidence = rest.splitlines()[:2]
    assert condition.startswith("  rows % 128 == 0: examples/findings/dataflow_neuronxcc.py:28:")
    assert evidence.startswith("    with x=[129, 512], element (128, 0); confirmed by the reference simulator")


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


STUCK = """\
import nki
import nki.isa as nisa
import nki.language as nl

@nki.jit
def kernel(x):
    rows, columns = x.shape
    assert rows == 128
    y = nl.ndarray((rows, columns), dtype=x.dtype, buffer=nl.shared_hbm)
    for c in range(0, columns, 512):
        width = min(512, columns - c)
        t = nl.ndarray((rows, 512), dtype=x.dtype, buffer=nl.sbuf)
        nisa.dma_copy(dst=t[:, 0:width], src=x[:, c : c + width])
        nisa.dma_copy(dst=y[:, 0:width], src=t[:, 0:width])
    return y
"""


def test_what_a_shorter_last_iteration_leaves_is_told_as_what_is_missing(tmp_path: Path) -> None:
    """The last iteration overwrites a part of what the first wrote; what nothing wrote is told, and by a run."""
    found = one(tmp_path, STUCK)
    assert (found.code, found.precondition, found.severity) == ("NKI703", "columns <= 512", Severity.WARNING)
    assert found.confirmation == "confirmed"
