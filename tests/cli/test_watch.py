"""`--watch` checks again what changes, and nothing else, until somebody ends it."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from nkilint.base.options import Options
from nkilint.base.store import Memory
from nkilint.cli import main
from nkilint.cli.watch import CLEAR, IDLE, watch
from nkilint.run.fresh import incremental

from ..support.processes import environment, heeding

KERNEL = """\
import nki
import nki.language as nl
from sizes import ROWS


@nki.jit
def k(x):
    tile = nl.ndarray((ROWS, 4), dtype=x.dtype, buffer=nl.sbuf)
"""
OTHER = KERNEL.replace("from sizes import ROWS\n", "").replace("ROWS", "128").replace("def k", "def other")
READY = "waiting for changes; Ctrl-C ends it\n"
PATIENCE = 600.0  # seconds after which a program hangs: no machine is that busy


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "k.py").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "other.py").write_text(OTHER, encoding="utf-8")
    (tmp_path / "sizes.py").write_text("ROWS = 128\n", encoding="utf-8")
    return tmp_path


class Watching:
    """`nkilint . --watch` in a folder."""

    def __init__(self, folder: Path, root: Path) -> None:
        command = [sys.executable, "-m", "nkilint", ".", "--watch", "--output-format", "concise", "--no-confirm"]
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment(PYTHONUNBUFFERED="1"),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            preexec_fn=heeding if os.name != "nt" else None,
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def told(self) -> str:
        """What it prints up to where it waits again."""
        text = ""
        while not text.endswith(READY):
            text += self._lines.get(timeout=PATIENCE)
        return text.removesuffix(READY)


@pytest.fixture
def watching(folder: Path, root: Path) -> Iterator[Watching]:
    started = Watching(folder, root)
    yield started
    started.process.kill()
    started.process.wait()
    assert started.process.stdout is not None
    started.process.stdout.close()


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_changes_of_helpers_and_configuration_are_noticed(watching: Watching, folder: Path) -> None:
    assert "no findings\n" in watching.told()
    (folder / "sizes.py").write_text("ROWS = 1300\n", encoding="utf-8")
    found = watching.told()
    assert found.startswith("k.py:8:12: NKI101 tile [1300, 4] spans 1300 partitions")
    assert CLEAR not in found
    (folder / "nkilint.toml").write_text("ignore = 3\n", encoding="utf-8")
    assert "nkilint.toml:1:1: NKI004 `ignore` takes a list of strings\n" in watching.told()
    (folder / "nkilint.toml").write_text('ignore = ["NKI101"]\n', encoding="utf-8")
    assert "no findings\n" in watching.told()
    (folder / "new.py").write_text(OTHER.replace("128", "2000"), encoding="utf-8")
    (folder / "nkilint.toml").unlink()
    while "new.py:7:12: NKI101" not in watching.told():
        pass
    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(PATIENCE) == 1


def test_only_dependents_are_verified_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    memory = Memory()

    def verified() -> list[str]:
        _, runner = incremental([Path()], Options(confirm=False), overlay={}, store=memory)
        return sorted(runner.verified)

    assert verified() == ["k", "other"]
    assert verified() == []
    Path("sizes.py").write_text("ROWS = 64\n", encoding="utf-8")
    assert verified() == ["k"]
    Path("other.py").write_text(OTHER.replace("4", "8"), encoding="utf-8")
    assert verified() == ["other"]


def test_looks_at_many_files_are_rarer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spent, pauses = 0.0, []

    def look(*_: object) -> dict[str, bool]:
        nonlocal spent
        spent += 0.06
        return {}

    def rest(pause: float) -> None:
        pauses.append(pause)
        if len(pauses) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("nkilint.cli.watch._stamps", look)
    monkeypatch.setattr("time.process_time", lambda: spent)
    monkeypatch.setattr("time.sleep", rest)
    watch([tmp_path], lambda: (0, ()))
    assert pauses == pytest.approx([0.06 / IDLE] * 3)


def test_a_terminal_is_cleared(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    calls = 0

    def check() -> tuple[int, list[str]]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        (folder / "new.py").write_text("#" * calls, encoding="utf-8")  # while files are being checked
        return calls, []

    assert watch([folder], check, pause=0.01) == 2
    assert capsys.readouterr().out == 3 * CLEAR


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-"], "--watch waits for files to change; give some instead of `-`"),
        ([".", "--fix"], "--watch only reports; leave out --fix"),
        ([".", "--diff-only"], "--watch only reports; leave out --diff-only"),
        ([".", "--write-baseline", "--baseline", "b.json"], "--watch only reports; leave out --write-baseline"),
    ],
)
def test_what_does_not_go_with_it(
    arguments: list[str],
    complaint: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    assert main([*arguments, "--watch"]) == 2
    assert complaint in capsys.readouterr().err
