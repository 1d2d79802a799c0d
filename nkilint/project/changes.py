"""What has changed in a work tree since a git revision: the lines that are new, and what was taken away."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from nkilint_rules.words.records import dataclass

_SETTINGS = {
    "core.quotePath": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "protocol.allow": "never",  # objects that a partial clone lacks would be fetched by programs
}
_QUIET = ("--no-pager", *(part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")))
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


class ChangesError(Exception):
    """git cannot say what has changed; the message says why."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """`count` new lines from `row` on (after `row`, where there are none), in place of `removed`."""

    row: int
    count: int
    removed: tuple[str, ...]


Changes = Mapping[str, tuple[Hunk, ...]]
"""By absolute path; files that are not there any more are left out."""


def since(revision: str, folder: Path) -> Changes:
    """Changes of the Python files in the repository around `folder`, committed or not, and files git doesn't know yet.

    They are counted from where the work tree's branch left `revision`, if the history that is there tells.
    """
    root = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    base = _base(revision, root)
    options = (
        "--unified=0",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--ignore-submodules",
    )
    changes = {
        os.path.abspath(root / path): tuple(hunks)
        for path, hunks in _files(_git(root, "diff", *options, base, "--", "*.py"))
    }
    for path in _git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", "*.py").split("\0"):
        if path:
            changes[os.path.abspath(root / path)] = (Hunk(1, 10**9, ()),)
    return changes


def _base(revision: str, root: Path) -> str:
    if revision.startswith("-"):
        raise ChangesError(f"`{revision}` is not a git revision")
    try:
        commit = _git(root, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").strip()
    except ChangesError:
        raise ChangesError(f"`{revision}` is not a git revision here") from None
    try:
        return _git(root, "merge-base", commit, "HEAD").strip()
    except ChangesError:  # no common history, or a shallow clone
        return commit


def _git(folder: Path, *arguments: str) -> str:
    """What git prints, without a program being run that the repository names in its configuration or attributes."""
    return _asked(folder, _filters_off(str(folder)), arguments)


@lru_cache(maxsize=8)
def _filters_off(folder: str) -> tuple[str, ...]:
    """Options that leave out the filters that files would go through: git has none for all of them."""
    asked = ("config", "--null", "--name-only", "--get-regexp", r"^filter\.")
    try:
        names = _asked(Path(folder), (), asked).split("\0")
    except ChangesError:  # there are none
        return ()
    drivers = dict.fromkeys(name.rpartition(".")[0] for name in names if name)
    for driver in drivers:
        if "=" in driver:  # git would take it for the end of the name
            raise ChangesError(f"`{driver}` of the repository's configuration cannot be left out")
    off = (f"{driver}.{key}" for driver in drivers for key in ("clean=", "smudge=", "process=", "required=false"))
    return tuple(part for setting in off for part in ("-c", setting))


def _asked(folder: Path, settings: Sequence[str], arguments: Sequence[str]) -> str:
    command, environment = ["git", *_QUIET, *settings, *arguments], {**os.environ, **_ENVIRONMENT}
    try:
        run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    except FileNotFoundError:
        raise ChangesError("git is not installed") from None
    if run.returncode:
        reason = run.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ").partition("\n")[0]
        raise ChangesError(f"git {arguments[0]}: {reason or 'failed'}")
    return run.stdout.decode("utf-8", "surrogateescape")


def _files(diff: str) -> Iterator[tuple[str, list[Hunk]]]:
    """Path and hunks of each file of a diff without context."""
    lines = iter(diff.split("\n"))
    path: str | None = None
    hunks: list[Hunk] = []
    for line in lines:
        if line.startswith("diff --git "):
            if path is not None:
                yield path, hunks
            path, hunks = None, []
        elif line.startswith("+++ "):
            path = _path(line[4:])
        elif (found := _HUNK.match(line)) is not None:
            before, row, after = int(found[1] or 1), int(found[2]), int(found[3] or 1)
            removed = _content(lines, before)
            _content(lines, after)
            hunks.append(Hunk(row, after, removed))
    if path is not None:
        yield path, hunks


def _content(lines: Iterator[str], count: int) -> tuple[str, ...]:
    """The next lines of a hunk, without their sign; what git says about a missing last line break is passed over."""
    found: list[str] = []
    while len(found) < count:
        line = next(lines)
        if not line.startswith("\\"):
            found.append(line[1:])
    return tuple(found)


def _path(written: str) -> str | None:
    """The path on a `+++` line, unquoted; None for a file that is gone."""
    written = written.removesuffix("\t")
    if written.startswith('"'):
        raw = written[1:-1].encode("utf-8", "surrogateescape")
        written = _ESCAPE.sub(_unescaped, raw).decode("utf-8", "surrogateescape")
    return None if written == "/dev/null" else written.removeprefix("b/")


def _unescaped(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([int(code, 8)]) if len(code) == 3 else _LETTERS.get(code, code)
