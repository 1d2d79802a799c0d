"""Which of the new files are to be written: none that only serves others which are not; what stays in the modules that
a file imports."""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from nkilint.base.source import SourceError, decode
from nkilint.project.files import Project

from .cleaning import names_operations
from .source import Source


def serving(
    paths: Sequence[Path],
    overlay: Mapping[str, bytes],
    changed: Collection[str],
    refused: Collection[str],
    standing: Collection[str],
) -> tuple[dict[str, str], dict[str, str]]:
    """By absolute path, the changed files that serve only files which are `refused`, each with one of these; and the
    refused ones that need a file which is written for others, each with one of these.

    A file with kernels that do the same stands by itself (`standing`). Helpers, tests and scripts go with the files
    that they import, or that import them: with one that is written, if there is any.
    """
    links = _links(paths, overlay, changed)
    waiting = set(changed) - set(refused)
    found: dict[str, str] = {}
    while waiting:
        group = _connected(waiting.pop(), links, refused)
        waiting -= group
        users = sorted(set().union(*(links[f] for f in group)) & set(refused))
        if users and not group & set(standing):
            found.update(dict.fromkeys(group, users[0]))
    written = set(changed) - set(refused) - found.keys()
    needing = {f: sorted(links[f] & written) for f in refused}
    return found, {f: others[0] for f, others in needing.items() if others}


def _connected(start: str, links: Mapping[str, set[str]], refused: Collection[str]) -> set[str]:
    """The files that hang together with one by imports, without those that are refused."""
    group, stack = {start}, [start]
    while stack:
        more = links[stack.pop()] - group - set(refused)
        group |= more
        stack += more
    return group


def _links(paths: Sequence[Path], overlay: Mapping[str, bytes], changed: Collection[str]) -> Mapping[str, set[str]]:
    """By changed file, the others that it imports, or that import it."""
    project = Project([str(p) for p in paths], overlay)
    links: dict[str, set[str]] = {file: set() for file in changed}
    for file in changed:
        with suppress(SourceError, SyntaxError, ValueError, RecursionError):
            tree = Source(file, decode(overlay[file], file)).tree
            for other in imported(project, file, tree):
                if other in links and other != file:
                    links[file].add(other)
                    links[other].add(file)
    return links


def left_in_modules(
    paths: Sequence[Path], overlay: Mapping[str, bytes], rows: Mapping[str, Collection[int]], files: Collection[str]
) -> dict[str, set[tuple[str, int]]]:
    """By file, where it and what it imports assign or import at the top level what a person has to decide, of the
    `rows` by file: this is computed before any kernel in the file runs."""
    found = {file: kept for file, told in rows.items() if (kept := _assigning(overlay, file, told))}
    if not found:
        return {}
    project = Project([str(p) for p in paths], overlay)
    around = {file: _with_imported(project, overlay, file) for file in files}
    return {file: {place for f in others for place in found.get(f, ())} for file, others in around.items()}


def _assigning(overlay: Mapping[str, bytes], file: str, rows: Collection[int]) -> set[tuple[str, int]]:
    with suppress(SourceError, SyntaxError, ValueError, RecursionError):
        body = Source(file, decode(overlay[file], file)).tree.body if rows else []
        told = [s for s in body if s.lineno in rows]
        # what is only a text or a number is there whatever it says
        assigned = [
            s for s in told if isinstance(s, ast.Assign) and any(isinstance(n, ast.Name) for n in ast.walk(s.value))
        ]
        return {(file, s.lineno) for s in [*assigned, *filter(names_operations, told)]}
    return set()


def _with_imported(project: Project, overlay: Mapping[str, bytes], file: str) -> set[str]:
    """A file, and those that it imports, and that these import."""
    found, stack = {file}, [file]
    while stack:
        at = stack.pop()
        with suppress(SourceError, SyntaxError, ValueError, RecursionError):
            data = overlay[at] if at in overlay else Path(at).read_bytes()
            more = set(imported(project, at, Source(at, decode(data, at)).tree)) - found
            found |= more
            stack += more
    return found


def imported(project: Project, file: str, tree: ast.Module) -> Iterator[str]:
    """The files of the project that one imports."""
    for module, level in _modules(tree):
        found = project.located(os.path.dirname(file), module, level)
        if found is not None:
            yield os.path.abspath(found)


def _modules(tree: ast.Module) -> Iterable[tuple[str, int]]:
    """The modules that a file imports, with those that names from a package may be."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((a.name, 0) for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            yield module, node.level
            yield from ((f"{module}.{a.name}".lstrip("."), node.level) for a in node.names)
