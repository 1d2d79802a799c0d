"""The folder that a run may write to, with a limit on how much, and its end."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress

from . import namespaces

SIZE = 64 << 20  # bytes
COUNT = 2000  # files
PREFIX = "nkilint-run-"
_PLACES = ("/dev/shm", "/mnt", "/media", "/srv")


class Scratch:
    """A new folder: in memory, limited by the system and seen by nobody else, where mounts can be made."""

    def __init__(self, *, mounts: bool, needed: tuple[str, ...] = ()) -> None:
        place = next((place for place in _PLACES if _free(place, needed)), None) if mounts else None
        self.mounted = place is not None
        if place is None:
            self.folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")
        else:
            namespaces.mount(place, SIZE, COUNT)
            self.folder = place

    def over(self) -> bool:
        """Whether there is too much in it; only asked where the system does not see to that."""
        if self.mounted:
            return False
        size = count = 0
        for folder, folders, files in os.walk(self.folder):
            count += len(folders) + len(files)
            for name in files:
                with suppress(OSError):
                    size += os.lstat(os.path.join(folder, name)).st_blocks * 512
            if count > COUNT or size > SIZE:
                return True
        return False

    def remove(self) -> None:
        if self.mounted:
            namespaces.unmount(self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def _free(place: str, needed: tuple[str, ...]) -> bool:
    """Whether nothing that a run needs is below a folder, nor the folder itself missing or a link."""
    if not os.path.isdir(place) or os.path.realpath(place) != place:
        return False
    return not any(os.path.realpath(path).startswith(place + os.sep) or path == place for path in needed)


def remove_stale() -> None:
    """Remove the folders of processes that were ended before they could."""
    top = tempfile.gettempdir()
    with suppress(OSError):
        for name in os.listdir(top):
            number = name.removeprefix(PREFIX).partition("-")[0]
            if name.startswith(PREFIX) and number.isdigit() and not _alive(int(number)):
                path = os.path.join(top, name)
                if not os.path.islink(path) and os.lstat(path).st_uid == os.getuid():
                    shutil.rmtree(path, ignore_errors=True)


def _alive(number: int) -> bool:
    if sys.platform == "win32":
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
