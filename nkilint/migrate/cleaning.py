"""Takes away what a rewrite has left without use: index grids and masks that nothing reads any more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nkilint.base.source import indentation
from nkilint.base.trees import Function
from nkilint.fixes.edits import Edit, applied
from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1, NKI

from .source import Source

Grids = frozenset[tuple[str, str]]
"""Names of index grids and masks, each with that of the function it is in."""


def without_unused_grids(source: Source, grids: Grids) -> str:
    """The text without assignments to names of `grids` that nothing else comes to read."""
    unused = [
        statement
        for function in ast.walk(source.tree)
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for statement in _unused(function, {name for owner, name in grids if owner == function.name})
    ]
    return applied(list(_removals(source, unused)), source.text) if unused else source.text


def without_gone_names(source: Source) -> str:
    """The text without what it imports of operations that `nki` does not have, where nothing calls them any more."""
    used = {n.id for n in ast.walk(source.tree) if isinstance(n, ast.Name)}
    edits: list[Edit] = []
    for node in ast.walk(source.tree):
        module = node.module if isinstance(node, ast.ImportFrom) and not node.level else None
        if not isinstance(node, ast.ImportFrom) or module not in ("nki.language", "nki.isa"):
            continue
        gone = [a for a in node.names if _is_gone(module, a.name) and (a.asname or a.name) not in used]
        if gone and len(gone) == len(node.names):
            edits.append(source.removal(node))
        elif gone:
            edits += _without(source, node, gone)
    return applied(edits, source.text) if edits else source.text


def _is_gone(module: str, name: str) -> bool:
    full = f"{module.removeprefix('nki.')}.{name}"
    return full in _GRIDS or (lookup(BETA1, full) is not None and lookup(NKI, full) is None)


_GRIDS = frozenset({"language.arange", "language.mgrid"})


def _without(source: Source, node: ast.ImportFrom, gone: list[ast.alias]) -> Iterator[Edit]:
    """Names go with their lines where they have some, else the import names the others on one line."""
    alone = [source.lines[a.lineno - 1].strip().removesuffix(",") == a.name for a in gone]
    if all(alone):
        yield from (Edit(a.lineno, 1, a.lineno + 1, 1, "") for a in gone)
        return
    kept = [f"{a.name} as {a.asname}" if a.asname else a.name for a in node.names if a not in gone]
    text = source.text_of(node)
    if "\n" not in text or "#" in text:
        yield Edit(*source.place(node), f"from {node.module} import {', '.join(kept)}")
        return
    indent = indentation(source.lines[node.lineno - 1])
    lines = "".join(f"\n{indent}{source.deeper}{name}," for name in kept)
    yield Edit(*source.place(node), f"from {node.module} import ({lines}\n{indent})")


def _removals(source: Source, unused: list[ast.stmt]) -> Iterator[Edit]:
    """Each goes with its line, or all that share one."""
    rows: dict[int, list[ast.stmt]] = {}
    for statement in unused:
        rows.setdefault(statement.lineno, []).append(statement)
    for row, gone in rows.items():
        text = ";".join(source.text_of(s) for s in gone)
        whole = source.lines[row - 1].replace(" ", "").strip() == text.replace(" ", "")
        block = next(
            (b for name in ("body", "orelse") if gone[0] in (b := getattr(source.parents[gone[0]], name, []))), []
        )
        if len(gone) > 1 and whole and len(block) > len(gone):
            yield Edit(row, 1, row + 1, 1, "")
        else:
            yield from map(source.removal, gone)


def _unused(function: Function, grids: set[str]) -> Iterator[ast.stmt]:
    made = [s for s in ast.walk(function) if isinstance(s, ast.Assign) and (n := _names(s, ast.Store)) and n <= grids]
    inside = {id(node) for statement in made for node in ast.walk(statement)}
    needed = {
        n.id
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inside
    }
    while more := {n for s in made if _names(s, ast.Store) & needed for n in _names(s, ast.Load)} - needed:
        needed |= more
    yield from (s for s in made if not _names(s, ast.Store) & needed)


def _names(node: ast.AST, context: type[ast.expr_context]) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}
