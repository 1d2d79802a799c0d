"""Logical cores of one launch: each runs until it has to wait for the others, always in the same order."""

from __future__ import annotations

import threading


class CoresApart(Exception):
    """A core waits for others that do not come."""


class Turns:
    """Whose turn it is: one core runs at a time, so that every run of a kernel does the same.

    A core that waits gives its turn to the first one that does not; when all wait, all go on.
    """

    def __init__(self, cores: int) -> None:
        self._changed = threading.Condition()
        self._cores = cores
        self._running = set(range(cores))
        self._waiting: set[int] = set()
        self._turn = 0
        self._apart = False

    def begin(self, core: int) -> None:
        """Come back when it is this core's turn."""
        with self._changed:
            self._changed.wait_for(lambda: self._turn == core)

    def meet(self, core: int) -> None:
        """Come back when all cores have come here."""
        with self._changed:
            self._waiting.add(core)
            self._pass_on()
            self._changed.wait_for(lambda: self._turn == core)
            if self._apart:
                raise CoresApart

    def end(self, core: int) -> None:
        """This core has finished; those that wait for it do so in vain."""
        with self._changed:
            self._running.discard(core)
            if self._running:
                self._pass_on()

    def _pass_on(self) -> None:
        ready = self._running - self._waiting
        if not ready:
            self._apart = len(self._running) < self._cores
            ready = self._running
            self._waiting.clear()
        self._turn = min(ready)
        self._changed.notify_all()


__all__ = ["CoresApart", "Turns"]
