"""A process that has imported the simulator and runs one kernel after another, each in a copy of itself.

Tasks come in as lines of JSON and accounts go out the same way. Where a process cannot copy itself, it ends after one
task and another is started.
"""

from __future__ import annotations

import gc
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress

from nkilint.base.serial import plain, restored

from . import limits
from .tasks import OVER, Account, Task

_GRACE = 1.0  # seconds that a process may take to be ended by its own limits


def main() -> int:
    """Serve until there is no more input."""
    import reference_sim

    reference_sim.install(force=True)
    from . import run  # noqa: F401  - before copies are made
    from .warming import warm

    warm()
    gc.freeze()
    tasks, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    _be_silent()
    for line in tasks:
        task = restored(Task, json.loads(line))
        account = _in_a_copy(task) if hasattr(os, "fork") else _here(task)
        answers.write(json.dumps(plain(account)).encode() + b"\n")
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


def _in_a_copy(task: Task) -> Account:
    scratch = tempfile.mkdtemp(prefix="nkilint-")
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _work(task, scratch, reader, writer)
    os.close(writer)
    try:
        return _answer(task, child, reader)
    finally:
        os.close(reader)
        shutil.rmtree(scratch, ignore_errors=True)


def _work(task: Task, scratch: str, reader: int, writer: int) -> None:
    """The copy: it never comes back."""
    status = 1
    try:
        os.setsid()
        os.close(reader)
        answer = os.dup2(writer, 9)
        os.closerange(3, 9)
        os.closerange(10, 256)
        account = _limited(task, scratch)
        data = json.dumps(plain(account)).encode()
        while data:
            data = data[os.write(answer, data) :]
        status = 0
    except MemoryError:
        status = limits.EXCEEDED_MEMORY
    finally:
        os._exit(status)


def _limited(task: Task, scratch: str) -> Account:
    from .run import run

    os.chdir(scratch)
    os.environ.update(HOME=scratch, TMPDIR=scratch)
    tempfile.tempdir = scratch
    limits.limit(limits.Limits(task.seconds, task.memory))
    return run(task, limits.guard(scratch))


def _here(task: Task) -> Account:
    scratch = tempfile.mkdtemp(prefix="nkilint-")
    account = _limited(task, scratch)
    os.chdir(os.path.dirname(scratch))
    shutil.rmtree(scratch, ignore_errors=True)
    return account


def _answer(task: Task, child: int, reader: int) -> Account:
    """What the copy says, or what became of it."""
    end = time.monotonic() + task.seconds + _GRACE
    data = b""
    while (left := end - time.monotonic()) > 0:
        if not select.select([reader], [], [], left)[0]:
            break
        part = os.read(reader, 1 << 16)
        if not part:
            break
        data += part
    late = time.monotonic() >= end - _GRACE  # the system may have ended it first, for the same reason
    for group in (os.killpg, os.kill):  # the group may not be there yet
        with suppress(ProcessLookupError, PermissionError):
            group(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    with suppress(ValueError):
        return restored(Account, json.loads(data))
    return ended(task, os.waitstatus_to_exitcode(status), late)


def ended(task: Task, code: int, late: bool) -> Account:
    """The account of a run that gave none, by the exit code of its process."""
    if late or code in (limits.EXCEEDED_TIME, -getattr(signal, "SIGXCPU", 0)):
        return Account(problem=OVER["seconds"].format(seconds=task.seconds), too_large=True)
    if code == limits.EXCEEDED_MEMORY:
        return Account(problem=OVER["memory"].format(megabytes=task.memory >> 20), too_large=True)
    problem = "the process that ran it ended"
    return Account(problem=f"{problem} with signal {-code}" if code < 0 else problem)


def command() -> tuple[list[str], dict[str, str]]:
    """How to start such a process, and its environment: as little as the simulator needs."""
    folders = [folder for folder in sys.path if folder and os.path.isdir(folder)]
    script = f"import sys; sys.path[:] = {folders!r}; from nkilint.confirm.server import main; sys.exit(main())"
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR") if name in os.environ}
    single = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1")
    return [sys.executable, "-I", "-B", "-c", script], {**kept, **single, "LC_ALL": "C.UTF-8"}
