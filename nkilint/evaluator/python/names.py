"""Plain names that statements and targets bind."""

from __future__ import annotations

from nkilint.base import ir


def target_names(target: ir.Expr) -> set[str]:
    """Plain names bound by an assignment to `target`."""
    if isinstance(target, ir.Name):
        return {target.id}
    if isinstance(target, ir.Sequence):
        return {name for item in target.items for name in target_names(item)}
    if isinstance(target, ir.Starred):
        return target_names(target.value)
    return set()


def assigned_names(statement: ir.Stmt) -> set[str]:
    """Plain names a statement can assign."""
    found: set[str] = set()
    if isinstance(statement, ir.Assign):
        for target in statement.targets:
            found |= target_names(target)
    elif isinstance(statement, (ir.AugAssign, ir.AnnAssign)):
        found |= target_names(statement.target)
    elif isinstance(statement, (ir.For, ir.While)):
        found |= statement.assigned
    elif isinstance(statement, ir.If):
        for part in (*statement.then, *statement.otherwise):
            found |= assigned_names(part)
    elif isinstance(statement, (ir.With, ir.Try)):
        for part in statement.body:
            found |= assigned_names(part)
    return found
