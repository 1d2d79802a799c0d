"""A process that has imported the simulator and runs one kernel after another, each in a copy of itself.

Tasks come in as lines of JSON and accounts go out the same way, after a line that says what a run cannot touch here.
Where a process cannot copy itself, it ends after one task and another is started.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial

from nkilint.base.interruption import end_with_parent
from nkilint.base.serial import plain, restored

from . import jail
from .copies import here, in_a_copy
from .jail import namespaces, probing
from .jail.scratch import Scratch
from .tasks import Account, Task


def main() -> int:
    """Serve until there is no more input."""
    owner = sys.argv[1]
    end_with_parent()
    if sys.platform != "win32" and os.getppid() != int(owner.partition("-")[0]):
        return 1  # it ended before the system was told
    first = namespaces.enter()

    import reference_sim  # only once the process is confined

    reference_sim.install(force=True)
    from . import run  # noqa: F401  - before copies are made
    from .warming import warm

    warm()
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _be_silent()
    answers.write(json.dumps(_protections(owner, mounts=first)).encode() + b"\n")
    answers.flush()
    for line in tasks:
        task = restored(Task, json.loads(line))
        answers.write(json.dumps(plain(_account(task, owner, first, tasks.fileno()))).encode() + b"\n")
        answers.flush()
        if not hasattr(os, "fork"):
            break
    return 0


def _be_silent() -> None:
    """What kernels print goes nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    os.close(nowhere)


def _protections(owner: str, *, mounts: bool) -> list[str]:
    scratch = Scratch(owner, mounts=mounts, needed=tuple(sys.path))
    try:
        beside = Scratch(owner, mounts=mounts, needed=(*sys.path, scratch.folder))
        try:
            return probing.protections(partial(jail.lock, scratch.folder, (), scratch.folder), beside.folder)
        finally:
            beside.remove()
    finally:
        scratch.remove()


def _account(task: Task, owner: str, first: bool, tasks: int) -> Account:
    """What comes of a task; all that it started and made is gone afterwards."""
    scratch = Scratch(owner, mounts=first, needed=(*sys.path, *task.roots, task.trial.file))
    try:
        return in_a_copy(task, scratch, tasks) if hasattr(os, "fork") else here(task, scratch)
    finally:
        if first:
            namespaces.end_others()
        scratch.remove()


def command(owner: str) -> tuple[list[str], dict[str, str]]:
    """How to start such a process, and its environment: as little as the simulator needs. Its folders belong to an
    owner, which begins with the number of the process that starts it."""
    folders = [folder for folder in sys.path if folder and os.path.isdir(folder)]
    script = f"import sys; sys.path[:] = {folders!r}; from nkilint.confirm.server import main; sys.exit(main())"
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR") if name in os.environ}
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
    return [sys.executable, "-I", "-B", "-c", script, owner], {**kept, **single, "LC_ALL": "C.UTF-8"}
