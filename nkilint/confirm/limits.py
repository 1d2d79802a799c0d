"""What the process that runs a kernel may use and do: limits of the system, and a hook that refuses the rest."""

from __future__ import annotations

import os
import sys
import threading
import time
from dataclasses import dataclass
from typing import Any

_FILE_SIZE = 16 << 20  # bytes that a run may write to one file
_OPEN_FILES = 64
_TASKS = 64  # processes and threads that a run may add to those of the user
_LOOK = 0.05  # seconds between two looks at the memory in use

EXCEEDED_MEMORY = 81  # exit codes of a run that was ended for what it used
EXCEEDED_TIME = 82

_PROCESSES = frozenset(
    {
        *("os.fork", "os.forkpty", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.startfile"),
        *("os.kill", "os.killpg", "pty.spawn", "signal.pthread_kill", "subprocess.Popen"),
    }
)
_CHANGES = frozenset(
    {
        *("os.chflags", "os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.removexattr", "os.rename"),
        *("os.rmdir", "os.setxattr", "os.symlink", "os.truncate", "os.utime"),
    }
)
_TWO_PATHS = frozenset({"os.link", "os.rename", "os.symlink"})
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(PermissionError):
    """Something that a run may not do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes that one run may take."""

    seconds: float
    memory: int


def limit(limits: Limits) -> None:
    """Bind this process, and all that it could start, to `limits`."""
    _watch(limits)
    try:
        import resource
    except ImportError:  # Windows: the watch above and the process that started this one are all there is
        return
    seconds = int(limits.seconds) + 1
    bounds = {
        "RLIMIT_CPU": seconds,
        "RLIMIT_AS": limits.memory,
        "RLIMIT_DATA": limits.memory,
        "RLIMIT_FSIZE": _FILE_SIZE,
        "RLIMIT_NOFILE": _OPEN_FILES,
        "RLIMIT_CORE": 0,
        "RLIMIT_NPROC": _tasks() + _TASKS,
    }
    for name, bound in bounds.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        hard = resource.getrlimit(kind)[1]
        chosen = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        try:
            resource.setrlimit(kind, (chosen, chosen))
        except (OSError, ValueError):  # macOS refuses some: the watch stands in for them
            continue


def _tasks() -> int:
    """About how many processes and threads there are; what the system limits is their number for each user."""
    try:
        with open("/proc/loadavg", encoding="ascii") as file:
            return int(file.read().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 1024


def _watch(limits: Limits) -> None:
    """End this process when it takes too much, where the system does not see to that itself."""
    end = time.monotonic() + limits.seconds

    def look() -> None:
        while True:
            time.sleep(_LOOK)
            if _memory() > limits.memory:
                os._exit(EXCEEDED_MEMORY)
            if time.monotonic() > end:
                os._exit(EXCEEDED_TIME)

    threading.Thread(target=look, daemon=True).start()


def _memory() -> int:
    """The most bytes that this process had in memory so far; 0 where the system does not say."""
    try:
        import resource
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


def guard(scratch: str) -> list[str]:
    """Refuse processes, the network, native code, and writing outside of `scratch`; what was refused is listed."""
    refused: list[str] = []
    inside = os.path.realpath(scratch)
    separator, realpath, is_folder, isinstance_ = os.sep, os.path.realpath, os.path.isdir, isinstance

    def within(path: Any) -> bool:
        if isinstance_(path, int):
            return True  # a file that is open already
        if isinstance_(path, bytes):
            path = os.fsdecode(path)
        where = realpath(path)
        return bool(where == os.devnull or where == inside or where.startswith(inside + separator))

    def refuse(what: str) -> None:
        refused.append(what)
        raise Refused(f"a run for confirmation may not {what}")

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            if isinstance_(flags, int) and flags & _WRITES and not within(path):
                refuse(f"write to {path!r}")
            if mode is None and is_folder(path) and not within(path):
                refuse(f"open the folder {path!r}")  # what is below would be a relative path then
        elif event in _CHANGES:
            paths = arguments[:2] if event in _TWO_PATHS else arguments[:1]
            if not all(within(path) for path in paths):
                refuse(f"call {event}({paths[0]!r})")
        elif event in _PROCESSES:
            refuse(f"call {event}")
        elif event.startswith("socket."):
            refuse("use the network")
        elif event in ("ctypes.dlopen", "ctypes.dlsym"):
            refuse("load native code")

    sys.addaudithook(hook)
    return refused
