"""Files that are written whole or not at all, whatever happens meanwhile, and read only if they come to an end."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
from contextlib import suppress

from .folders import alive

_TEMPORARY = re.compile(r"\.nkilint-(\d+)-[0-9a-f]{8}")


def write(file: str, data: bytes, *, mode: int, through: str | None = None, lasting: bool = True) -> None:
    """Put `data` in the place of a file. Readers see what was there, or all of it.

    It is written in the folder `through` first, which is the file's own where none is given, and put on the disk itself
    if it is to be `lasting`. What earlier runs that were killed left in that folder goes.
    """
    folder = os.path.dirname(file) if through is None else through
    remove_stale(folder)
    name = os.path.join(folder, f".nkilint-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        place = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(place, "wb") as stream:
            stream.write(data)
            if lasting:
                stream.flush()
                os.fsync(place)
        os.chmod(name, mode)
        os.replace(name, file)
    except BaseException:  # a run that is told to stop leaves nothing either
        with suppress(OSError):
            os.unlink(name)
        raise


def read(file: str | os.PathLike[str]) -> bytes:
    """What stands in a regular file; anything else in its place might never come to an end."""
    place = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(place, "rb") as stream:
        if not stat.S_ISREG(os.fstat(place).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", os.fspath(file))
        return stream.read()


def remove_stale(folder: str) -> None:
    """Remove what runs that were killed while they wrote left in a folder."""
    with suppress(OSError):
        for name in os.listdir(folder):
            found = _TEMPORARY.fullmatch(name)
            if found is not None and not alive(int(found[1])):
                os.unlink(os.path.join(folder, name))


def mode_of_new_files() -> int:
    """What this process gives new files; the system tells it only to who sets it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return 0o666 & ~mask
