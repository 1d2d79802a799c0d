"""The folder that a run may write to, with a limit on how much, and its end."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from nkilint.base import folders

from . import namespaces

SIZE = 64 << 20  # bytes
COUNT = 2000  # files
_PLACES = ("/dev/shm", "/mnt", "/media", "/srv")


class Scratch:
    """A new folder: in memory, limited by the system and seen by nobody else, where mounts can be made."""

    def __init__(self, owner: str, *, mounts: bool, needed: tuple[str, ...] = ()) -> None:
        place = next((place for place in _PLACES if _free(place, needed)), None) if mounts else None
        self.mounted = place is not None
        if place is None:
            self.folder = folders.make(owner)
        else:
            namespaces.mount(place, SIZE, COUNT)
            self.folder = place

    def over(self) -> bool:
        """Whether there is too much in it; only asked where the system does not see to that."""
        if self.mounted:
            return False
        size = count = 0
        for folder, below, files in os.walk(self.folder):
            count += len(below) + len(files)
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
