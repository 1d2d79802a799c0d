"""Plain names that statements and targets bind."""

from __future__ import annotations

from nkilint.base import ir
from nkilint.base.walk import statements, walk


def target_names(target: ir.Expr) -> set[str]:
    """Plain names bound by an assignment to `target`."""
    if isinstance(target, ir.Name):
        return {target.id}
    if isinstance(target, ir.Sequence):
        return {name for item in target.items for name in target_names(item)}
    if isinstance(target, ir.Starred):
        return target_names(target.value)
    return set()


def captured_names(pattern: ir.Pattern) -> set[str]:
    """The name that a pattern itself captures."""
    name = pattern.rest if isinstance(pattern, ir.MappingPattern) else getattr(pattern, "name", None)
    return set() if name is None else {name}


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
    elif isinstance(statement, (ir.With, ir.Try, ir.Match)):
        found |= {name for part in statements([statement]) if part is not statement for name in assigned_names(part)}
        found |= {name for part in walk(statement) if isinstance(part, ir.Pattern) for name in captured_names(part)}
        items = statement.items if isinstance(statement, ir.With) else ()
        found |= {name for _, target in items if target is not None for name in target_names(target)}
    return found
