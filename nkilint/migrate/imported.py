"""What the names in a file stand for that come from NKI: by imports, by stars, and by other names for these."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Mapping

from nkilint.base import ir
from nkilint.base.trees import FUNCTIONS
from nkilint.project.imports import Imports

from .modules import WRITTEN
from .source import Source


def inner_imports(source: Source) -> dict[str, str]:
    """Local name to dotted name, of what functions import from NKI or NumPy."""
    found: dict[str, str] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            found.update({a.asname: a.name for a in node.names if a.asname and _is_known(a.name)})
        elif isinstance(node, ast.ImportFrom) and not node.level and _is_known(node.module or ""):
            found.update({a.asname or a.name: f"{node.module}.{a.name}" for a in node.names})
    return found


def starred(source: Source, imports: Imports, module: ir.Module) -> dict[str, str]:
    """Local name to dotted name, of what a file has of NKI by `import *`, also of modules of the project, unless
    something else in it has the name."""
    read = {n.id for n in ast.walk(source.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    own = {n.id for n in ast.walk(source.tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    own |= {n.arg for n in ast.walk(source.tree) if isinstance(n, ast.arg)} | set(dir(builtins))
    own |= {n.name for n in ast.walk(source.tree) if isinstance(n, (*FUNCTIONS, ast.ClassDef))}
    scope = imports.scope(module)
    found = {name: imports.qualified(scope, _named(module, name)) for name in (read - own if scope.stars else ())}
    return {name: dotted for name, dotted in found.items() if dotted is not None and _is_known(dotted)}


def hiding(source: Source, imports: Imports, module: ir.Module) -> dict[int, frozenset[str]]:
    """By the row of a star at the top level, which names of Python it may hide of those that the migration writes."""
    found: dict[int, frozenset[str]] = {}
    for statement in source.tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            inside = imports.project.resolve(module, statement.module or "", statement.level)
            if isinstance(inside, ir.Module):
                brought = {n for n in WRITTEN if _has(imports, inside, n)}
            else:
                brought = set(WRITTEN) if statement.module in _STARS else set()
            found[statement.lineno] = frozenset(brought)
    return found


_STARS = ("neuronxcc.nki.language", "nki.language")


def _has(imports: Imports, module: ir.Module, name: str) -> bool:
    """Whether a module binds a name, or a star in it brings one."""
    scope, node = imports.scope(module), _named(module, name)
    own = name in scope.imports or name in scope.definitions or name in scope.values
    return own or imports.qualified(scope, node) is not None or bool(imports.definitions(scope, node))


def _named(module: ir.Module, name: str) -> ir.Name:
    return ir.Name(ir.Span(module.path, 1, 1, 1, 1), name)


def aliases(source: Source, imports: Mapping[str, str]) -> dict[str, str]:
    """Names for what is imported, which stand for nothing else in the file: `sb_mod = nki.compiler.sbuf.mod_alloc`."""
    found: dict[str, str] = {}
    for statement in (n for n in ast.walk(source.tree) if isinstance(n, ast.Assign)):
        if not isinstance(statement.value, ast.Attribute) or isinstance(source.parents[statement], ast.ClassDef):
            continue
        head, _, rest = ast.unparse(statement.value).partition(".")
        if head in imports and rest.replace(".", "").isidentifier():
            names = [t.id for t in statement.targets if isinstance(t, ast.Name)]
            found.update(dict.fromkeys(names, f"{imports[head]}.{rest}"))
    bound = Counter(_bindings(source.tree)) if found else {}
    return {name: dotted for name, dotted in found.items() if bound[name] == 1}


def _bindings(tree: ast.Module) -> Iterator[str]:
    """Each name that something in a file binds, as often as that is so."""
    for n in ast.walk(tree):
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            yield n.id
        elif isinstance(n, ast.arg):
            yield n.arg
        elif isinstance(n, (*FUNCTIONS, ast.ClassDef)):
            yield n.name
        elif isinstance(n, ast.alias):
            yield n.asname or n.name.partition(".")[0]


def _is_known(name: str) -> bool:
    return name.partition(".")[0] in ("neuronxcc", "nki", "numpy")
