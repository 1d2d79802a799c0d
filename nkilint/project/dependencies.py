"""Which pieces of which files a kernel is made of, by the names in them; nothing is evaluated.

The piece is the statement at the top level of a module: a function, a class, an assignment. A name may stand for more
than it does when the program runs, never for less, as long as it is written out somewhere.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import field

from nkilint.base import ir
from nkilint.base.trees import parsed, root_of, walk
from nkilint_rules.words.records import dataclass

from .files import Project

_COMMENT = re.compile(r"\s*#")


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """A statement at the top level, from its first decorator, with the comments right above, to its last row.

    `binds` are the names that it gives a value, `mentions` those that stand in it, attributes included. `acts` says
    that it may change what other pieces of the module see: it is no definition, and not a mere call of a function.
    """

    file: str
    row: int
    end_row: int
    binds: frozenset[str]
    mentions: frozenset[str]
    acts: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class _File:
    """The pieces of a module, and what its names stand for where they come from other modules.

    `imported` has (module, name in it); the name is None for a whole module. `all_of` are the modules of the project
    whose names may stand in it after a dot or through a star.
    """

    units: tuple[Unit, ...]
    lines: tuple[str, ...]
    binding: dict[str, list[Unit]]
    imported: dict[str, list[tuple[ir.Module, str | None]]] = field(default_factory=dict)
    all_of: list[ir.Module] = field(default_factory=list)


class Dependencies:
    """Follows names through the modules of a project."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._files: dict[str, _File] = {}
        self._targets: dict[Unit, frozenset[Unit]] = {}

    def units(self, module: ir.Module) -> tuple[Unit, ...]:
        return self._file(module).units

    def unit_at(self, module: ir.Module, row: int) -> Unit | None:
        """The piece that `row` is part of."""
        return next((u for u in self.units(module) if u.row <= row <= u.end_row), None)

    def reached(self, roots: Iterable[Unit], stop: frozenset[Unit] = frozenset()) -> set[Unit]:
        """`roots` and everything that they use; what pieces of `stop` use is left out."""
        found = set(roots)
        stack = list(found - stop)
        while stack:
            for unit in self._used_by(stack.pop()):
                if unit not in found:
                    found.add(unit)
                    if unit not in stop:
                        stack.append(unit)
        return found

    def acting(self, file: str) -> Iterator[Unit]:
        """The pieces of a file that may change what its other pieces see."""
        return (unit for unit in self._files[os.path.abspath(file)].units if unit.acts)

    def text(self, unit: Unit) -> str:
        """The source of a piece, with what stands between it and the piece before."""
        known = self._files[os.path.abspath(unit.file)]
        before = [u.end_row for u in known.units if u.end_row < unit.row]
        return "\n".join(known.lines[max(before, default=0) : unit.end_row])

    def table(self, file: str) -> list[tuple[str, str, str | None]]:
        """What names of a file stand for in other modules: name, path, name there."""
        known = self._files[os.path.abspath(file)]
        named = [(name, m.path, inside) for name, found in known.imported.items() for m, inside in found]
        return [*named, *(("*", m.path, None) for m in known.all_of)]

    def imports(self, file: str) -> set[str]:
        """Absolute paths of the modules of the project that a file imports itself."""
        known = self._files[os.path.abspath(file)]
        modules = [m for found in known.imported.values() for m, _ in found]
        return {os.path.abspath(m.path) for m in (*modules, *known.all_of)}

    def led_to(self, module: ir.Module) -> tuple[ir.Module, ...]:
        """A module, and all of the project that it imports directly or through others."""
        found = {os.path.abspath(module.path): module}
        waiting = [module]
        while waiting:
            file = self._file(waiting.pop())
            named = (inside for known in file.imported.values() for inside, _ in known)
            for each in (*named, *file.all_of):
                if found.setdefault(os.path.abspath(each.path), each) is each:
                    waiting.append(each)
        return tuple(found[path] for path in sorted(found))

    def _used_by(self, unit: Unit) -> frozenset[Unit]:
        if unit not in self._targets:
            file = self._files[os.path.abspath(unit.file)]
            found = (u for name in unit.mentions for u in self._meant(file, name, set()))
            self._targets[unit] = frozenset(found)
        return self._targets[unit]

    def _meant(self, file: _File, name: str, passed: set[tuple[int, str]]) -> Iterator[Unit]:
        """The pieces that `name` may stand for in a file."""
        if (id(file), name) in passed:
            return
        passed.add((id(file), name))
        yield from file.binding.get(name, ())
        for module, original in file.imported.get(name, ()):
            inside = self._file(module)
            if original is not None:
                yield from self._meant(inside, original, passed)
        for module in file.all_of:
            yield from self._meant(self._file(module), name, passed)

    def _file(self, module: ir.Module) -> _File:
        path = os.path.abspath(module.path)
        if path not in self._files:
            self._files[path] = self._read(module)
        return self._files[path]

    def _read(self, module: ir.Module) -> _File:
        try:
            tree = parsed("\n".join(module.lines))
        except (SyntaxError, ValueError, RecursionError):  # newer syntax than this interpreter's, or too deep
            words = frozenset(re.findall(r"\w+", "\n".join(module.lines)))
            units: tuple[Unit, ...] = (Unit(module.path, 1, len(module.lines), words, words),)
            imports: list[ast.Import | ast.ImportFrom] = []
        else:
            parts = [(statement, walk(statement)) for statement in tree.body]
            units = tuple(_unit(module, statement, nodes) for statement, nodes in parts)
            imports = [n for _, nodes in parts for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom))]
        imports += [n for n in walk(parsed(module.prelude)) if isinstance(n, (ast.Import, ast.ImportFrom))]
        binding: dict[str, list[Unit]] = {}
        for unit in units:
            for name in unit.binds:
                binding.setdefault(name, []).append(unit)
        file = _File(units, module.lines, binding)
        for node in imports:
            self._import(module, node, file)
        return file

    def _import(self, module: ir.Module, node: ast.Import | ast.ImportFrom, file: _File) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                parts = alias.name.split(".")
                for length in range(1, len(parts) + 1):
                    found = self.project.resolve(module, ".".join(parts[:length]), 0)
                    if isinstance(found, ir.Module):
                        file.all_of.append(found)
                continue
            found = self.project.resolve(module, node.module or "", node.level)
            if not isinstance(found, ir.Module):
                continue
            if alias.name == "*":
                file.all_of.append(found)
                continue
            file.imported.setdefault(alias.asname or alias.name, []).append((found, alias.name))
            if found.path.endswith("__init__.py"):
                inside = self.project.resolve(found, alias.name, 1)
                if isinstance(inside, ir.Module):
                    file.all_of.append(inside)


def _unit(module: ir.Module, statement: ast.stmt, nodes: list[ast.AST]) -> Unit:
    decorators = getattr(statement, "decorator_list", [])
    row = min([statement.lineno, *(d.lineno for d in decorators)])
    while row > 1 and _COMMENT.match(module.lines[row - 2]):
        row -= 1
    mentions = frozenset(n.id for n in nodes if isinstance(n, ast.Name)) | frozenset(
        n.attr for n in nodes if isinstance(n, ast.Attribute)
    )
    texts = (n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
    named = frozenset(text for text in texts if text.isidentifier())  # `getattr(module, "name")`
    imports = (alias for n in nodes if isinstance(n, (ast.Import, ast.ImportFrom)) for alias in n.names)
    imported = frozenset(alias.name for alias in imports)
    end_row = statement.end_lineno or statement.lineno
    acts = not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not _runs(statement)
    return Unit(module.path, row, end_row, frozenset(_binds(statement, nodes)), mentions | named | imported, acts)


def _runs(statement: ast.stmt) -> bool:
    """Whether a statement is there to be run as a script: a call of a function, or what a main module does."""
    if isinstance(statement, ast.If):
        return any(isinstance(n, ast.Name) and n.id == "__name__" for n in walk(statement.test))
    return isinstance(statement, ast.Expr) and not (
        isinstance(statement.value, ast.Call) and isinstance(statement.value.func, ast.Attribute)
    )


def _binds(statement: ast.stmt, nodes: list[ast.AST]) -> Iterator[str]:
    """The names that a statement binds at the top level, or whose value it changes."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            yield from root_of(node)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        yield from root_of(statement.value.func) if isinstance(statement.value.func, ast.Attribute) else ()
