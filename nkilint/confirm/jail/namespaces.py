"""Namespaces of Linux: own processes, mounts, network and shared memory, for whoever is allowed to make them."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from nkilint.base.interruption import end_with_parent

from . import system

_NEW = 0x10000000 | 0x00020000 | 0x40000000 | 0x08000000 | 0x04000000 | 0x20000000  # user mount net ipc uts pid
_PRIVATE = (1 << 18) | (1 << 14)
_HARMLESS = 2 | 4 | 8  # nosuid, nodev, noexec
_DETACH = 2


def enter() -> bool:
    """Go on as the first process of new namespaces, whose end is the end of all in them; false where that fails.

    The process that called waits for it, and ends with it.
    """
    if not system.MACHINE or not hasattr(os, "fork") or not _possible():
        return False
    _unshare()
    child = os.fork()
    if child:
        _wait(child)
    end_with_parent()
    return True


def _possible() -> bool:
    """Whether it works, tried by another process: what fails halfway cannot be undone."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _unshare()
            mount("/dev", 1, 1)
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


def _unshare() -> None:
    user, group = os.getuid(), os.getgid()
    system.call("unshare", _NEW)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    system.call("mount", None, b"/", None, _PRIVATE, None)


def _wait(child: int) -> None:
    for number in (0, 1, 2):  # whoever waits for the end of these streams waits for the child's
        with suppress(OSError):
            os.close(number)
    status = os.waitpid(child, 0)[1]
    os._exit(os.waitstatus_to_exitcode(status) & 127)


def mount(folder: str, size: int, count: int) -> None:
    """Put an empty file system in memory over a folder, with room for so many bytes and files."""
    options = f"size={size},nr_inodes={count},mode=0700".encode()
    system.call("mount", b"none", os.fsencode(folder), b"tmpfs", _HARMLESS, options)


def unmount(folder: str) -> None:
    """Take it away with all that is in it."""
    system.call("umount2", os.fsencode(folder), _DETACH)


def end_others() -> None:
    """End all other processes of these namespaces; only for the first one in them."""
    with suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with suppress(ChildProcessError):
        while os.waitpid(-1, 0):
            pass
