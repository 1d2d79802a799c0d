"""Confines the process that runs a kernel, from the outside: by what the system enforces, and a hook as a second line.

`namespaces` are entered once, by the process that makes the copies; `lock` binds one copy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from contextlib import suppress

from . import landlock, seccomp, system

_MOST = 2000  # folders and modules outside of a project that a run may read
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/usr/share/zoneinfo")


def lock(scratch: str, folders: Iterable[str], project: str) -> None:
    """Bind this process for good: it reads `folders` and what Python consists of, writes to `scratch`, and computes.
    Of folders outside of the `project`, which its configuration may name as it likes, it reads the modules only.

    Each part is left out where the system does not have it; `probing` tells what that leaves open.
    """
    if not system.MACHINE:
        return
    with suppress(OSError):
        system.control(system.PR_SET_NO_NEW_PRIVS, 1)
    with suppress(OSError):
        if landlock.version():
            readable, listed = _readable(folders, project)
            landlock.restrict(readable, listed, (scratch, "/dev/null"))
    with suppress(OSError):
        seccomp.restrict()


def _readable(folders: Iterable[str], project: str) -> tuple[list[str], list[str]]:
    """What may be read, and folders of which only the names in them and their modules may be."""
    lib = [os.path.join(prefix, "lib") for prefix in (sys.prefix, sys.base_prefix, sys.exec_prefix)]
    readable, listed = [*_DEVICES, *_LIBRARIES, *lib], []
    top = "" if _is_broad(project) else os.path.join(os.path.realpath(project), "")
    for folder in filter(None, dict.fromkeys((*sys.path, *folders))):
        if _is_broad(folder):
            listed.append(folder)
            readable += _modules(folder)
        elif folder in sys.path or (top and os.path.join(os.path.realpath(folder), "").startswith(top)):
            readable.append(folder)
        else:
            inner, modules = _all_modules(folder)
            listed += inner
            readable += modules
    return readable, listed


def _is_broad(folder: str) -> bool:
    """Whether a folder holds more than a project: a home, or what is above."""
    home = os.path.realpath(os.path.expanduser("~"))
    real = os.path.realpath(folder)
    return os.path.join(home, "").startswith(os.path.join(real, "")) or os.path.dirname(real) in (os.sep, real)


def _all_modules(folder: str) -> tuple[list[str], list[str]]:
    """A folder and those below it that are not hidden, and the modules in them; of a large tree not all."""
    inner: list[str] = []
    modules: list[str] = []
    for here, below, _ in os.walk(folder):
        below[:] = sorted(name for name in below if not name.startswith("."))
        inner.append(here)
        modules += _modules(here)
        if len(inner) + len(modules) > _MOST:
            break
    return inner, modules


def _modules(folder: str) -> list[str]:
    """The modules directly in a folder; not what links among them lead to."""
    with suppress(OSError):
        paths = (os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".py"))
        return [path for path in paths if not os.path.islink(path)]
    return []
