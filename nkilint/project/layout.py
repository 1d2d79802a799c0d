"""Where a project keeps its packages: the folder it starts in, and the roots that its pyproject.toml declares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from nkilint.base import toml, whole

_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def project_root(folder: str) -> str | None:
    """The nearest folder, from `folder` up, that a project starts in."""
    while True:
        if any(os.path.exists(os.path.join(folder, marker)) for marker in _MARKERS):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def source_roots(root: str) -> Iterator[str]:
    """Folders of the project at `root` that its packages are imported from."""
    yield root
    yield os.path.join(root, "src")
    for folder in _declared(_tables(root)):
        yield os.path.normpath(os.path.join(root, folder))


def _tables(root: str) -> dict[str, Any]:
    """`[tool]` of the project's pyproject.toml; one that cannot be read declares nothing."""
    try:
        tool = toml.loads(whole.read(os.path.join(root, "pyproject.toml")).decode()).get("tool")
    except (OSError, ValueError):
        return {}
    return tool if isinstance(tool, dict) else {}


def _declared(tool: dict[str, Any]) -> Iterator[str]:
    """What setuptools, hatch and poetry are told: folders with packages, or packages by their paths."""
    setuptools, poetry = _at(tool, "setuptools"), _at(tool, "poetry")
    found = _at(_at(setuptools, "packages"), "find").get("where")
    yield from _texts(found if isinstance(found, list) else [])
    for package, folder in _at(setuptools, "package-dir").items():
        yield from _texts([folder] if package == "" else [os.path.dirname(str(folder))])
    wheel = _at(_at(_at(_at(tool, "hatch"), "build"), "targets"), "wheel").get("packages")
    yield from (os.path.dirname(path) for path in _texts(wheel if isinstance(wheel, list) else []))
    packages = poetry.get("packages")
    for package in packages if isinstance(packages, list) else []:
        yield from _texts([package.get("from")] if isinstance(package, dict) else [])


def _at(table: dict[str, Any], key: str) -> dict[str, Any]:
    found = table.get(key)
    return found if isinstance(found, dict) else {}


def _texts(values: list[Any]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))
