"""What comes of a program: the processes below it, and how it ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 600.0  # seconds after which what is waited for does not come: no machine is that busy
_ROOT = Path(__file__).parents[2]


def environment(**more: str) -> dict[str, str]:
    """One in which processes import what is tested here."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(_ROOT), str(_ROOT / "rules")]), **more}


def heeding() -> None:
    """A shell in the background, or `nohup`, has its processes ignore what it does not want them to hear: what a
    process of a test calls first."""
    for name in (signal.SIGINT, signal.SIGHUP):
        signal.signal(name, signal.SIG_DFL)


def alive(pid: int) -> bool:
    """Whether a process is there and not just waiting to be asked for its exit code."""
    try:
        return (
            Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] != "Z"
        )
    except OSError:
        return False


def below(pid: int) -> set[int]:
    """The processes that a process started, and those that they did."""
    parents: dict[int, int] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            text = Path(f"/proc/{name}/stat").read_text(encoding="ascii", errors="replace")
        except OSError:
            continue
        parents[int(name)] = int(text.rpartition(")")[2].split()[1])
    found, pending = set(), [pid]
    while pending:
        children = {child for child, parent in parents.items() if parent == pending[-1]}
        pending.pop()
        pending += children - found
        found |= children
    return found


def wait(for_: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Whether something comes about in some seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if for_():
            return True
        time.sleep(0.02)
    return bool(for_())
