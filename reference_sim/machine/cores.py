"""Logical cores of one launch: each runs until it has to wait for the others, always in the same order."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Hashable, Sequence


class CoresApart(Exception):
    """A core waits for `other`, which does not come."""

    def __init__(self, other: int) -> None:
        super().__init__(other)
        self.other = other


class Turns:
    """Whose turn it is: one core runs at a time, so that every run of a kernel does the same.

    A core that waits gives its turn to the first one that does not; when all wait, all go on. Cores that wait for
    different things, or for one that has finished, do so in vain.
    """

    def __init__(self, cores: int) -> None:
        self._changed = threading.Condition()
        self._cores = range(cores)
        self._running = set(self._cores)
        self._waiting: dict[int, Hashable] = {}
        self._met: dict[int, Hashable] = {}  # what each core waited for when all last went on
        self._turn = 0

    def begin(self, core: int) -> None:
        """Come back when it is this core's turn."""
        with self._changed:
            self._changed.wait_for(lambda: self._turn == core)

    def meet(self, core: int, what: Hashable) -> None:
        """Come back when all cores have come to `what`."""
        with self._changed:
            self._waiting[core] = what
            self._pass_on()
            self._changed.wait_for(lambda: self._turn == core)
            for other in self._cores:
                if other not in self._met or self._met[other] != what:
                    raise CoresApart(other)

    def end(self, core: int) -> None:
        """This core has finished; those that wait for it do so in vain."""
        with self._changed:
            self._running.discard(core)
            if self._running:
                self._pass_on()

    def _pass_on(self) -> None:
        ready = self._running - self._waiting.keys()
        if not ready:
            self._met = dict(self._waiting)
            ready = self._running
            self._waiting.clear()
        self._turn = min(ready)
        self._changed.notify_all()


def join(threads: Sequence[threading.Thread]) -> None:
    """Wait for the threads of the cores to end; where that is interrupted, they end as well."""
    try:
        for thread in threads:
            thread.join()
    except BaseException:
        for thread in threads:
            ident = ctypes.c_ulong(thread.ident or 0)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(SystemExit))
        for thread in threads:
            thread.join()
        raise
