"""The syntax tree of a file, for repairs that have to look around."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

Function = ast.FunctionDef | ast.AsyncFunctionDef


def tree_of(lines: Sequence[str]) -> ast.Module | None:
    """The tree; None if the text is not Python."""
    return _parsed("\n".join(lines))


@lru_cache(maxsize=8)
def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def function_at(tree: ast.Module, row: int) -> Function | None:
    """The function whose name stands in `row`."""
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.lineno == row:
            return node
    return None


def column_of(lines: Sequence[str], row: int, offset: int) -> int:
    """The column, from 1 and in code points, of an offset in bytes."""
    return len(lines[row - 1].encode()[:offset].decode("utf-8", "replace")) + 1


def place_of(node: ast.expr, lines: Sequence[str]) -> tuple[int, int, int, int]:
    """Row and column of an expression's begin and end."""
    end_row = node.end_lineno or node.lineno
    return (
        node.lineno,
        column_of(lines, node.lineno, node.col_offset),
        end_row,
        column_of(lines, end_row, node.end_col_offset or 0),
    )
