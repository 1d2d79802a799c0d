"""Axes that the index grids of a tile leave out: Beta 1 gives them the size 1, and slices do not have them."""

from __future__ import annotations

import ast

from nkilint_rules.operations import lookup
from nkilint_rules.words.dialects import BETA1

from .destinations import lists
from .grids import assigned, index
from .naming import keeps_its_value
from .operations import arguments_of
from .rewriting import Rewriter, Undecided


def with_left_out(r: Rewriter, node: ast.expr, text: str) -> str:
    """An operand with the axes of size 1 that it has in Beta 1 alone."""
    axes = left_out(r, node)
    if axes and not r.reaches("0.3"):
        raise Undecided("its index grids leave out an axis that another operand has")
    for axis in sorted(axes):
        text = f"{r.module('language')}.expand_dims({text}, {axis})"
    return text


def left_out(r: Rewriter, node: ast.expr) -> frozenset[int]:
    """The dimensions of a tile that what is written for it does not have; none where that is not known."""
    ranks = {len(v.shape) for v in r.views(node)}
    if len(ranks) != 1:
        return frozenset()
    if isinstance(node, ast.Subscript):
        return _of_subscript(r, node, ranks.pop())
    if isinstance(node, ast.Name):
        made = assigned(r, node)
        plain = made is not None and isinstance(made[0], ast.Name) and keeps_its_value(r, made[0], node)
        return left_out(r, made[1]) if plain and made is not None else frozenset()
    operands = [x for x in _operands(r, node) if r.is_tensor(x)]
    found = {left_out(r, x) for x in operands}
    return found.pop() if len(found) == 1 else frozenset()


def _operands(r: Rewriter, node: ast.expr) -> list[ast.expr]:
    """What an operation by element takes, or a load reads."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    name = r.operation(node) if isinstance(node, ast.Call) else None
    old = lookup(BETA1, name) if name is not None and name.startswith("language.") else None
    if old is None or not isinstance(node, ast.Call) or old.signature(BETA1) is None:
        return []
    given = arguments_of(node, old)
    return [given[name] for name in ("src", "x", "y") if name in given] if "axis" not in given else []


def _of_subscript(r: Rewriter, node: ast.Subscript, rank: int) -> frozenset[int]:
    items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    grids = [item for item in items if r.is_grid(item)]
    if len(items) < 2 or not grids or any(lists(v) for v in r.views(node.value)):
        return frozenset()
    try:
        ranges = [index(r, item).ranges for item in grids]
    except Undecided:
        return frozenset()
    if any(len(found) != 1 for found in ranges):
        return frozenset()
    axes = frozenset(range(rank)) - {rank - 1 - found[0].position for found in ranges}
    return axes if 0 not in axes and len(axes) + len(grids) == rank else frozenset()
