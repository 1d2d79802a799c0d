"""Shows on a stream how far a long run has come."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

QUIET = 1.0  # seconds before the first sign of life on a terminal
PAUSE = 0.1  # between two updates of a terminal's line
LONG = 3.0  # seconds from which it is told how long something has been at hand
PAUSE_ELSEWHERE = 10.0  # between two lines of a log
WIDTH = 79  # characters of a terminal's line
SHORT = 20  # characters that what is at hand has at least: its end tells most


class Progress:
    """Called with (done, total, what these are and, after a semicolon, what is at hand); short runs pass in silence."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._live = stream.isatty()
        began = clock()
        self._next = began + (QUIET if self._live else PAUSE_ELSEWHERE)
        self._shown = 0
        self._since, self._first, self._last = began, 0, 0
        self._total, self._what, self._reached = 0, "", began

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    def clear(self) -> None:
        """Make way for something else on the terminal."""
        if self._shown:
            self._stream.write("\r" + " " * self._shown + "\r")
            self._stream.flush()
            self._shown = 0

    def _speed(self, done: int, total: int, now: float) -> str:
        """How many are done in a second, and how long the rest takes at that."""
        elapsed, counted = now - self._since, done - self._first
        if counted <= 0 or elapsed < QUIET:
            return ""
        rate = counted / elapsed
        left = (total - done) / rate
        return f", {rate:.3g}/s, {left:.0f} s left" if left < 120 else f", {rate:.3g}/s, {left / 60:.0f} min left"

    def __call__(self, done: int, total: int, what: str) -> None:
        now = self._clock()
        if not done or done < self._last or self._total not in (0, total):  # files are read, kernels verified then
            self._since, self._first = now, done
        self._last, self._total = done, total
        if what != self._what:
            self._what, self._reached = what, now
        if now < self._next:
            return
        self._next = now + (PAUSE if self._live else PAUSE_ELSEWHERE)
        waited = now - self._reached
        counts, _, at_hand = what.partition("; ")
        at_hand += f" for {waited:.0f} s" if waited >= LONG else ""
        text = f"{done}/{total} {counts}{self._speed(done, total, now)}; "
        if self._live:
            text = (text + at_hand[-max(WIDTH - len(text), SHORT) :])[:WIDTH]
            self._stream.write("\r" + text.ljust(self._shown))
            self._shown = len(text)
        else:
            self._stream.write(text + at_hand + "\n")
        self._stream.flush()
