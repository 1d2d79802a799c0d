"""A copy of this process that runs one kernel, what it says of it, and what became of it."""

from __future__ import annotations

import json
import os
import secrets
import select
import signal
import tempfile
import time
from contextlib import suppress
from dataclasses import replace

from nkilint.base.interruption import end_with_parent
from nkilint.base.serial import NotThis, plain, restored
from nkilint.project.layout import project_root

from . import jail, limits
from .jail import hook
from .jail.scratch import Scratch
from .tasks import OVER, Account, Task

_GRACE = 1.0  # seconds that a process may take to be ended by its own limits
_LOOK = 0.2  # seconds between two looks at its folder
_LONGEST = 16 << 20  # bytes of an answer
_DESCRIPTORS = 10, 60  # between which the answer's is found
_REFUSED = b"refused "


def in_a_copy(task: Task, scratch: Scratch, tasks: int) -> Account:
    """The account that a copy of this process gives of a task; `tasks` ends when nobody waits for it any more."""
    reader, writer = os.pipe()
    key = secrets.token_hex(16)
    child = os.fork()
    if child == 0:
        _work(task, scratch.folder, writer, key)
    os.close(writer)
    try:
        return _answer(task, scratch, child, reader, tasks, key)
    finally:
        os.close(reader)


def here(task: Task, scratch: Scratch) -> Account:
    """The account of a task that this process runs itself, once."""
    reader, writer = os.pipe()
    account = _limited(task, scratch.folder, writer)
    os.chdir(os.path.dirname(scratch.folder))
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        return _with_refusals(account, file.read().splitlines())


# --- in the copy ---


def _work(task: Task, scratch: str, writer: int, key: str) -> None:
    """The copy: it never comes back."""
    status = 1
    try:
        end_with_parent()
        os.setsid()
        answer = os.dup2(writer, secrets.choice(range(*_DESCRIPTORS)))
        os.closerange(3, answer)
        os.closerange(answer + 1, os.sysconf("SC_OPEN_MAX") if os.sysconf("SC_OPEN_MAX") < 1 << 16 else 1 << 16)
        account = _limited(task, scratch, answer)
        data = b"\n" + json.dumps([key, plain(account)]).encode() + b"\n"
        while data:
            data = data[os.write(answer, data) :]
        status = 0
    except MemoryError:
        status = limits.EXCEEDED_MEMORY
    finally:
        os._exit(status)


def _limited(task: Task, scratch: str, answer: int) -> Account:
    from .run import run  # the simulator, within the limits

    os.chdir(scratch)
    tempfile.tempdir = scratch
    bounds = limits.Limits(task.seconds, task.memory)
    limits.limit(bounds)
    jail.lock(scratch, _folders(task), _project(task))
    os.environ.update(HOME=scratch, TMPDIR=scratch)
    limits.watch(bounds)
    hook.guard(scratch, answer)
    return run(task)


def _folders(task: Task) -> list[str]:
    """Where the modules are that a task may import."""
    files = (task.trial.file, *(file for file, _, _ in task.marks))
    return list(dict.fromkeys((*task.roots, *(os.path.dirname(file) for file in files))))


def _project(task: Task) -> str:
    """The folder of the project that the kernel belongs to."""
    folder = os.path.dirname(task.trial.file)
    return project_root(folder) or folder


# --- around it ---


def _answer(task: Task, scratch: Scratch, child: int, reader: int, tasks: int, key: str) -> Account:
    """What the copy says, or what became of it."""
    end = time.monotonic() + task.seconds + _GRACE
    data, problem = bytearray(), ""
    while not problem and (left := end - time.monotonic()) > 0:
        ready = select.select([reader, tasks], [], [], left if scratch.mounted else min(left, _LOOK))[0]
        if tasks in ready:  # there is one task at a time: this is the end of them
            problem = "nobody waits for it"
        elif reader in ready:
            part = os.read(reader, 1 << 16)
            if not part:
                break
            data += part
            problem = "it says more than there is to say" if len(data) > _LONGEST else ""
        elif scratch.over():
            problem = "it writes more files than a run may"
    late = time.monotonic() >= end - _GRACE  # the system may have ended it first, for the same reason
    for group in (os.killpg, os.kill):  # the group may not be there yet
        with suppress(ProcessLookupError, PermissionError):
            group(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if problem:
        return Account(problem=problem)
    return _heard(bytes(data), key) or ended(task, os.waitstatus_to_exitcode(status), late)


def _heard(data: bytes, key: str) -> Account | None:
    """The account in an answer; None if there is none. Only who knows the key gives one, and gives it once."""
    lines = [line for line in data.splitlines() if line]
    refusals = [line for line in lines if line.startswith(_REFUSED)]
    others = [line for line in lines if not line.startswith(_REFUSED)]
    if not others:
        return _with_refusals(Account(), refusals) if refusals else None
    try:
        ((given, account),) = map(json.loads, others)
        if not secrets.compare_digest(given, key):
            raise ValueError(given)
        return _with_refusals(restored(Account, account), refusals)
    except (ValueError, TypeError, NotThis, RecursionError):
        return Account(problem="something else than the run gave its answer")


def _with_refusals(account: Account, lines: list[bytes]) -> Account:
    told = (line.removeprefix(_REFUSED).decode("ascii", "replace") for line in lines)
    return replace(account, refused=tuple(what for what in dict.fromkeys(told) if what in hook.REFUSALS))


def ended(task: Task, code: int, late: bool) -> Account:
    """The account of a run that gave none, by the exit code of its process."""
    if late or code in (limits.EXCEEDED_TIME, -getattr(signal, "SIGXCPU", 0)):
        return Account(problem=OVER["seconds"].format(seconds=task.seconds), too_large=True)
    if code == limits.EXCEEDED_MEMORY:
        return Account(problem=OVER["memory"].format(megabytes=task.memory >> 20), too_large=True)
    problem = "the process that ran it ended"
    return Account(problem=f"{problem} with signal {-code}" if code < 0 else problem)
