"""Names that a file imports from modules that do not have them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from nkilint.base import ir
from nkilint.base.trees import tree_of
from nkilint.evaluator.python.library.external import is_missing
from nkilint.project.files import External
from nkilint.project.imports import Imports, lookup
from nkilint.project.names import Scope

from .code import Code
from .undefined import names_by_pyflakes

_REACHING = ("__dict__", "__getattr__", "locals(", "modules[", "setattr(", "vars(")
"""What stands in the text of a module that may bind names which the text does not show."""


def missing(module: Scope, imports: Imports) -> Iterator[tuple[ir.ImportFrom, str]]:
    """The imports that always run, and a name that each does not get."""
    for statement in module.module.body:
        if isinstance(statement, ir.ImportFrom):
            yield from (
                (statement, name) for name, _ in statement.names if _lacks(module.module, statement, name, imports)
            )


def _lacks(module: ir.Module, statement: ir.ImportFrom, name: str, imports: Imports) -> bool:
    if name == "*" or name.startswith("__"):
        return False
    source = imports.project.resolve(module, statement.module, statement.level)
    if isinstance(source, External):
        return is_missing(source.name, name)
    if not isinstance(source, ir.Module) or source.path == module.path:
        return False
    scope = imports.scope(source)
    if lookup(scope, name) is not None or scope.stars or _is_beside(source, name):
        return False
    folder = os.path.dirname(os.path.abspath(module.path))
    only = len(imports.project.candidates(folder, statement.module, statement.level)) == 1
    return only and not _may_bind(source, name)


def _is_beside(package: ir.Module, name: str) -> bool:
    """Whether a package may have a part of that name, in whatever it is written."""
    if os.path.basename(package.path) != "__init__.py":
        return False
    folder = os.path.dirname(os.path.abspath(package.path))
    beside = os.listdir(folder) if os.path.isdir(folder) else []
    return any(entry.partition(".")[0] == name for entry in beside)


def _may_bind(module: ir.Module, name: str) -> bool:
    """Whether a module has a name that no plain statement of it binds, or may have any."""
    tree = tree_of(module.lines)
    if tree is None or any(word in line for line in module.lines for word in _REACHING):
        return True
    names = names_by_pyflakes(Code(tree, module.lines), module.path)
    return names.opaque or name in names.bound
