"""Python's own syntax tree of a text, for those who only read it, and where its nodes stand."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from functools import lru_cache

Function = ast.FunctionDef | ast.AsyncFunctionDef


def tree_of(lines: Sequence[str]) -> ast.Module | None:
    """The tree of a file; None if the text is not Python."""
    try:
        return parsed("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@lru_cache(maxsize=8)
def parsed(text: str) -> ast.Module:
    """The tree of a text, or what Python says against it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def function_at(tree: ast.Module, row: int) -> Function | None:
    """The function whose name stands in `row`."""
    for node in ast.walk(tree):
        if isinstance(node, Function) and node.lineno == row:
            return node
    return None


def column_of(lines: Sequence[str], row: int, offset: int) -> int:
    """The column, from 1 and in code points, of an offset in bytes."""
    return len(lines[row - 1].encode()[:offset].decode("utf-8", "replace")) + 1


def place_of(node: ast.expr | ast.stmt, lines: Sequence[str]) -> tuple[int, int, int, int]:
    """Row and column of a node's begin and end."""
    end_row = node.end_lineno or node.lineno
    return (
        node.lineno,
        column_of(lines, node.lineno, node.col_offset),
        end_row,
        column_of(lines, end_row, node.end_col_offset or 0),
    )
