"""Python's own syntax tree of a text, for those who only read it, and where its nodes stand."""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TRIES: tuple[type[ast.Try], ...] = (ast.Try,)
if sys.version_info >= (3, 11):
    TRIES += (ast.TryStar,)  # type: ignore[operator]
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""The fields of statements that hold statements, or what does."""


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


_NO_NODES = frozenset(
    {"ctx", "op", "ops", "id", "attr", "arg", "conversion", "simple", "is_async", "level", "module", "type_comment"}
)  # or none to look at


@cache
def _parts(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a node that may hold nodes."""
    return () if kind is ast.Constant or kind is ast.alias else tuple(f for f in kind._fields if f not in _NO_NODES)


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one, in the order of the text; operators and contexts left out."""
    kind: Any = type(node)
    found: list[ast.AST] = []
    for name in _parts(kind):
        part = getattr(node, name, None)
        if type(part) is list:
            found += [item for item in part if isinstance(item, ast.AST)]
        elif isinstance(part, ast.AST):
            found.append(part)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """The node and all below it, level by level; operators and contexts left out."""
    found = [node]
    for here in found:
        found += children(here)
    return found


def parents_in(node: ast.AST) -> dict[ast.AST, ast.AST]:
    """The node right above each one below a node."""
    found: dict[ast.AST, ast.AST] = {}
    stack = [node]
    while stack:
        here = stack.pop()
        inside = children(here)
        found.update(dict.fromkeys(inside, here))
        stack += inside
    return found


@lru_cache(maxsize=4)
def nodes_of(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a file, for those who ask one after the other."""
    return tuple(walk(tree))


def function_at(tree: ast.Module, row: int) -> Function | None:
    """The function whose name stands in `row`."""
    return _functions(tree).get(row)


@lru_cache(maxsize=4)
def _functions(tree: ast.Module) -> dict[int, Function]:
    """The outermost function of each row."""
    return {node.lineno: node for node in reversed(nodes_of(tree)) if isinstance(node, Function)}


def column_of(lines: Sequence[str], row: int, offset: int) -> int:
    """The column, from 1 and in code points, of an offset in bytes."""
    return len(lines[row - 1].encode()[:offset].decode("utf-8", "replace")) + 1


def place_of(node: ast.expr | ast.stmt | ast.arg, lines: Sequence[str]) -> tuple[int, int, int, int]:
    """Row and column of a node's begin and end."""
    end_row = node.end_lineno or node.lineno
    return (
        node.lineno,
        column_of(lines, node.lineno, node.col_offset),
        end_row,
        column_of(lines, end_row, node.end_col_offset or 0),
    )


def root_of(node: ast.expr) -> Iterator[str]:
    """The name that a chain of attributes and subscripts begins with, if it begins with one."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
