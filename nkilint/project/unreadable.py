"""Files that a project's modules import and that cannot be read."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from nkilint.base import ir
from nkilint.base.source import STDIN, SourceError, decode, read_bytes
from nkilint.base.trees import tree_of, walk

from .files import Project, is_outside


def unreadable(project: Project, modules: Iterable[ir.Module]) -> list[SourceError]:
    """Those that `modules` import, directly or through one another, in the order of their paths."""
    found: dict[str, SourceError] = {}
    pending: list[tuple[str, Sequence[str]]] = [(_folder(m), m.lines) for m in modules]
    seen = {os.path.abspath(m.path) for m in modules}
    while pending:
        folder, lines = pending.pop()
        for path in _imported(project, folder, "\n".join(lines)):
            if path in seen or not project.overlay.is_file(path):
                continue
            seen.add(path)
            try:
                text = decode(read_bytes(path, project.overlay), project.shown(path))
            except SourceError:
                try:
                    project.module(path)  # so that it is known to have been looked into
                except SourceError as error:
                    found[path] = error
                continue
            pending.append((os.path.dirname(path), text.replace("\r\n", "\n").replace("\r", "\n").split("\n")))
    return [found[path] for path in sorted(found)]


def _folder(module: ir.Module) -> str:
    return os.getcwd() if module.path == STDIN else os.path.dirname(os.path.abspath(module.path))


def _imported(project: Project, folder: str, text: str) -> Iterator[str]:
    """The files of the project that the imports of a module mean."""
    for name, level in _names(text):
        if level or not is_outside(name.partition(".")[0]):
            path = project.located(folder, name, level)
            if path is not None:
                yield path


@lru_cache(maxsize=64)  # an editor sends one text after the other that imports the same
def _names(text: str) -> tuple[tuple[str, int], ...]:
    """What the imports of a text may mean, with the dots before it."""
    tree = tree_of(text.split("\n"))
    names: list[tuple[str, int]] = []
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, ast.Import):
            for alias in node.names:
                parts = alias.name.split(".")
                names += [(".".join(parts[:length]), 0) for length in range(1, len(parts) + 1)]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names.append((module, node.level))
            names += [(f"{module}.{alias.name}".lstrip("."), node.level) for alias in node.names if alias.name != "*"]
    return tuple(dict.fromkeys(names))
