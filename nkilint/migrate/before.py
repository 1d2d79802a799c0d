"""Parts of statements that need statements of their own before these."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING

from .destinations import Pending
from .layout import wrapped
from .nodes import Undecided

if TYPE_CHECKING:
    from .rewriting import Rewriter

_STATE = ("pending", "guards", "bounded", "cut", "notes", "used", "made", "alike", "edits", "modules", "builtins")
"""What writing a part of a statement changes in a rewriter."""

LATER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
"""What computes its parts with names that the statement around it does not know."""


def needs_statements(r: Rewriter, parts: Sequence[ast.expr]) -> bool:
    """Whether some part needs statements before it, such as an operation that writes to `dst`: it is written for
    trial."""
    kept = {name: copy(getattr(r, name)) for name in _STATE}
    try:
        r.pending, r.guards = [], []
        found = [r.translate(part) for part in parts]
        return bool(r.pending or r.guards) or any(isinstance(f, Pending) for f in found)
    except Undecided:
        return False  # it is told of when it is written
    finally:
        for name, state in kept.items():
            setattr(r, name, state)


def indent_before(r: Rewriter, node: ast.expr) -> str | None:
    """The indentation of what can stand before the statement in place of a part of it; None where nothing can."""
    if r.statement is None or isinstance(r.statement, ast.While) or is_later(r, node):
        return None
    return r.source.indent(r.statement)


def is_later(r: Rewriter, node: ast.expr) -> bool:
    """Whether no statement before the one around an expression knows what that is computed of."""
    return any(isinstance(n, LATER) and n not in r.unrolled for n in _within(r, node))


def _within(r: Rewriter, node: ast.AST) -> Iterator[ast.AST]:
    """What is around an expression in its statement."""
    for around in r.source.around(node):
        if isinstance(around, ast.stmt):
            return
        yield around


def block(r: Rewriter, indent: str, write: Callable[[], str]) -> list[str]:
    """The statements that something becomes, as they stand in a block within one of this indentation."""
    before, r.pending = r.pending, []
    last = write()
    parts, r.pending = [*r.pending, last], before
    deeper = r.source.deeper
    return [wrapped(p, indent + deeper, deeper) if "\n" not in p else p.replace("\n", f"\n{deeper}") for p in parts]
