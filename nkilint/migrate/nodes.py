"""The expressions in nodes of Python's syntax tree, in the order of the text; what is raised where one stays."""

from __future__ import annotations

import ast
from collections.abc import Iterator


class Undecided(Exception):
    """What stands here cannot be rewritten with certainty; the text says why."""


def parts_of(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a compound statement itself: decorators, defaults, what it tests or iterates over."""
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, (ast.arguments, ast.withitem)):
            yield from children(child)


def children(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions in a node, in the order of the text; what is inside f-strings is left alone."""
    if isinstance(node, ast.JoinedStr):
        return
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.JoinedStr):
            continue
        if isinstance(child, ast.expr):
            found.append(child)
        elif isinstance(child, (ast.keyword, ast.comprehension, ast.arguments, ast.arg, ast.withitem, ast.slice)):
            found += children(child)
    yield from sorted(found, key=lambda n: (n.lineno, n.col_offset))
