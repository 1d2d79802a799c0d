"""Being told to stop: what was found until then is still reported, and the exit code says by what it was stopped."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_PR_SET_PDEATHSIG = 1
_LOOK = 0.5  # seconds between two looks whether a process is still there, where the system does not tell
_noted = 0
_holding = False


class Interrupted(KeyboardInterrupt):
    """The program was told to stop.

    Where a plain KeyboardInterrupt came while text was executed, Python ends a program by SIGINT and not by a code.
    """


def obey() -> None:
    """Have the signals that end a program raise KeyboardInterrupt, once; the next one ends it at once."""
    global _noted, _holding
    _noted, _holding = 0, False
    if threading.current_thread() is threading.main_thread():
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # `nohup` ignores some
                signal.signal(number, _note)


def _note(number: int, frame: FrameType | None) -> None:
    global _noted
    if _noted:
        os._exit(128 + number)
    _noted = number
    if not _holding:
        raise Interrupted


@contextmanager
def held() -> Iterator[None]:
    """Within it there is something to lose: being told to stop is noted, and raises nothing."""
    with _set(True):
        yield


@contextmanager
def heard() -> Iterator[None]:
    """Within it, being told to stop raises KeyboardInterrupt even where it is held; also when that came before."""
    with _set(False):
        minded()
        yield


def minded() -> None:
    """Raise KeyboardInterrupt if this program was told to stop."""
    if _noted:
        raise Interrupted


@contextmanager
def _set(holding: bool) -> Iterator[None]:
    global _holding
    before, _holding = _holding, holding
    try:
        yield
    finally:
        _holding = before


def noted() -> int:
    """The signal that this program was told to stop by; 0 as long as there was none."""
    return _noted


def expected() -> None:
    """Take Ctrl-C for the usual end of a program that has no other."""
    global _noted
    _noted = 0 if _noted == signal.SIGINT else _noted


def in_a_process() -> None:
    """In a process of this program's: it ends with the one that started it, which is the one that is told to stop."""
    for name in _SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal tells all processes of a program
    end_with_parent()


def end_with_parent() -> None:
    """Have this process end when the one that started it ends, however that happens."""
    parent = os.getppid()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            import ctypes  # only here: the program itself needs none of it

            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(1)
            return
    if sys.platform != "win32":
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(1)
