"""Numbers by the names that the operands of a statement have for them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from nkilint.evaluator.values.tensors import View

from .facts import ALONE, LAUNCHED
from .naming import names_at, signature
from .rewriting import Rewriter


def constants(r: Rewriter, operands: Iterable[ast.expr], at: ast.expr | ast.stmt) -> dict[str, str]:
    """By number, the one name that operands have for it in their subscripts, or in the index grids there; none where
    they have several."""
    found: dict[str, set[str]] = {}
    known = {n.text for n in names_at(r, at) if n.text.isidentifier()}
    for operand in operands:
        for name in _names(r, operand):
            values = {v for v in r.values(name) if isinstance(v, int) and not isinstance(v, bool)}
            if name.id in known and len(values) == 1 and len(values) == len(set(map(str, r.values(name)))):
                found.setdefault(str(values.pop()), set()).add(name.id)
    return {number: names.pop() for number, names in found.items() if len(names) == 1 and number not in ("0", "1")}


def varying(r: Rewriter, at: ast.expr | ast.stmt, dimension: int, text: str) -> str:
    """The name for a size of a result that is a number by default, and another one with other arguments; empty where it
    is always the same number."""
    if not text.isdigit() or not isinstance(at, ast.expr):
        return ""
    sizes = {rank: _sizes(r, at, dimension, rank) for rank in r.ranks(at) if rank != LAUNCHED and rank < ALONE}
    if len({signature(s) for s in sizes.values()}) < 2 or not all(sizes.values()):
        return ""
    for named in names_at(r, at):
        if all(signature(r.values(named.node, rank)) == signature(s) for rank, s in sizes.items()):
            return named.text
    return ""  # runs with other arguments tell whether it matters


def _sizes(r: Rewriter, at: ast.expr, dimension: int, rank: int) -> list[object]:
    views = [v for v in r.values(at, rank) if isinstance(v, View) and dimension < len(v.shape)]
    return [v.shape[dimension] for v in views]


def _names(r: Rewriter, node: ast.expr) -> Iterator[ast.Name]:
    """The names in the subscripts of an operand."""
    for part in (n.slice for n in ast.walk(node) if isinstance(n, ast.Subscript)):
        for name in (n for n in ast.walk(part) if isinstance(n, ast.Name)):
            yield name
            made = _made(r, name) if r.is_grid(name) else None
            if made is not None:
                yield from (n for n in ast.walk(made) if isinstance(n, ast.Name))


def _made(r: Rewriter, name: ast.Name) -> ast.expr | None:
    """What the last assignment to a name before its use gives it."""
    function = r.source.function(name)
    found = [
        s.value
        for s in (ast.walk(function) if function is not None else ())
        if isinstance(s, ast.Assign)
        and s.lineno < name.lineno
        and any(_binds(n, name.id) for t in s.targets for n in ast.walk(t))
    ]
    return max(found, key=lambda v: v.lineno, default=None)


def _binds(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
