"""What a file calls the modules of NKI, and imports of those that it needs and has not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from nkilint.base.trees import FUNCTIONS
from nkilint.fixes.edits import Edit
from nkilint_rules.operations import load_operations

from .nodes import Undecided
from .source import Source

if TYPE_CHECKING:
    from .rewriting import Rewriter

_USUAL = {"language": "nl", "isa": "nisa"}


def module_name(r: Rewriter, name: str) -> str:
    """What the file calls a module of NKI; one that it does not import it comes to import."""
    for local, dotted in r.imports.items():
        if dotted in (f"neuronxcc.nki.{name}", f"nki.{name}") and "." not in local:
            return local
    for local, dotted in r.imports.items():
        if dotted in ("neuronxcc.nki", "nki") and re.search(rf"\b{local}\.{name}\.", r.source.text):
            return f"{local}.{name}"
    local = r.fresh(_USUAL.get(name, name), everywhere=True)
    r.imports[local] = f"nki.{name}"
    r.modules[local] = name
    return local


def imports_of(r: Rewriter) -> Iterator[Edit]:
    """The imports of modules that the new text needs."""
    row = _behind_imports(r.source)
    for local, name in r.modules.items():
        if any(re.search(rf"\b{local}\.", edit.text) for edit in r.edits):
            yield Edit(row, 1, row, 1, f"import nki.{name} as {local}\n")
    written = [name for name in sorted(r.builtins) if any(f"{name}(" in edit.text for edit in r.edits)]
    if written:
        yield Edit(row, 1, row, 1, f"from builtins import {', '.join(written)}\n")


def check_builtins(r: Rewriter, statement: ast.stmt, nodes: Iterable[ast.AST], edits: Sequence[Edit]) -> None:
    """`min` and `max` that the new text of a statement calls are to be Python's: where a star hides one that the file
    does not use itself, the file comes to import it; where the name stands for something else, nothing is written."""
    if not any(f"{name}(" in edit.text for name in WRITTEN for edit in edits):
        return
    calls = (n.func for node in nodes for n in ast.walk(node) if isinstance(n, ast.Call))
    before = [f.id for f in calls if isinstance(f, ast.Name)]
    scopes = [s for s in r.source.around(statement) if isinstance(s, (*FUNCTIONS, ast.Module))]
    for name in WRITTEN:
        count = sum(len(re.findall(rf"(?<![\w.]){name}\(", edit.text)) for edit in edits)
        if count <= before.count(name):
            continue
        hidden = _is_hidden(r, name)
        used = hidden and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(r.source.tree))
        if used or any(_binds(scope, name) for scope in scopes):
            raise Undecided(f"it needs Python's `{name}`, and `{name}` is something else in this file")
        if hidden:
            r.builtins.add(name)


COMPUTING = frozenset(
    name for name, o in load_operations().items() if name.startswith("language.") and o.kind == "compute"
)
"""Operations of the language that compute or move, of which 0.2 has none."""


def check_version(r: Rewriter, edits: Sequence[Edit]) -> None:
    """Nothing is written that only a later version has."""
    if r.version != "0.2" or r.reaches("0.3"):
        return
    names = "|".join(local for local, dotted in r.imports.items() if dotted.endswith("nki.language"))
    text = " ".join(e.text for e in edits if not e.text.lstrip().startswith("#"))
    for called in re.findall(rf"\b(?:{names})\.(\w+)\(", text) if names else ():
        if f"language.{called}" in COMPUTING:
            raise Undecided(f"`{called}` is not there before 0.3")


WRITTEN = ("min", "max")
"""Python's functions that the migration writes."""
_SCOPES = (*FUNCTIONS, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _is_hidden(r: Rewriter, name: str) -> bool:
    """Whether a star hides what Python calls so, and no import after it brings that back."""
    hidden = False
    for statement in r.source.tree.body:
        if isinstance(statement, ast.ImportFrom):
            names = [(a.name, a.asname or a.name) for a in statement.names]
            hidden = hidden or name in r.hiding.get(statement.lineno, ())
            hidden = hidden and not (statement.module == "builtins" and (name, name) in names)
    return hidden


def _binds(scope: ast.AST, name: str) -> bool:
    """Whether a module or a function binds a name, to something else than Python does."""
    stack = list(ast.iter_child_nodes(scope))
    while stack:
        node = stack.pop()
        found = [getattr(node, "name", None), getattr(node, "arg", None) if isinstance(node, ast.arg) else None]
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.append(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            own = getattr(node, "module", "") == "builtins"
            found += [a.asname or a.name for a in node.names if not (own and a.name == name)]
        if name in found:
            return True
        if not isinstance(node, (*_SCOPES, ast.Import, ast.ImportFrom)):
            stack.extend(ast.iter_child_nodes(node))
    return False


def _behind_imports(source: Source) -> int:
    """The row behind the last import of NKI, or star, at the top level, or else behind what has to stand first."""
    first_statement = source.tree.body[0]
    row: int = min(s.lineno for s in (first_statement, *getattr(first_statement, "decorator_list", ())))
    for number, statement in enumerate(source.tree.body):
        names = [a.name for a in statement.names] if isinstance(statement, ast.Import) else []
        names += [statement.module or ""] if isinstance(statement, ast.ImportFrom) else []
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        first = (number == 0 and is_text) or "__future__" in names
        star = isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"
        if first or star or any(n.partition(".")[0] in ("neuronxcc", "nki") for n in names):
            row = (statement.end_lineno or statement.lineno) + 1
    return row
