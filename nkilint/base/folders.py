"""Temporary folders that say whose they are, so that those of programs that were ended are removed by the next."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress

_PREFIX = "nkilint-run-"


def make(owner: int) -> str:
    """A new folder that belongs to a process; the number is the one that it has for this user's other processes."""
    return tempfile.mkdtemp(prefix=f"{_PREFIX}{owner}-")


def remove_stale() -> None:
    """Remove the folders of processes that were ended before they could; nothing for a process in a namespace."""
    top = tempfile.gettempdir()
    with suppress(OSError):
        for name in os.listdir(top):
            number = name.removeprefix(_PREFIX).partition("-")[0]
            if name.startswith(_PREFIX) and number.isdigit() and not alive(int(number)):
                path = os.path.join(top, name)
                if not os.path.islink(path) and os.lstat(path).st_uid == os.getuid():
                    shutil.rmtree(path, ignore_errors=True)


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
