"""`--watch`: checks again whenever a file changes that the last check depended on, until it is interrupted."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from ..base import interruption

PAUSE = 0.5  # seconds between two looks at the files
CLEAR = "\x1b[2J\x1b[3J\x1b[H"  # the screen, and what was scrolled out of it
STDIN = "-"
CONFIGURATIONS = ("nkilint.toml", "pyproject.toml")

Stamp = tuple[int, int] | bool | None
Check = Callable[[], tuple[int, Collection[str]]]


def add_arguments(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C is pressed"
    )


def wanted(arguments: argparse.Namespace) -> bool:
    """Whether files are to be watched; ConfigError if that does not go with the rest of the command."""
    from nkilint.base.config import ConfigError

    if not arguments.watch:
        return False
    if STDIN in arguments.paths:
        raise ConfigError("--watch waits for files to change; give some instead of `-`")
    for option in ("fix", "diff_only", "write_baseline"):
        if getattr(arguments, option):
            raise ConfigError(f"--watch only reports; leave out --{option.replace('_', '-')}")
    return True


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
            while _stamps(paths, depended) == seen:
                time.sleep(pause)
    except KeyboardInterrupt:
        interruption.expected()
        return code


def _stamps(paths: Sequence[Path], depended: Iterable[str]) -> dict[str, Stamp]:
    """By path, what tells versions of a file apart; None for one that is not there, and of folders only whether they
    are."""
    from nkilint.base.source import Overlay, python_files

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
