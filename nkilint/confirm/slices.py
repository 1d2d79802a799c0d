"""Modules that run only the statements that give a name its value, when the name is asked for.

Tests, scripts and whatever else a module does when it is imported stay out: only definitions, assignments and imports
that the names in them lead to are executed, in their order.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import importlib
import importlib.util
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from types import ModuleType
from typing import Any

from nkilint.project.files import OUTSIDE, PRELUDE
from reference_sim.report.positions import compiled_from

from .changes import binds, changes, locals_of
from .marks import followed, statements

_OWN = frozenset({"nkilint", "nkilint_rules", "reference_sim"})
NO_ROW = 100_000_000  # rows of preludes begin above those of any file
_FLAGS = __future__.annotations.compiler_flag  # annotations need not be importable


Mark = tuple[str, int, tuple[str, ...]]
"""A file, a row, and the codes that are looked for there."""


class Absent:
    """Stands for what an import would give that is not installed; it says so when it is used."""

    def __init__(self, name: str) -> None:
        self.__dict__["_name"] = name

    def _use(self, *_: Any, **__: Any) -> Any:
        raise ModuleNotFoundError(f"No module named {self.__dict__['_name']!r}", name=self.__dict__["_name"])

    __getattr__ = __call__ = __getitem__ = __iter__ = __mro_entries__ = __or__ = __ror__ = __bool__ = _use


class Slices:
    """The statements of one module."""

    def __init__(self, tree: ast.Module, path: str) -> None:
        self.path = path
        self.statements = [s for s in tree.body if not _asks_for_main(s)]
        self.binding: dict[str, list[int]] = {}
        imported = {name for s in self.statements if isinstance(s, (ast.Import, ast.ImportFrom)) for name in binds(s)}
        functions = {s.name: s for s in self.statements if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef))}
        self.acting: list[int] = []  # statements that may change what this module does not hold
        for number, statement in enumerate(self.statements):
            changed, alone = changes(statement, functions)
            for name in {*binds(statement), *(changed - imported)}:
                self.binding.setdefault(name, []).append(number)
            if alone & imported:
                self.acting.append(number)
        self.stars = [s for s in self.statements if isinstance(s, ast.ImportFrom) and s.names[0].name == "*"]
        self.done: set[int] = set()

    def provide(self, module: ModuleType, name: str) -> bool:
        """Execute what `name` needs; whether the module defines it."""
        wanted, names = self.needed({name})
        for other in sorted(names):
            if other not in self.binding and not hasattr(builtins, other) and other not in vars(module):
                self._from_stars(module, other)
        for number in sorted(wanted - self.done):
            self.done.add(number)
            self._execute(module, self.statements[number])
        return name in vars(module)

    def needed(self, names: set[str]) -> tuple[set[int], set[str]]:
        """The statements that lead to names, and all names that occur on the way."""
        names, pending = set(names), list(names)
        wanted: set[int] = set()
        while pending:
            for number in self.binding.get(pending.pop(), ()):
                if number not in wanted:
                    wanted.add(number)
                    more = loads(self.statements[number]) - names
                    names |= more
                    pending += more
        return wanted, names

    def _from_stars(self, module: ModuleType, name: str) -> None:
        for star in self.stars:
            try:
                source = importlib.import_module("." * star.level + (star.module or ""), module.__package__)
            except ImportError:
                continue
            if hasattr(source, name):
                setattr(module, name, getattr(source, name))

    def _execute(self, module: ModuleType, statement: ast.stmt) -> None:
        code = compile(ast.Module([statement], []), self.path, "exec", flags=_FLAGS, dont_inherit=True)
        try:
            exec(code, vars(module))
        except ImportError as error:
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                raise
            for name in binds(statement):
                vars(module).setdefault(name, Absent(error.name or name))


def _asks_for_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and any(
        isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(statement.test)
    )


def loads(node: ast.AST) -> set[str]:
    """Names from outside that a statement may use; annotations and what functions bind themselves are left out."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Global):
        return set(node.names)
    found: set[str] = set()
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        body = node.body if isinstance(node.body, list) else [node.body]
        inside = set().union(*map(loads, body))
        found |= inside - locals_of(node)
        parts: list[Any] = [*node.args.defaults, *node.args.kw_defaults, *getattr(node, "decorator_list", ())]
    else:
        values = (value for field, value in ast.iter_fields(node) if field not in ("annotation", "returns"))
        parts = [v for value in values for v in (value if isinstance(value, list) else [value])]
    return found.union(*(loads(part) for part in parts if isinstance(part, ast.AST)))


# --- importing ---


class _SlicedLoader(Loader):
    def __init__(self, path: str, sources: Sources) -> None:
        self.path, self.sources = path, sources

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        slices = Slices(self.sources.tree(self.path), self.path)
        self.sources.loaded.append(slices)
        vars(module).update(self.sources.given)

        def find(name: str) -> Any:
            if name.startswith("__") or not slices.provide(module, name):
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            return vars(module)[name]

        vars(module)["__getattr__"] = find


class Sources(MetaPathFinder):
    """Finds the modules of a project below `roots`; those of Python and of installed packages are not its concern.

    `read` has the files that were executed in part. `marks` are places whose statements report when they are come to;
    every module gets the names in `given`, and has the statements of `prelude` at its head.
    """

    def __init__(
        self,
        roots: Sequence[str],
        overlay: Mapping[str, str],
        marks: Sequence[Mark],
        given: Mapping[str, Any],
        prelude: str = "",
    ) -> None:
        self.roots = list(roots)
        self.overlay, self.marks, self.given = overlay, marks, given
        self.prelude = prelude
        self.read: dict[str, bytes] = {}
        self.trees: dict[str, ast.Module] = {}
        self.loaded: list[Slices] = []

    def left_out(self) -> str:
        """A statement that was not executed, and may change what another module holds; empty if there is none."""
        for slices in self.loaded:
            for number in slices.acting:
                if number not in slices.done:
                    return f"line {slices.statements[number].lineno} of {os.path.basename(slices.path)}"
        return ""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        above, _, _ = fullname.rpartition(".")
        if fullname.partition(".")[0] in sys.stdlib_module_names | OUTSIDE | _OWN:
            return None
        if above and not self._ours(sys.modules[above]):
            return None
        spec = PathFinder.find_spec(fullname, self.roots if path is None else list(path))
        if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
            return spec
        return self._spec(fullname, spec.origin)

    def _ours(self, package: ModuleType) -> bool:
        """Whether a package is sliced, or a folder of the project without `__init__.py`."""
        if isinstance(package.__spec__ and package.__spec__.loader, _SlicedLoader):
            return True
        inside = (os.path.join(root, "") for root in self.roots)
        return package.__file__ is None and next(iter(package.__path__)).startswith(tuple(inside))

    def _spec(self, name: str, path: str) -> ModuleSpec | None:
        path = os.path.abspath(path)
        package = [os.path.dirname(path)] if os.path.basename(path) == "__init__.py" else None
        loader = _SlicedLoader(path, self)
        return spec_from_file_location(name, path, loader=loader, submodule_search_locations=package)

    def load(self, name: str, path: str) -> ModuleType:
        """The module at `path`, under its dotted name."""
        spec = self._spec(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(name, module)
        spec.loader.exec_module(module)
        return module

    def undecorate(self, path: str, function: str) -> None:
        """Take a function as it is written; what its decorators say is known already."""
        for statement in statements(self.tree(path)):
            if isinstance(statement, ast.FunctionDef) and statement.name == function:
                statement.decorator_list = []

    def tree(self, path: str) -> ast.Module:
        if path not in self.trees:
            if path in self.overlay:
                data = self.overlay[path].encode("utf-8", "surrogatepass")
            else:
                with open(path, "rb") as file:
                    data = file.read()
            self.read[path] = data
            tree = ast.parse(data, path)
            followed(tree, data, [(number, row) for number, (file, row, _) in enumerate(self.marks) if file == path])
            if self.prelude:
                before = ast.increment_lineno(ast.parse(self.prelude, PRELUDE), NO_ROW)
                followed(before, self.prelude, ())
                tree.body = [*before.body, *tree.body]
            self.trees[path] = tree
            compiled_from(path, tree, importlib.util.decode_source(data))
        return self.trees[path]
