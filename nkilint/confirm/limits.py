"""What the process that runs a kernel may use: limits of the system, and a watch where it has none."""

from __future__ import annotations

import os
import sys
import threading
import time

from nkilint_rules.words.records import dataclass

_FILE_SIZE = 16 << 20  # bytes that a run may write to one file
_OPEN_FILES = 64
_TASKS = 64  # processes and threads that a run may add to those of the user
_LOOK = 0.05  # seconds between two looks at the memory in use

EXCEEDED_MEMORY = 81  # exit codes of a run that was ended for what it used
EXCEEDED_TIME = 82


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds and bytes that one run may take."""

    seconds: float
    memory: int


def limit(limits: Limits) -> None:
    """Bind this process, and all that it could start, to `limits`."""
    try:
        import resource  # not on every system
    except ImportError:  # Windows: the watch and the process that started this one are all there is
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


def watch(limits: Limits) -> None:
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
        import resource  # not on every system
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
