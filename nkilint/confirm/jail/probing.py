"""What a confined process is seen to be refused: only that is promised."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial

FILES = "files outside of its folder"
NETWORK = "the network"
PROCESSES = "other processes"
ALL = (FILES, NETWORK, PROCESSES)


def protections(lock: Callable[[], object], folder: str) -> list[str]:
    """What a process cannot touch once it has called `lock`, tried out by one that is there for it. It aims at a file
    in `folder`, which is empty."""
    if not hasattr(os, "fork"):
        return []
    victim = os.path.join(folder, "victim")
    with open(victim, "w", encoding="ascii") as file:
        file.write("precious")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _try(lock, victim, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        refused = answer.read().decode().splitlines()
    os.waitpid(child, 0)
    with open(victim, encoding="ascii") as file:
        whole = file.read() == "precious" and os.listdir(folder) == ["victim"]
    return [what for what in ALL if what in refused and (whole or what != FILES)]


def _try(lock: Callable[[], object], victim: str, writer: int) -> None:
    """In a process of its own: confine it, and see what it cannot do any more."""
    try:
        folder = os.path.dirname(victim)
        parent = os.getppid()
        lock()
        attempts: dict[str, tuple[Callable[[], object], ...]] = {
            FILES: (
                partial(os.open, victim, os.O_RDONLY),
                partial(os.open, victim, os.O_WRONLY),
                partial(os.open, victim, os.O_RDONLY | os.O_TRUNC),
                partial(os.open, victim + "2", os.O_WRONLY | os.O_CREAT),
                partial(os.truncate, victim, 0),
                partial(os.unlink, victim),
                partial(os.rename, victim, victim + "3"),
                partial(os.mkdir, os.path.join(folder, "folder")),
                partial(os.mkfifo, os.path.join(folder, "fifo")),
                partial(os.symlink, "x", os.path.join(folder, "link")),
                partial(os.chmod, victim, 0o777),
                partial(os.utime, victim, (0, 0)),
                partial(os.listdir, folder),
            ),
            NETWORK: (
                partial(socket.socket, socket.AF_INET, socket.SOCK_STREAM),
                partial(socket.socket, socket.AF_INET, socket.SOCK_DGRAM),
                partial(socket.socket, socket.AF_UNIX, socket.SOCK_STREAM),
            ),
            PROCESSES: (
                _fork,
                partial(os.kill, parent, 0),
                partial(os.kill, os.getpid(), signal.SIGCONT),
                partial(os.execv, "/bin/true", ["true"]),
                partial(os.nice, 1),
            ),
        }
        for what, tries in attempts.items():
            if all(_refused(one) for one in tries):
                os.write(writer, what.encode() + b"\n")
    finally:
        os._exit(0)


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _refused(attempt: Callable[[], object]) -> bool:
    with suppress(OSError):
        attempt()
        return False
    return True
