"""Takes away functions that made index grids for other files, and grids that modules made for them, where nothing in
any file names them any more."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from nkilint.base.source import SourceError, decode
from nkilint.base.trees import FUNCTIONS
from nkilint.fixes.edits import Edit, applied

from .cleaning import is_named, with_comments, without
from .source import Source

Api = tuple[str, str]
"""An operation: its dialect, and its name."""


@dataclass(slots=True)
class Shared:
    """The files that are rewritten together, as they were and as they are by now; in each the functions that make index
    grids, and the names that its module gives to grids; those of the files that stay as they are, and the texts of
    files that nothing is known of."""

    before: Mapping[str, Source]
    after: dict[str, Source]
    makers: Mapping[str, set[str]]
    stay: Collection[str] = ()
    others: Sequence[bytes] = ()
    gone: set[tuple[str, str]] = field(default_factory=set)  # by file, functions that are no more

    def sweep(self) -> None:
        """Take away what nothing names, and then what only this named."""
        while found := next(self._unused(), None):
            path, name = found
            self.gone.add(found)
            for file, source in self.after.items():
                edits = list(_imports(source, path, name)) if file != path else [_removal(source, name)]
                if edits:
                    self.after[file] = Source(source.path, applied(edits, source.text))

    def _unused(self) -> Iterator[tuple[str, str]]:
        for path, names in self.makers.items():
            for name in sorted(names):
                there = (path, name) not in self.gone and _defined(self.after[path], name) is not None
                if there and self._is_used(path, name) and not self._is_named(path, name):
                    yield path, name

    def _is_used(self, path: str, name: str) -> bool:
        """Whether anything called it, or read it: what nothing uses may be there for files that are not given."""
        own = _defined(self.before[path], name) if path in self.before else None
        if isinstance(own, ast.Assign):
            return any(is_named(s.tree, name, own) for s in self.before.values())
        inside = {id(n) for n in ast.walk(own)} if own is not None else set()
        calls = (n for s in self.before.values() for n in ast.walk(s.tree) if isinstance(n, ast.Call))
        return any(getattr(n.func, "id", getattr(n.func, "attr", "")) == name for n in calls if id(n) not in inside)

    def _is_named(self, path: str, name: str) -> bool:
        """Whether anything names it but imports from its file that nothing uses."""
        if any(name.encode() in text for text in self.others):
            return True
        for file, source in self.after.items():
            function = _defined(source, name) if file == path else None
            if Path(path).stem not in source.text and file != path:
                continue
            if is_named(source.tree, name, function) or (file != path and _is_imported(source, path, name)):
                return True
            if file in self.stay and any(_imports(source, path, name)):
                return True
        return False


def shared(
    before: Mapping[str, bytes], after: Mapping[str, bytes], makers: Mapping[str, set[str]], stay: Collection[str]
) -> Shared:
    """The files of both kinds, by absolute path, of which some `stay`; what cannot be read may name anything that
    stands in it."""
    trees: list[dict[str, Source]] = [{}, {}]
    others = []
    for found, texts in zip(trees, (before, after), strict=True):
        for file, data in texts.items():
            with suppress(SourceError, SyntaxError, ValueError, RecursionError):
                source = Source(file, decode(data, file))
                source.tree  # noqa: B018  - it has to parse
                found[file] = source
                continue
            others.append(data)
    return Shared(trees[0], trees[1], {f: names for f, names in makers.items() if f in trees[1]}, stay, others)


def rows_of(source: Source, name: str) -> range:
    """The rows of a function, or of an assignment, at the top level."""
    function = _defined(source, name)
    return range(0) if function is None else range(function.lineno, (function.end_lineno or function.lineno) + 1)


def makers_of(source: Source, operations: Mapping[str, set[Api]], grids: frozenset[Api]) -> set[str]:
    """The functions at the top level that make index grids, and have none but these of their `operations` of NKI."""
    plain = (f for f in source.tree.body if isinstance(f, ast.FunctionDef) and not f.decorator_list)
    return {f.name for f in plain if operations.get(f.name) and operations[f.name] <= grids}


def bound_to_grids(source: Source, statements: Collection[tuple[str, str]]) -> set[str]:
    """The names that a module gives to index grids, once each, by the statements that do, each with its function."""
    plain = (s for s in source.tree.body if isinstance(s, ast.Assign) and ("", source.text_of(s)) in statements)
    names = {t.id for s in plain for t in s.targets if isinstance(t, ast.Name)}
    return {name for name in names if isinstance(_defined(source, name), ast.Assign)}


def _defined(source: Source, name: str) -> ast.FunctionDef | ast.Assign | None:
    """The one function of that name at the top level, or the one assignment there to that name alone."""
    functions = [n for n in ast.walk(source.tree) if isinstance(n, FUNCTIONS) and n.name == name]
    bound = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == name and _is_bound(n)]
    if functions:
        only = functions[0] if len(functions) == 1 else None
        return only if isinstance(only, ast.FunctionDef) and only in source.tree.body else None
    made = source.parents[bound[0]] if len(bound) == 1 else None
    return made if isinstance(made, ast.Assign) and len(made.targets) == 1 and made in source.tree.body else None


def _is_bound(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _removal(source: Source, name: str) -> Edit:
    found = _defined(source, name)
    assert found is not None
    return with_comments(source, found) if isinstance(found, ast.FunctionDef) else source.removal(found)


def _is_imported(source: Source, path: str, name: str) -> bool:
    """Whether a file imports the name in a way that is not followed: from elsewhere, or under another name."""
    for node in ast.walk(source.tree):
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            if alias.name == name and (alias.asname or not _is_from(node, path)):
                return True
    return False


def _is_from(node: ast.AST, path: str) -> bool:
    """Whether a statement imports from a file, by the file's name."""
    module = (node.module or "").rpartition(".")[2] if isinstance(node, ast.ImportFrom) else ""
    return module == Path(path).stem


def _imports(source: Source, path: str, name: str) -> Iterator[Edit]:
    """What takes the name out of the imports of a file."""
    for node in ast.walk(source.tree):
        gone = [a for a in node.names if a.name == name] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom) and gone and _is_from(node, path):
            yield from [source.removal(node)] if len(gone) == len(node.names) else without(source, node, gone)
