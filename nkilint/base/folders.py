"""Temporary folders that say whose they are, so that those of programs that were ended are removed by the next."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress

_PREFIX = "nkilint-run-"


def make(owner: str) -> str:
    """A new folder that belongs to a process: its owner begins with the number that it has for this user's others."""
    return tempfile.mkdtemp(prefix=f"{_PREFIX}{owner}-")


def remove(owner: str) -> None:
    """Remove the folders of an owner."""
    for path in _below(f"{_PREFIX}{owner}-"):
        shutil.rmtree(path, ignore_errors=True)


def remove_stale() -> None:
    """Remove the folders of processes that were ended before they could; nothing for a process in a namespace."""
    for path in _below(_PREFIX):
        number = os.path.basename(path).removeprefix(_PREFIX).partition("-")[0]
        if number.isdigit() and not alive(int(number)):
            shutil.rmtree(path, ignore_errors=True)


def _below(prefix: str) -> Iterator[str]:
    """The user's own folders whose names begin with this."""
    top = tempfile.gettempdir()
    with suppress(OSError):
        for name in os.listdir(top):
            path = os.path.join(top, name)
            if name.startswith(prefix) and not os.path.islink(path) and os.lstat(path).st_uid == os.getuid():
                yield path


def alive(number: int) -> bool:
    """Whether there is a process of this number."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
