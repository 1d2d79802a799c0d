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
                    found.append(_removal(source, statement))
    return [edit for edit in found if edit is not None]


def _removal(source: Source, statement: ast.stmt) -> Edit | None:
    """The statement goes with its lines, unless it is all that a block has."""
    row, column, end_row, end_column = source.place(statement)
    block = next(
        b
        for name in ("body", "orelse", "finalbody")
        for b in [getattr(source.parents[statement], name, [])]
        if statement in b
    )
    if len(block) == 1:
        return Edit(row, column, end_row, end_column, "pass")
    before, after = source.lines[row - 1][: column - 1], source.lines[end_row - 1][end_column - 1 :]
    if before.strip() or after.strip():
        if after.strip().startswith("#") and not before.strip():
            return Edit(row, column, end_row, end_column + len(after) - len(after.lstrip()), "")
        return None
    return Edit(row, 1, end_row + 1, 1, "")
