"""Repairs of tensors that are made in shared HBM where only the kernel itself may make them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from nkilint.base.findings import Diagnostic
from nkilint.base.ir import Span
from nkilint.base.source import indentation
from nkilint.base.trees import Function, place_of, tree_of

from .edits import Edit, Fix

_BLOCKS = (ast.For, ast.While, ast.If, ast.With)


def make_before(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """The tensor made before the loop or branch that it was made in, at the level of the function."""
    found = _creation(finding.at, lines)
    if found is None:
        return None
    function, block, statement = found
    target = statement.targets[0]
    assert isinstance(target, ast.Name)
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    inside = {n.id for n in ast.walk(block) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    needed = {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
    if stored.count(target.id) != 1 or target.id in _parameters(function) or needed & inside:
        return None
    end = (statement.end_lineno or statement.lineno) + 1
    if end > len(lines) or not _alone(statement, block):
        return None
    old, new = lines[statement.lineno - 1], lines[block.lineno - 1]
    before, after = indentation(old), indentation(new)
    text = "".join(after + line.removeprefix(before) + "\n" for line in lines[statement.lineno - 1 : end - 1])
    edits = (Edit(block.lineno, 1, block.lineno, 1, text), Edit(statement.lineno, 1, end, 1, ""))
    return Fix(f"make `{target.id}` before the {'branch' if isinstance(block, ast.If) else 'loop'}", edits)


def make_private(finding: Diagnostic, lines: Sequence[str]) -> Fix | None:
    """`private_hbm` for `shared_hbm`: what other programs of a grid would have seen of it, they no longer do."""
    tree = tree_of(lines)
    named = [
        n
        for n in ast.walk(tree or ast.Module([], []))
        if isinstance(n, ast.Attribute) and n.attr == "shared_hbm" and _is_within(n, finding.at, lines)
    ]
    if len(named) != 1:
        return None
    row, end = place_of(named[0], lines)[2:]
    edit = Edit(row, end - len("shared_hbm"), row, end, "private_hbm")
    return Fix("make it in private HBM", (edit,), safe=False)


def _creation(at: Span, lines: Sequence[str]) -> tuple[Function, ast.stmt, ast.Assign] | None:
    """The assignment `name = ...` of what stands at `at`, the outermost block around it, and the function of both."""
    tree = tree_of(lines)
    around = [n for n in ast.walk(tree or ast.Module([], [])) if isinstance(n, Function) and _spans(n, at)]
    if not around:
        return None
    function = max(around, key=lambda n: n.lineno)
    block = next((s for s in function.body if isinstance(s, _BLOCKS) and _spans(s, at)), None)
    for statement in ast.walk(block) if block is not None else ():
        match statement:
            case ast.Assign([ast.Name()], ast.Call() as made) if place_of(made, lines)[:2] == (at.row, at.column):
                assert block is not None
                return function, block, statement
    return None


def _spans(node: ast.stmt, at: Span) -> bool:
    return node.lineno <= at.row <= at.end_row <= (node.end_lineno or node.lineno)


def _is_within(node: ast.expr, at: Span, lines: Sequence[str]) -> bool:
    row, column, end_row, end_column = place_of(node, lines)
    return (at.row, at.column) <= (row, column) and (end_row, end_column) <= (at.end_row, at.end_column)


def _parameters(function: Function) -> set[str]:
    a = function.args
    return {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if p is not None}


def _alone(statement: ast.stmt, block: ast.stmt) -> bool:
    """Whether its lines hold nothing else, and its block is left something to do."""
    for body in _bodies(block):
        if statement in body:
            others = [s for s in body if s is not statement]
            rows = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            return bool(others) and not any(s.lineno in rows or s.end_lineno in rows for s in others)
    return False


def _bodies(block: ast.stmt) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(block):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield body
