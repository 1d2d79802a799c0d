"""Plain names that pieces of a program bind."""

from __future__ import annotations

from . import ir
from .walk import SCOPES, parts, walk


def private(name: str, owner: str) -> str:
    """What Python makes of a name in the body of a class: one that begins with two underscores is its own."""
    owner = owner.lstrip("_")
    return f"_{owner}{name}" if owner and name.startswith("__") and not name.endswith("__") else name


def target_names(target: ir.Expr) -> set[str]:
    """Plain names bound by an assignment to `target`."""
    if isinstance(target, ir.Name):
        return {target.id}
    if isinstance(target, ir.Sequence):
        return {name for item in target.items for name in target_names(item)}
    if isinstance(target, ir.Starred):
        return target_names(target.value)
    return set()


def own_names(node: ir.Node) -> set[str]:
    """Plain names that a node itself binds, and not what it holds."""
    return {*node.binds, *(name for target, _ in node.assigns for name in target_names(target))}


def bound_names(root: ir.Node) -> set[str]:
    """Plain names that a node, with all that it holds, can bind in the scope that it stands in."""
    found: set[str] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        found |= own_names(node)
        if not isinstance(node, SCOPES):
            stack += parts(node)
    return found


def counting_names(node: ir.Node) -> tuple[str, ...]:
    """The names that tell the iterations of a loop apart: those of its target, or of its test as far as it changes
    them."""
    if not isinstance(node, (ir.For, ir.While)):
        return ()
    over = node.target if isinstance(node, ir.For) else node.test
    names = [part for part in walk(over) if isinstance(part, ir.Name) and part.id in node.assigned]
    return tuple(dict.fromkeys(name.id for name in sorted(names, key=lambda name: (name.at.row, name.at.column))))
