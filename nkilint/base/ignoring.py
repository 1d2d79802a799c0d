"""What git ignores: the files that the `.gitignore` files of a repository name."""

from __future__ import annotations

import os
from typing import Any

from . import whole

FILE = ".gitignore"


class Ignored:
    """Asked of files and folders while `folder` is walked, from the outside in."""

    def __init__(self, folder: str) -> None:
        self._root = _repository(os.path.abspath(folder))
        self._known: dict[str, Any] = {}

    def __call__(self, path: str, *, is_folder: bool) -> bool:
        """Whether git ignores `path`; the nearest `.gitignore` that speaks of it counts."""
        if self._root is None:
            return False
        path = os.path.abspath(path)
        folder = os.path.dirname(path)
        while folder.startswith(self._root):
            patterns = self._patterns(folder)
            if patterns is not None:
                inner = os.path.relpath(path, folder).replace(os.sep, "/")
                said = patterns.check_file(inner + "/" if is_folder else inner).include
                if said is not None:
                    return bool(said)
            if folder == self._root:
                break
            folder = os.path.dirname(folder)
        return False

    def _patterns(self, folder: str) -> Any:
        if folder not in self._known:
            self._known[folder] = _read(os.path.join(folder, FILE))
        return self._known[folder]


def _read(file: str) -> Any:
    """The patterns of a file; None if there is none that can be read."""
    try:
        lines = whole.read(file).decode("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    from pathspec import GitIgnoreSpec  # only where there is such a file: most runs do not need it

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # git passes over patterns that make no sense
        return None


def _repository(folder: str) -> str | None:
    """The git repository that a folder is in."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return folder
