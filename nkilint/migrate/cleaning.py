"""Takes away what a rewrite has left without use: index grids, masks, statements that became empty."""

from __future__ import annotations

import ast

from nkilint.fixes.edits import Edit, applied

from .source import Source

Grids = frozenset[tuple[str, str]]
"""Names of index grids and masks, each with that of the function it is in."""


def without_unused_grids(source: Source, grids: Grids) -> str:
    """The text without assignments to names of `grids` that nothing reads."""
    while True:
        edits = list(_unused(source, grids))
        if not edits:
            return source.text
        source = Source(source.path, applied(edits[:1], source.text))


def _unused(source: Source, grids: Grids) -> list[Edit]:
    found = []
    for function in ast.walk(source.tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        read = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        for statement in ast.walk(function):
            if isinstance(statement, ast.Assign):
                names = {n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
                known = {name for owner, name in grids if owner == function.name}
                if names and names <= known and not names & set(read):
                    found.append(source.removal(statement))
    return found
