"""Standard streams that may be closed or full: what cannot be written is noticed, and spoils nothing else."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from typing import Any, Literal, TextIO

_CLOSED = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)
"""How a null device is opened in place of a stream that is closed: the first two cannot be used, messages are lost."""


@contextmanager
def ready() -> Iterator[None]:
    """Have three standard streams, of which standard error swallows what it cannot take."""
    _reserve()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # not every terminal has every character
    with redirect_stderr(_Messages(sys.stderr)):
        yield


def _reserve() -> None:
    """Fill the places of closed streams, lest a file that is opened later comes to be written to as one."""
    for number, mode in enumerate(_CLOSED):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")


def _stream(number: int, mode: Literal["r", "w"]) -> io.TextIOWrapper:
    return open(number, mode, encoding="utf-8", closefd=False)


class _Messages:
    """A stream of messages, which nobody can be told about if they cannot be written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def failed(error: OSError) -> None:
    """Say on one line what could not be done; nothing where the reader of standard output has gone away."""
    if error.filename is None:
        _give_up()
    if not isinstance(error, BrokenPipeError):
        print(f"nkilint: {_told(error)}", file=sys.stderr)


def _give_up() -> None:
    """Keep the interpreter from writing what is left of standard output when it ends."""
    null = os.open(os.devnull, os.O_WRONLY)
    with suppress(OSError, ValueError):
        os.dup2(null, sys.stdout.fileno())
    os.close(null)


def _told(error: OSError) -> str:
    try:
        os.getcwd()
    except OSError as gone:
        return f"the working folder cannot be read: {reason(gone)}"
    if error.filename is None:
        return f"standard output cannot be written: {reason(error)}"
    return f"{error.filename}: {reason(error)}"


def reason(error: OSError) -> str:
    """Why something could not be read or written."""
    return "it is closed" if error.errno == errno.EBADF else (error.strerror or str(error)).lower()
