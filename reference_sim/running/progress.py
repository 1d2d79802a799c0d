"""How far a long launch is, told by a thread that looks on: launches do nothing for it but say that they are there."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from reference_sim.machine.program import Program
from reference_sim.report.sites import is_users, shown

QUIET = 2.0  # seconds of a launch before anything is told of it
PAUSE, PAUSE_ELSEWHERE = 0.5, 10.0  # between two updates of a terminal's line, and between two lines of a log
WIDTH = 79

_LAUNCHES: list[Launched] = []
_TELLERS: list[_Teller] = []


@dataclass(eq=False)
class Launched:
    """A launch that runs: its programs that run, and what became of the others."""

    kernel: str
    total: int
    running: list[Program] = field(default_factory=list)
    ended: int = 0
    steps: int = 0
    began: float = field(default_factory=time.monotonic)

    def end(self, program: Program) -> None:
        """A program has ended."""
        self.steps += program.clock
        self.ended += 1
        self.running.remove(program)


@contextmanager
def launched(kernel: str, total: int) -> Iterator[Launched]:
    """The body runs the programs of one launch."""
    entry = Launched(kernel, total)
    _LAUNCHES.append(entry)
    try:
        yield entry
    finally:
        _LAUNCHES.remove(entry)
        for teller in _TELLERS:
            teller.tell("")


@contextmanager
def told(stream: TextIO) -> Iterator[None]:
    """Tell on a stream, while the body runs, how far launches are."""
    teller = _Teller(stream)
    _TELLERS.append(teller)
    thread = threading.Thread(target=teller.look_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        teller.ended.set()
        thread.join()
        _TELLERS.remove(teller)


class _Teller:
    """Keeps a line of a terminal up to date, or writes lines to a log."""

    def __init__(self, stream: TextIO) -> None:
        self.ended = threading.Event()
        self._stream, self._live = stream, stream.isatty()
        self._lock = threading.Lock()
        self._length = 0

    def look_on(self) -> None:
        pause = PAUSE if self._live else PAUSE_ELSEWHERE
        while not self.ended.wait(pause):
            with self._lock:
                self._write(state(time.monotonic()))

    def tell(self, text: str) -> None:
        with self._lock:
            self._write(text)

    def _write(self, text: str) -> None:
        if self._live and (text or self._length):
            text = text[:WIDTH]
            self._stream.write(f"\r{text.ljust(self._length)}" + ("" if text else "\r"))
            self._length = len(text)
        elif text:
            self._stream.write(f"{text}\n")
        self._stream.flush()


def state(now: float) -> str:
    """How far the launch is that runs; nothing where none does for long."""
    launches = list(_LAUNCHES)
    if not launches or now - launches[-1].began < QUIET:
        return ""
    launch = launches[-1]
    seconds, running, ended = now - launch.began, list(launch.running), launch.ended
    steps = launch.steps + sum(p.clock for p in running)
    parts = [f"{launch.kernel or 'a kernel'}: {seconds:.0f} s"]
    if launch.total > 1:
        left = f", {seconds / ended * (launch.total - ended):.0f} s left" if ended else ""
        parts.append(f"{ended} of {launch.total} programs{left}")
    parts.append(f"{steps} steps, {steps / seconds:.0f}/s")
    return ", ".join([*parts, *_line(next((p for p in running if p.thread), None))])


def _line(program: Program | None) -> Iterator[str]:
    """Where a program is in the kernel's source."""
    frame = None if program is None else sys._current_frames().get(program.thread)
    while frame is not None and not is_users(frame.f_code):
        frame = frame.f_back
    if frame is not None:
        yield f"{shown(frame.f_code.co_filename)}:{frame.f_lineno}"
