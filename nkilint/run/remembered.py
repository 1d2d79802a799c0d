"""Whole runs, remembered: the same report as long as nothing that was read or looked for has changed."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from nkilint.base.findings import Report
from nkilint.base.options import Options
from nkilint.base.serial import NotThis, plain, restored
from nkilint.base.store import Store, digest
from nkilint.project.files import Project
from nkilint_rules.words.records import dataclass

_KIND = "runs"
_SETTLED = 2_000_000_000  # nanoseconds after which a file's time tells a change for certain


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file as it was: a size of -1 stands for one that could not be read. `version` changes with every change of it,
    whatever its own times are set to."""

    path: str
    size: int
    version: tuple[int, int, int, int]
    digest: str


@dataclass(frozen=True, slots=True)
class _Run:
    """A run: when it began, the files it was given and the paths that gave none, the files it read, and what it looked
    for and found or did not."""

    began: int
    listed: tuple[str, ...]
    failed: tuple[str, ...]
    read: tuple[_Seen, ...]
    probed: tuple[tuple[str, bool], ...]
    roots: tuple[tuple[str, tuple[str, ...]], ...]
    report: Report


def began() -> int:
    return time.time_ns()


def recall(store: Store, paths: Sequence[Path], options: Options) -> Report | None:
    """The report of an equal run on equal files."""
    data = store.get(_KIND, _key(paths, options))
    if data is None:
        return None
    try:
        run = restored(_Run, data)
    except NotThis:
        return None
    project = Project([str(path) for path in paths], search=options.search_paths)
    if (tuple(project.files), _failed(project)) != (run.listed, run.failed):
        return None
    same = all(_unchanged(seen, run.began) for seen in run.read)
    found = all(
        (os.path.isdir if path.endswith(os.sep) else os.path.isfile)(path) == there for path, there in run.probed
    )
    if not same or not found:
        return None
    return run.report if all(project.search_path(folder) == known for folder, known in run.roots) else None


def remember(
    store: Store, paths: Sequence[Path], options: Options, project: Project, began: int, report: Report
) -> None:
    """Keep a report, with everything that it was made from."""
    files = {os.path.abspath(path) for path in (*project.files, *project.read)}
    run = _Run(
        began,
        tuple(project.files),
        _failed(project),
        tuple(_seen(path) for path in sorted(files)),
        tuple(sorted(project.overlay.probed.items())),
        tuple(sorted(project.search_paths.items())),
        report,
    )
    store.put(_KIND, _key(paths, options), plain(run))


def _key(paths: Sequence[Path], options: Options) -> str:
    return digest(os.getcwd(), [str(path) for path in paths], plain(options))


def _failed(project: Project) -> tuple[str, ...]:
    return tuple(map(str, project.failures))


def _seen(path: str) -> _Seen:
    try:
        with open(path, "rb") as file:
            stat = os.fstat(file.fileno())
            return _Seen(path, stat.st_size, _version(stat), hashlib.sha256(file.read()).hexdigest())
    except OSError:
        return _Seen(path, -1, (0, 0, 0, 0), "")


def _version(stat: os.stat_result) -> tuple[int, int, int, int]:
    return stat.st_ctime_ns, stat.st_mtime_ns, stat.st_ino, stat.st_dev


def _unchanged(seen: _Seen, began: int) -> bool:
    try:
        stat = os.stat(seen.path)
    except OSError:
        return seen.size == -1
    if (stat.st_size, _version(stat)) == (seen.size, seen.version) and max(seen.version[:2]) < began - _SETTLED:
        return True
    return stat.st_size == seen.size and _seen(seen.path).digest == seen.digest
