"""Where the system says no: one line that says what, exit code 2, and everything else is done all the same."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nkilint.cli import main
from tests.conftest import ROOT
from tests.support.programs import Prepare, as_anyone, files_of, nkilint, without

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has other edges")

WHOLE = (ROOT / "examples" / "findings" / "limits_nki.py").read_text(encoding="utf-8")
KERNEL = WHOLE[: WHOLE.index("@nki.jit\ndef large_accumulator")]
FOUND = 2  # in it, one of them with a repair
CONCISE = ("--no-confirm", "--output-format", "concise")
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no full device")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "k.py").write_text(KERNEL, encoding="utf-8")
    return tmp_path


def findings(text: str) -> list[str]:
    return [line for line in text.splitlines() if " NKI1" in line]


@pytest.mark.parametrize("mode", [0o000, 0o444])
@pytest.mark.parametrize("path", [".", "closed"])
def test_a_folder_that_cannot_be_read(folder: Path, mode: int, path: str) -> None:
    """It is named, or what is in it, and the others are checked."""
    (folder / "closed" / "inner").mkdir(parents=True)
    (folder / "closed" / "k.py").write_text(KERNEL, encoding="utf-8")
    (folder / "closed").chmod(mode)
    try:
        ran = nkilint(*CONCISE, path, folder=folder, prepare=as_anyone)
    finally:
        (folder / "closed").chmod(0o755)
    denied = [line for line in ran.stdout.splitlines() if "permission denied" in line]
    assert [line.partition(":")[0] for line in denied] == (["closed"] if mode == 0 else ["closed/inner", "closed/k.py"])
    assert len(findings(ran.stdout)) == (FOUND if path == "." else 0)
    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr


def test_a_file_in_a_folder_that_cannot_be_entered(folder: Path) -> None:
    (folder / "closed").mkdir()
    (folder / "closed" / "k.py").write_text(KERNEL, encoding="utf-8")
    (folder / "closed").chmod(0o444)
    try:
        ran = nkilint(*CONCISE, "closed/k.py", folder=folder, prepare=as_anyone)
    finally:
        (folder / "closed").chmod(0o755)
    assert ran.stdout == "closed/k.py:1:1: NKI001 cannot read the file or folder: permission denied\n"
    assert ran.returncode == 2


@pytest.mark.parametrize("path", [".", "loop", "x.py"])
def test_links_in_a_circle(
    folder: Path, path: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "loop").symlink_to("loop")
    (folder / "x.py").symlink_to("y.py")
    (folder / "y.py").symlink_to("x.py")
    monkeypatch.chdir(folder)
    assert main([*CONCISE, path]) == 2
    output, errors = capsys.readouterr()
    told = [line for line in output.splitlines() if "too many levels of symbolic links" in line]
    assert len(told) == (2 if path == "." else 1)
    assert len(findings(output)) == (FOUND if path == "." else 0)
    assert "Traceback" not in errors


COMMANDS = [
    ("check", "--no-confirm", "{}"),
    ("check", "--fix", "{}"),
    ("explain", "{}"),
    ("versions", "{}"),
    ("migrate", "{}", "--to", "0.2"),
    ("config", "{}"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(c[:2]))
@pytest.mark.parametrize("name", ["a" * 300 + ".py", "/".join(["a" * 200] * 25)])
def test_paths_beyond_the_limit(
    folder: Path,
    command: tuple[str, ...],
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    assert main([part.format(name) for part in command]) == 2
    output, errors = capsys.readouterr()
    told = [line for line in (output + errors).splitlines() if name[:1000] in line]
    assert len(told) == 1
    assert command[0] == "config" or told[0].endswith("file name too long")
    assert "fault" not in errors


def test_a_path_that_grows_beyond_the_limit(folder: Path) -> None:
    """The names of files in a folder can be too long where the folder's own is not."""
    inner = folder
    try:
        here = os.getcwd()
        os.chdir(folder)
        for _ in range(25):
            os.mkdir("b" * 200)
            os.chdir("b" * 200)
        Path("k.py").write_text(KERNEL, encoding="utf-8")
        ran = subprocess.run(
            [sys.executable, "-m", "nkilint", *CONCISE, "."], capture_output=True, text=True, check=False
        )
    finally:
        os.chdir(here)
    assert ran.stdout == "k.py:1:1: NKI001 cannot read the file: file name too long\n"
    assert ran.returncode == 2
    shutil.rmtree(inner / ("b" * 200))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: " ".join(c[:2]))
def test_a_working_folder_that_is_gone(folder: Path, command: tuple[str, ...]) -> None:
    gone = folder / "gone"
    gone.mkdir()
    arguments = [part.format(folder / "k.py") for part in command]
    ran = nkilint(*arguments, folder=gone, prepare=lambda: os.rmdir(gone))
    assert ran.stderr == "nkilint: the working folder cannot be read: no such file or directory\n"
    assert ran.stdout == ""
    assert ran.returncode == 2
    assert "# NKI101" in nkilint("rule", "NKI101", folder=folder).stdout


PRINTING = [
    (*CONCISE, "k.py"),
    ("--no-confirm", "--output-format", "json", "k.py"),
    ("--diff-only", "k.py"),
    ("explain", "k.py"),
    ("versions", "k.py"),
    ("rule", "NKI101"),
    ("rule", "--all"),
    ("config",),
    ("--help",),
    ("--version",),
]


@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_standard_output_is_closed(folder: Path, arguments: tuple[str, ...]) -> None:
    ran = nkilint(*arguments, folder=folder, prepare=without(1))
    assert ran.stderr.endswith("nkilint: standard output cannot be written: it is closed\n")
    assert "Traceback" not in ran.stderr
    assert ran.returncode == 2


@FULL
@pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
def test_standard_output_is_full(folder: Path, arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        ran = nkilint(*arguments, folder=folder, stdout=full.fileno())
    assert ran.stderr.endswith("nkilint: standard output cannot be written: no space left on device\n")
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr
    assert ran.returncode == 2


def test_standard_error_is_closed(folder: Path) -> None:
    ran = nkilint("--output-format", "concise", "k.py", folder=folder, prepare=without(2))
    assert len(findings(ran.stdout)) == FOUND
    assert ran.returncode == 1


@FULL
def test_standard_error_is_full(folder: Path) -> None:
    with open("/dev/full", "wb") as full:
        ran = nkilint("--output-format", "concise", "k.py", folder=folder, stderr=full.fileno())
    assert len(findings(ran.stdout)) == FOUND
    assert ran.returncode == 1


@pytest.mark.parametrize("number", [0, 1, 2])
def test_what_is_kept_is_not_written_to_in_place_of_a_stream(
    folder: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is opened while a standard stream is closed must not become that stream."""
    monkeypatch.delenv("NKILINT_NO_CACHE")
    expected = nkilint(*CONCISE, "--no-cache", "k.py", folder=folder).stdout
    nkilint(*CONCISE, "--output-file", "out.txt", "k.py", folder=folder, prepare=without(number))
    assert (folder / "out.txt").read_text(encoding="utf-8") == expected
    assert nkilint(*CONCISE, "k.py", folder=folder).stdout == expected


def test_standard_input_is_closed(folder: Path) -> None:
    ran = nkilint(*CONCISE, "-", folder=folder, prepare=without(0))
    assert ran.stderr == "command line: NKI004 standard input cannot be read: it is closed\n"
    assert ran.returncode == 2


def _quietly(limit: Prepare) -> Prepare:
    """A limit on files that does not end the program."""

    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limit()

    return prepare


@pytest.mark.parametrize("old", [None, "old\n"])
@pytest.mark.parametrize("option", ["--output-file", "--baseline"])
def test_a_report_that_cannot_be_written(folder: Path, old: str | None, option: str) -> None:
    """What was there stays, and nothing half-written beside it."""
    if old is not None:
        (folder / "out").write_text(old, encoding="utf-8")
    more = ("--write-baseline",) if option == "--baseline" else ()
    if more and old is not None:
        (folder / "out").write_text('{"version": 1, "findings": []}', encoding="utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = nkilint("--no-confirm", option, "out", *more, "k.py", folder=folder, prepare=_quietly(files_of(100)))
    assert ran.stderr.endswith("out: cannot be written: file too large\n")
    assert ran.returncode == 2
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("file", "reason"), [(".", "is a directory"), ("none/out", "no such file or directory"), ("a" * 300, "too long")]
)
def test_a_report_without_a_place(
    folder: Path, file: str, reason: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert main(["--no-confirm", "--output-file", file, "k.py"]) == 2
    (told,) = [line for line in capsys.readouterr().err.splitlines() if "cannot be written" in line]
    assert told.endswith(reason)
    assert [path.name for path in folder.iterdir()] == ["k.py"]


def test_repairs_on_a_full_disk(folder: Path) -> None:
    """The file stays as it was, which is said, and nothing counts as repaired."""
    before = (folder / "k.py").read_bytes()
    ran = nkilint(*CONCISE, "--fix", "k.py", folder=folder, prepare=_quietly(files_of(100)))
    assert "k.py: cannot be written: file too large\n" in ran.stderr
    assert ran.stderr.endswith("0 findings repaired in 0 files\n")
    assert len(findings(ran.stdout)) == FOUND
    assert ran.returncode == 2
    assert [path.name for path in folder.iterdir()] == ["k.py"]
    assert (folder / "k.py").read_bytes() == before


def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    folder.chmod(0o555)
    try:
        ran = nkilint(*CONCISE, "--fix", "k.py", folder=folder, prepare=as_anyone)
    finally:
        folder.chmod(0o755)
    assert "k.py: cannot be written: permission denied\n" in ran.stderr
    assert ran.returncode == 2


def test_what_killed_runs_left_is_removed(folder: Path) -> None:
    """Only theirs, and only of those that are no more."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    stale, live = f".nkilint-{ended.pid}-0123abcd", f".nkilint-{os.getpid()}-0123abcd"
    for name in (stale, live, ".nkilint-notes"):
        (folder / name).touch()
    assert nkilint(*CONCISE, "--fix", "k.py", folder=folder).returncode == 1
    assert sorted(path.name for path in folder.iterdir()) == sorted([live, ".nkilint-notes", "k.py"])


def test_a_fault_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*_: object) -> int:
        raise TypeError("no such luck")

    monkeypatch.setattr("nkilint.cli.rule.run", run)
    assert main(["rule", "NKI101"]) == 2
    told = "nkilint: a fault of this tool; please report it: TypeError in test_edges.run (no such luck)\n"
    assert capsys.readouterr().err == told


def test_millions_of_blank_lines(folder: Path) -> None:
    """They cost a few times as much processor time as a small file takes, and change nothing."""

    def checked() -> tuple[float, list[str]]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ran = nkilint(*CONCISE, "--no-cache", "k.py", folder=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found = [line.split(":", 3)[-1] for line in findings(ran.stdout)]
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, found

    (folder / "k.py").write_text(WHOLE, encoding="utf-8")
    short, found = checked()
    (folder / "k.py").write_text("\n" * 1_000_000 + WHOLE, encoding="utf-8")
    long, same = checked()
    assert same == found
    assert long < 3 * short


@pytest.mark.parametrize("name", [".gitignore", "pyproject.toml", "nkilint.toml", "helper.py"])
@pytest.mark.parametrize("target", ["/dev/zero", "fifo", "/dev/stdin"])
def test_what_never_ends_is_not_read(folder: Path, name: str, target: str) -> None:
    (folder / ".git").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / name).symlink_to(target)
    (folder / "k.py").write_text("import helper\n" + KERNEL, encoding="utf-8")
    ran = nkilint(*CONCISE, "--no-cache", "k.py", ".", folder=folder)
    assert len(findings(ran.stdout)) == FOUND
    assert ran.returncode == (2 if name == "helper.py" else 1)


def test_a_baseline_that_never_ends(folder: Path) -> None:
    (folder / "nkilint.toml").write_text('baseline = "known"\n', encoding="utf-8")
    (folder / "known").symlink_to("/dev/zero")
    ran = nkilint(*CONCISE, "--no-cache", "k.py", folder=folder)
    assert ran.returncode == 2
    assert ran.stderr.startswith("known:1:1: NKI004 cannot be read: it is no regular file")
