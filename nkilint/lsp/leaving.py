"""How the server ends: when its client says so, closes the connection or is gone, and on a signal; always at once."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import BinaryIO, cast

_LOOK = 1.0  # seconds between two looks whether the client is still there

Leave = Callable[[int], None]


def leaving(close: Callable[[], None]) -> Leave:
    """A function that ends this process with an exit code after `close`, whatever is still being done."""

    def leave(code: int) -> None:
        try:
            close()
        finally:
            os._exit(code)

    return leave


def on_signals(leave: Leave) -> None:
    """Leave when the system says so."""

    def told(number: int, frame: FrameType | None) -> None:
        leave(128 + number)

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), told)


def with_client(process: int | None, leave: Leave) -> None:
    """Leave when the process of the client has ended, if it said which one it is."""
    if process is None or sys.platform == "win32":
        return

    def look() -> None:
        with suppress(PermissionError, OverflowError):
            while True:
                try:
                    os.kill(process, 0)
                except ProcessLookupError:
                    leave(1)
                time.sleep(_LOOK)

    threading.Thread(target=look, daemon=True).start()


class Input:
    """Standard input, at whose end the server leaves."""

    def __init__(self, stream: BinaryIO, leave: Leave) -> None:
        self._stream, self._leave = stream, leave

    def readline(self) -> bytes:
        return self._seen(self._stream.readline())

    def read(self, count: int) -> bytes:
        return self._seen(self._stream.read(count))

    def _seen(self, data: bytes) -> bytes:
        if not data:
            self._leave(0)
        return data


def standard_input(leave: Leave) -> BinaryIO:
    return cast(BinaryIO, Input(sys.stdin.buffer, leave))
