"""The command line: what it asks of the engine, what it prints where, and its exit codes."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from nkilint.base.findings import KernelReport, ObligationCount, Report
from nkilint.base.ir import Span
from nkilint.base.options import Options
from nkilint.cli import explain, main
from nkilint.cli.progress import Progress
from nkilint.run import fresh

from ..support.processes import environment
from ..support.reports_sample import OPEN, REPORT, SOURCES, TAIL, TOO_WIDE, UNREADABLE
from ..support.terminals import Terminal

OK = KernelReport("k.py", "k", Span("k.py", 1, 5, 1, 6), "nki", "verified", obligations=ObligationCount(proved=1))
LEFT_OPEN = replace(OK, verdict="incomplete", obligations=ObligationCount(proved=1, unknown=1))


@dataclass
class Engine:
    """Stands in for the engine: gives `report`, remembers what it was asked."""

    report: Report = field(default_factory=lambda: Report("trn2", files=1, kernels=(OK,)))
    paths: list[str] = field(default_factory=list)
    options: Options = field(default_factory=Options)
    overlay: Mapping[str, bytes] = field(default_factory=dict)

    def check(
        self,
        paths: Sequence[Path],
        options: Options,
        *,
        overlay: Mapping[str, bytes] | None = None,
        progress: Any = None,
        choose: Any = None,
        runner: Any = None,
        lower: Any = None,
        finish: Any = None,
    ) -> Report:
        self.paths, self.options, self.overlay = [p.as_posix() for p in paths], options, overlay or {}
        report = replace(self.report, target=options.target)
        return report if finish is None else finish(report, report.kernels)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Engine:
    """A stand-in engine, and a working folder of its own."""
    stand_in = Engine()
    for module in (fresh, explain):
        monkeypatch.setattr(module, "check", stand_in.check)
    monkeypatch.chdir(tmp_path)
    return stand_in


Streams = pytest.CaptureFixture[str]


def test_check_is_the_default_command(engine: Engine, capsys: Streams) -> None:
    for arguments in (["check", "a.py", "b"], ["a.py", "b"], ["--strict", "a.py", "b"]):
        assert main(arguments) == 0
        assert engine.paths == ["a.py", "b"]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("report", "options", "code"),
    [
        (Report("trn2", kernels=(OK,)), [], 0),
        (Report("trn2", kernels=(OK,)), ["--strict"], 0),
        (Report("trn2", (TOO_WIDE,)), [], 1),
        (Report("trn2", (TOO_WIDE,)), ["--exit-zero"], 0),
        (Report("trn2", (TAIL,)), [], 0),
        (Report("trn2", (TAIL,)), ["--strict"], 1),
        (Report("trn2", (replace(OPEN, confirmation="not-run"),)), ["--strict"], 0),
        (Report("trn2", (OPEN,)), [], 0),
        (Report("trn2", (OPEN,)), ["--strict"], 1),
        (Report("trn2", kernels=(LEFT_OPEN,)), [], 0),
        (Report("trn2", kernels=(LEFT_OPEN,)), ["--strict"], 1),
        (Report("trn2", (TOO_WIDE,), failures=(UNREADABLE,)), [], 2),
        (Report("trn2", failures=(UNREADABLE,)), ["--exit-zero"], 2),
    ],
)
def test_exit_codes(engine: Engine, capsys: Streams, report: Report, options: list[str], code: int) -> None:
    engine.report = report
    assert main([*options, "."]) == code


def test_findings_go_to_stdout_and_the_summary_to_stderr(engine: Engine, capsys: Streams) -> None:
    engine.report = replace(REPORT, failures=())
    assert main(["--output-format", "concise", "."]) == 1
    streams = capsys.readouterr()
    assert [line.split()[1] for line in streams.out.splitlines()] == ["NKI709", "NKI103", "NKI003"]
    assert streams.err.splitlines()[-1] == "3 findings: 1 error, 1 warning, 1 info (1 suppressed)"


def test_json_is_the_only_thing_on_stdout(engine: Engine, capsys: Streams) -> None:
    engine.report = REPORT
    assert main(["--output-format", "json", "--statistics", "--target", "trn1", "."]) == 2
    document = json.loads(capsys.readouterr().out)
    assert (document["version"], document["target"], len(document["diagnostics"])) == (1, "trn1", 4)


def test_statistics_follow_the_findings(engine: Engine, capsys: Streams) -> None:
    engine.report = Report("trn2", (TOO_WIDE, TAIL, TOO_WIDE))
    main(["--statistics", "--output-format", "concise", "."])
    assert capsys.readouterr().out.splitlines()[-2:] == ["2  NKI103  matmul-tile-limit", "1  NKI709  unread-input"]


def test_output_file(engine: Engine, capsys: Streams, tmp_path: Path) -> None:
    engine.report = Report("trn2", (TOO_WIDE,))
    assert main(["--output-file", "out.txt", "--output-format", "concise", "."]) == 1
    assert capsys.readouterr().out == ""
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").startswith("kernels/mlp.py:11:47: NKI103 moving")
    assert main(["--output-file", "no/such/folder/out.txt", "."]) == 2
    assert capsys.readouterr().err.endswith("no/such/folder/out.txt: cannot be written: no such file or directory\n")


def test_standard_input(engine: Engine, capsys: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.report = Report("trn2", (TOO_WIDE,))
    for options, name in (([], "-"), (["--stdin-filename", "kernels/mlp.py"], "kernels/mlp.py")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SOURCES["kernels/mlp.py"])))
        assert main([*options, "-"]) == 1
        assert engine.paths == [name]
        assert engine.overlay == {name: SOURCES["kernels/mlp.py"]}
    assert "11 |         acc += nisa.nc_matmul(" in capsys.readouterr().out


def test_options_of_the_command_line_come_after_the_configuration(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "nkilint.toml").write_text('target = "trn1"\nignore = ["NKI301"]\n', encoding="utf-8")
    main(["."])
    assert (engine.options.target, engine.options.select, engine.options.ignore) == ("trn1", ("NKI",), ("NKI301",))
    main(["--target", "trn3", "--select", "NKI3,nki8", "--ignore", "NKI80", "--strict", "."])
    assert (engine.options.target, engine.options.select) == ("trn3", ("NKI3", "NKI8"))
    assert engine.options.ignore == ("NKI301", "NKI80")
    assert engine.options.strict
    main(["--no-config", "."])
    assert (engine.options.target, engine.options.ignore) == ("", ())
    (tmp_path / "other.toml").write_text('target = "inf2"', encoding="utf-8")
    main(["--config", "other.toml", "."])
    assert engine.options.target == "inf2"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "trn4", "."], "command line: NKI004 unknown target `trn4`; known are trn1, inf2, trn2, trn3"),
        (["--select", "X1", "."], "command line: NKI004 no rule has a code that begins with `X1`"),
        (["--config", "no.toml", "."], "no.toml:1:1: NKI004 cannot be read: No such file or directory"),
        (["--config", "bad.toml", "."], "bad.toml:2:1: NKI004 unknown key `tagret`; did you mean `target`?"),
        (
            ["explain", "--config", "bad.toml", "k.py"],
            "bad.toml:2:1: NKI004 unknown key `tagret`; did you mean `target`?",
        ),
        (["rule", "NKI3O1"], "nkilint: there is no rule `NKI3O1`; did you mean `NKI301`?"),
        (["rule", "nki21"], "nkilint: there is no rule `nki21`; there are NKI210, NKI211, NKI212, NKI213, NKI215"),
        (["rules"], "nkilint: there is no command, file or folder `rules`; did you mean `rule`?"),
        (["config", "no.py"], "nkilint: there is no file or folder no.py"),
        (["explain", "k.py::j"], "nkilint: there is no kernel `j` in k.py; it has `k`"),
        (["explain", "k.py::kk"], "nkilint: there is no kernel `kk` in k.py; did you mean `k`?"),
    ],
)
def test_mistakes_are_one_line(
    engine: Engine, capsys: Streams, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "bad.toml").write_text('confirm = true\ntagret = "trn1"\n', encoding="utf-8")
    assert main(arguments) == 2
    streams = capsys.readouterr()
    assert (streams.out, streams.err) == ("", message + "\n")


def test_a_number_of_processes(capsys: Streams) -> None:
    for text in ("0", "-1", "two"):
        assert main([f"--jobs={text}", "."]) == 2
        assert capsys.readouterr().err.endswith(f"error: argument -j/--jobs: `{text}` is no number of processes\n")


@pytest.mark.parametrize("arguments", [[], ["check"], ["rule"], ["--no-such-option", "."], ["rule", "--all", "NKI301"]])
def test_wrong_usage(capsys: Streams, arguments: list[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("usage: nkilint")


def test_rule(capsys: Streams) -> None:
    assert main(["rule", "nki301"]) == main(["rule", "out-of-bounds"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("# NKI301 out-of-bounds\n\nAn access reaches outside its tensor.\n")
    assert page[: len(page) // 2] == page[len(page) // 2 :]
    assert main(["rule", "NKI301", "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["aws"] == ["err_tensor_access_out_of_bound"]
    assert main(["rule", "--all"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert main(["rule", "--all", "--output-format", "json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert [line.split()[:2] for line in listed] == [[e["code"], e["name"]] for e in entries]


def test_explain(engine: Engine, capsys: Streams) -> None:
    engine.report = replace(engine.report, kernels=(OK, LEFT_OPEN))
    assert main(["explain", "k.py::k"]) == 0
    assert engine.options.proofs
    assert capsys.readouterr().out.startswith("k.py::k (line 1, nki): verified\n\n1 obligation: 1 proved\n")
    engine.report = replace(engine.report, failures=(UNREADABLE,))
    assert main(["explain", "k.py::k"]) == 2
    assert capsys.readouterr().err == "kernels/absent.py:1:1: NKI001 cannot be read: no such file or directory\n"


def test_progress_in_a_log_is_a_line_every_ten_seconds() -> None:
    times = iter([0.0, 9.5, 10.5, 12.0, 21.0])
    stream = io.StringIO()
    with Progress(stream, lambda: next(times)) as progress:
        for done in range(4):
            progress(done, 4, f"files; file{done}.py")
    assert stream.getvalue() == "1/4 files, 1/s, 3 s left; file1.py\n3/4 files, 0.261/s, 4 s left; file3.py\n"


def test_progress_tells_what_takes_long() -> None:
    times = iter([0.0, 1.0, 12.0, 23.0])
    stream = io.StringIO()
    with Progress(stream, lambda: next(times)) as progress:
        for what in ("kernels, 1 finding; k.py::quick", "kernels; k.py::slow", "kernels; k.py::slow"):
            progress(5, 9, what)
    first, second = "5/9 kernels, 0.417/s, 10 s left; k.py::slow", "5/9 kernels, 0.217/s, 18 s left; k.py::slow"
    assert stream.getvalue() == f"{first}\n{second} for 11 s\n"


def test_progress_clears_the_line_of_a_terminal() -> None:
    times = iter([0.0, 1.5, 2.0])
    stream = Terminal()
    with Progress(stream, lambda: next(times)) as progress:
        progress(1, 2, "files; long.py")
        progress(2, 2, "files; b.py")
    first, second = "1/2 files, 0.667/s, 2 s left; long.py", "2/2 files, 1/s, 0 s left; b.py"
    assert stream.getvalue() == f"\r{first}\r{second.ljust(len(first))}\r{' ' * len(second)}\r"


def test_a_closed_pipe_is_no_crash(root: Path) -> None:
    command = f"'{sys.executable}' -m nkilint rule --all --output-format json | head -c 1"
    run = subprocess.run(
        command, shell=True, cwd=root, capture_output=True, text=True, env={"PYTHONPATH": f"{root}:rules"}
    )
    assert (run.stdout, run.stderr) == ("[", "")


def test_nothing_is_imported_from_the_working_folder(root: Path, tmp_path: Path) -> None:
    """`python -m` puts it first on the path; what stands there is read only."""
    mark = tmp_path / "mark"
    for name in ("json", "argparse", "gc", "z3", "libcst", "numpy", "tomllib", "dataclasses", "hashlib", "helpers"):
        (tmp_path / f"{name}.py").write_text(f"open({str(mark)!r}, 'a').write({name!r})\n", encoding="utf-8")
    (tmp_path / "kernels.py").write_text(
        "import nki\nimport nki.language as nl\nimport helpers\n\n\n@nki.jit\ndef k(x):\n"
        "    return nl.ndarray((129, 4), dtype=x.dtype, buffer=nl.sbuf)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "nkilint", "--no-config", "kernels.py"]
    run = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert "NKI101" in run.stdout, run.stderr
    assert "confirmed" in run.stdout
    assert not mark.exists(), mark.read_text(encoding="utf-8")
