"""New axes in subscripts, `bias[None, :]`: subscripts of `nki` have none."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from nkilint.symbolic.integers import Sym
from nkilint_rules.words.memory import HBM

from .rewriting import Rewriter, Undecided


def is_new_axis(node: ast.expr) -> bool:
    """Whether an index is `None`, or what numpy calls it."""
    named = isinstance(node, ast.Attribute) and node.attr == "newaxis"
    return named or (isinstance(node, ast.Constant) and node.value is None)


def is_number(r: Rewriter, element: ast.expr) -> bool:
    """Whether a subscript is an integer."""
    values = [element.value] if isinstance(element, ast.Constant) else r.values(element)
    return bool(values) and all(isinstance(v, (int, Sym)) for v in values)


def with_new_axes(r: Rewriter, node: ast.Subscript, head: str, rest: Sequence[ast.expr], clip: Any) -> str:
    """A subscript of slices and new axes: the slices, and the axes put in behind that."""
    if clip or isinstance(node.ctx, ast.Store):
        raise Undecided("a new axis in what is shortened by a mask, or written to")
    if not r.reaches("0.3"):
        raise Undecided("`nl.expand_dims` puts in a new axis since 0.3 alone")
    axes, items, axis = [], [], 0
    in_hbm = all(v.memory == HBM for v in r.views(node.value))
    for element in rest:
        if is_new_axis(element):
            axes.append(axis)
            axis += 1
            continue
        if not isinstance(element, ast.Slice) and not (in_hbm and is_number(r, element)):
            raise Undecided("a new axis beside subscripts of another form")
        items.append(element)
        axis += isinstance(element, ast.Slice)
    text = head if all(map(_is_all, items)) else f"{head}[{', '.join(map(r.render, items))}]"
    for axis in axes:
        text = f"{r.module('language')}.expand_dims({text}, {axis})"
    return text


def _is_all(element: ast.expr) -> bool:
    """Whether a slice leaves nothing out."""
    return isinstance(element, ast.Slice) and element.lower is element.upper is element.step is None
