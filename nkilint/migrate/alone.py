"""One kernel with what it needs of its file, as the text of a file of its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .source import Source


def alone(source: Source, kernel: str) -> str | None:
    """The statements of a file that a kernel needs, with the comments above them; None where there is no such kernel.

    Imports that nothing else needs, and calls at the top level, stay out."""
    body = source.tree.body
    if not any(isinstance(s, ast.FunctionDef) and s.name == kernel for s in body):
        return None
    needed, wanted = set(), {kernel}
    while wanted:
        name = wanted.pop()
        for number, statement in enumerate(body):
            if number not in needed and (name in set(_binds(statement)) or _is_of_all(statement)):
                needed.add(number)
                wanted |= _names(statement)
    kept = [s for n, s in enumerate(body) if n in needed]
    texts = [_with_comments(source, s) for s in kept]
    return "".join(f"{_between(a, b)}{text}\n" for a, b, text in zip([None, *kept], kept, texts, strict=False))


def _binds(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement gives a value."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id


def _is_of_all(statement: ast.stmt) -> bool:
    """Whether every file that holds a part of this one needs it."""
    future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    star = isinstance(statement, ast.ImportFrom) and any(a.name == "*" for a in statement.names)
    return future or star


def _names(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}


def _with_comments(source: Source, statement: ast.stmt) -> str:
    """The lines of a statement, with its decorators and the comments right above."""
    first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
    while first > 1 and source.lines[first - 2].startswith("#") and not source.lines[first - 2].startswith("#!"):
        first -= 1
    return "\n".join(source.lines[first - 1 : statement.end_lineno])


def _between(before: ast.stmt | None, statement: ast.stmt) -> str:
    """The empty lines between two statements."""
    blocks = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    if before is None:
        return ""
    if isinstance(before, blocks) or isinstance(statement, blocks):
        return "\n\n"
    imports = (ast.Import, ast.ImportFrom)
    return "\n" if isinstance(before, imports) and not isinstance(statement, imports) else ""
