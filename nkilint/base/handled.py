"""Calls of which the text around them takes it that they may raise a TypeError."""

from __future__ import annotations

from collections.abc import Sequence

from . import ir
from .walk import walk


def handled_calls(nodes: Sequence[ir.Node]) -> frozenset[int]:
    """The calls among the nodes of a module of which a block around takes it that they do not fit, by their ids."""
    blocks = [n.body for n in nodes if isinstance(n, ir.Try) and any(_takes_misfits(h[0]) for h in n.handlers)]
    blocks += [n.body for n in nodes if isinstance(n, ir.With) and any(_swallows(m) for m, _ in n.items)]
    return frozenset(id(n) for block in blocks for n in walk(block) if isinstance(n, ir.Call))


def _takes_misfits(kind: ir.Expr | None) -> bool:
    return kind is None or not _names(kind).isdisjoint(("TypeError", "Exception", "BaseException"))


def _swallows(manager: ir.Expr) -> bool:
    named = manager.func if isinstance(manager, ir.Call) else None
    return named is not None and not _names(named).isdisjoint(
        ("suppress", "raises", "assertRaises", "assertRaisesRegex")
    )


def _names(node: ir.Expr) -> set[str]:
    """Names and attributes in an expression."""
    return {n.id if isinstance(n, ir.Name) else n.name for n in walk(node) if isinstance(n, (ir.Name, ir.Attr))}
