"""What a file calls the modules of NKI, and imports of those that it needs and has not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from nkilint.fixes.edits import Edit

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
        if dotted in ("neuronxcc.nki", "nki"):
            return f"{local}.{name}"
    local = r.fresh(_USUAL.get(name, name))
    r.imports[local] = f"nki.{name}"
    r.modules[local] = name
    return local


def imports_of(r: Rewriter) -> Iterator[Edit]:
    """The imports of modules that the new text needs."""
    row = _behind_imports(r.source)
    for local, name in r.modules.items():
        if any(re.search(rf"\b{local}\.", edit.text) for edit in r.edits):
            yield Edit(row, 1, row, 1, f"import nki.{name} as {local}\n")


def _behind_imports(source: Source) -> int:
    """The row behind the last import of NKI at the top level, or else behind what has to stand first."""
    first_statement = source.tree.body[0]
    row: int = min(s.lineno for s in (first_statement, *getattr(first_statement, "decorator_list", ())))
    for number, statement in enumerate(source.tree.body):
        names = [a.name for a in statement.names] if isinstance(statement, ast.Import) else []
        names += [statement.module or ""] if isinstance(statement, ast.ImportFrom) else []
        is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
        first = (number == 0 and is_text) or "__future__" in names
        if first or any(n.partition(".")[0] in ("neuronxcc", "nki") for n in names):
            row = (statement.end_lineno or statement.lineno) + 1
    return row
