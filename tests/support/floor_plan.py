"""What the tests of the floor plan read: the imports, lengths and reasons of every module."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

REASON = "# long: "  # before why a file or a function is longer than others


@dataclass(frozen=True)
class Import:
    """An import of a module or of a name in one: where it stands, and whether it is inside a function, or for types
    alone."""

    module: Module
    row: int
    name: str
    hidden: bool
    typing: bool

    def __str__(self) -> str:
        return f"{self.module.path}:{self.row} imports {self.name}"


@dataclass(frozen=True)
class Module:
    """A file below one of the three roots; `name` is what it is imported as."""

    path: Path
    root: Path
    text: str

    @property
    def name(self) -> str:
        parts = self.path.relative_to(self.root.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def part(self) -> str:
        """The package of the root that it stands in; its own name where it is loose."""
        return self.path.relative_to(self.root).parts[0].removesuffix(".py")

    @property
    def tree(self) -> ast.Module:
        return _parsed(self.text)

    def imports(self) -> Iterator[Import]:
        yield from _imports(self)

    def _imports(self) -> Iterator[Import]:
        functions = [n for n in ast.walk(self.tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        hidden = {id(node) for function in functions for node in ast.walk(function)}
        guarded = [n for n in ast.walk(self.tree) if isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test)]
        typing = {id(node) for guard in guarded for node in ast.walk(guard)}
        for node in ast.walk(self.tree):
            for name in self._names(node):
                row = getattr(node, "lineno", 0)
                yield Import(self, row, name, id(node) in hidden, id(node) in typing)

    def _names(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = self.path.relative_to(self.root.parent).parts[: -node.level] if node.level else ()
            start = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)

    def reason(self, row: int) -> bool:
        """Whether the import on a line, or a comment above it and those with it, says why it stands there."""
        lines = [line.strip() for line in self.text.splitlines()]
        row -= 1
        while "#" not in lines[row] and lines[row].startswith(("from ", "import ")):
            row -= 1
        return "#" in lines[row]

    def long_functions(self, most: int) -> Iterator[str]:
        """Functions of more lines than that which give no reason."""
        lines = self.text.splitlines()
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                head = lines[node.lineno - 1 : node.body[0].lineno]
                if (node.end_lineno or 0) - node.lineno >= most and not any(REASON in line for line in head):
                    yield f"{self.path.relative_to(self.root.parent)}: {node.name}"

    def is_long(self, most: int) -> bool:
        """Whether it has more lines than that, and gives no reason in its first ones."""
        lines = self.text.splitlines()
        return len(lines) > most and not any(REASON in line for line in lines[:20])


@cache
def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


@cache
def _imports(module: Module) -> tuple[Import, ...]:
    return tuple(module._imports())


@cache
def modules(root: Path) -> tuple[Module, ...]:
    """All modules below a root."""
    return tuple(Module(file, root, file.read_text(encoding="utf-8")) for file in sorted(root.rglob("*.py")))


def circles(edges: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """The groups that reach one another along the edges."""
    reached = {start: _reached(start, edges) for start in edges}
    groups = {frozenset([a, *(b for b in reached[a] if a in reached.get(b, ()))]) for a in edges if a in reached[a]}
    return sorted(sorted(group) for group in groups)


def _reached(start: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    found: set[str] = set()
    stack = list(edges.get(start, ()))
    while stack:
        here = stack.pop()
        if here not in found:
            found.add(here)
            stack += edges.get(here, ())
    return found
