"""`nkilint check --watch`: checks again whenever a file changes that the last check depended on."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nkilint.base.config import ConfigError
from nkilint.base.findings import Report
from nkilint.base.source import Overlay, python_files
from nkilint.base.store import Memory
from nkilint.run.fresh import incremental

from ..base import interruption
from . import comparison, effort, settings
from .progress import Progress
from .tasks import STDIN, Task, printer, task_of, told

if TYPE_CHECKING:
    from nkilint.project.affected import Touched

PAUSE = 0.5  # seconds between two looks at the files, at least
IDLE = 0.03  # of a core, what looks may take while nothing changes
CLEAR = "\x1b[2J\x1b[3J\x1b[H"  # the screen, and what was scrolled out of it
CONFIGURATIONS = ("nkilint.toml", "pyproject.toml")

Stamp = tuple[int, int] | bool | None
Check = Callable[[], tuple[int, Collection[str]]]


def run(arguments: argparse.Namespace) -> int:
    """Report what is wrong again and again. What is known of kernels that do not change is kept, on disk or here."""
    try:
        _check_arguments(arguments)
    except ConfigError as error:
        settings.complain(error)
        return 2
    memory = Memory()
    depended: Collection[str] = ()

    def check() -> tuple[int, Collection[str]]:
        nonlocal depended
        try:
            task, touched = task_of(arguments), comparison.touched(arguments)
            with interruption.held():
                report, depended = _followed(task, touched, memory)
                return told(task, report, printer(task)), depended
        except ConfigError as error:
            settings.complain(error)
            return 2, depended

    return watch([Path(path) for path in arguments.paths], check)


def _check_arguments(arguments: argparse.Namespace) -> None:
    """Watching goes with reporting alone."""
    if STDIN in arguments.paths:
        raise ConfigError("--watch waits for files to change; give some instead of `-`")
    for option in ("fix", "diff_only", "write_baseline"):
        if getattr(arguments, option):
            raise ConfigError(f"--watch only reports; leave out --{option.replace('_', '-')}")
    if arguments.unsafe_fixes:
        raise ConfigError("--unsafe-fixes needs --fix or --diff-only")


def _followed(task: Task, touched: Touched | None, memory: Memory) -> tuple[Report, Collection[str]]:
    """A report, and the files that it depends on, those included that are not there."""
    with Progress(sys.stderr) as progress:
        report, runner = incremental(
            task.paths,
            task.options,
            overlay=task.texts,
            progress=progress,
            touched=touched,
            store=effort.store(task.arguments, task.options) or memory,
            jobs=effort.jobs(task.arguments),
            elsewhere=task.elsewhere,
        )
    project = runner.project
    read = () if project is None else (*project.read, *project.overlay.probed)
    return task.documents.home(report), frozenset((*read, *task.documents.read))


def watch(paths: Sequence[Path], check: Check, pause: float = PAUSE) -> int:
    """Call `check`, which gives an exit code and what it depended on, now and after each change; the last code."""
    code, depended = 0, frozenset(_configurations(paths))
    try:
        while True:
            before = _stamps(paths, depended)
            if sys.stdout.isatty():
                sys.stdout.write(CLEAR)
                sys.stdout.flush()
            code, found = check()
            if interruption.noted():
                raise KeyboardInterrupt
            depended = frozenset((*found, *_configurations(paths)))
            now = _stamps(paths, depended)
            seen = {path: before.get(path, now[path] if path in depended else None) for path in now}
            sys.stderr.write("waiting for changes; Ctrl-C ends it\n")
            sys.stderr.flush()
            while True:
                began = time.process_time()
                if _stamps(paths, depended) != seen:
                    break
                time.sleep(max(pause, (time.process_time() - began) / IDLE))
    except KeyboardInterrupt:
        interruption.expected()
        return code


def _stamps(paths: Sequence[Path], depended: Iterable[str]) -> dict[str, Stamp]:
    """By path, what tells versions of a file apart; None for one that is not there, and of folders only whether they
    are."""
    listed, _ = python_files([str(path) for path in paths], Overlay())
    return {path: _stamp(path) for path in (*map(os.path.abspath, listed), *depended)}


def _stamp(path: str) -> Stamp:
    if path.endswith(os.sep):
        return os.path.isdir(path)
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _configurations(paths: Sequence[Path]) -> list[str]:
    """Where the configuration may stand."""
    start = Path(os.path.abspath(paths[0]))
    return [str(folder / name) for folder in (start, *start.parents) for name in CONFIGURATIONS]
